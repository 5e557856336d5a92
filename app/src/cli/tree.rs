//! The scenes and the allocator of the commands that build a tree.

use std::path::Path;

use clap::Args;

use super::common::LinkArguments;
use super::record::RecordArguments;
use crate::Error;
use crate::allocators::{CallDelay, DEFAULT, Spec};
use crate::generate::{SceneSpec, Source, source};

/// The scene, or the frames of one that moves, and how often their trees are built.
#[derive(Debug, Args)]
pub struct ScenesArguments {
    /// OBJ, PLY, glTF or GLB file, plain or compressed, or gen:KIND,OPTION=VALUE,...
    ///
    /// The options after gen: are those of `heapwood generate scene`.
    #[arg(value_name = "SCENE", value_parser = source::<SceneSpec>(), required_unless_present = "frames")]
    pub scene: Option<Source<SceneSpec>>,
    /// Build the trees of these scenes in turn over the same allocator
    ///
    /// The heap is not emptied between frames. Each tree is freed once the next one is built.
    #[arg(long, value_name = "SCENE", num_args = 1.., value_parser = source::<SceneSpec>(), conflicts_with = "scene")]
    pub frames: Vec<Source<SceneSpec>>,
    /// Timed builds; with --frames, of all frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 5)]
    pub runs: u32,
}

impl ScenesArguments {
    /// The files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.scene
            .iter()
            .chain(&self.frames)
            .filter_map(Source::file)
    }
}

/// Whether blocks are checked.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Check every block for double frees and writes past its end
    #[arg(id = "check_heap", long = "check-heap", help_heading = "Allocator")]
    pub heap: bool,
}

/// The allocator of one tree.
#[derive(Debug, Args)]
#[command(next_help_heading = "Allocator")]
pub struct AllocatorArguments {
    /// Allocator, such as cmalloc:frag=2 [default: cfmalloc]
    ///
    /// `heapwood allocators` lists the names and parameters.
    #[arg(long, value_name = "NAME", value_parser = Spec::parse)]
    pub allocator: Option<Spec>,
    #[command(flatten)]
    pub check: CheckArguments,
    #[command(flatten)]
    pub link: LinkArguments,
    #[command(flatten)]
    pub record: RecordArguments,
    /// Make each call take longer: malloc=NS,free=NS
    ///
    /// The nanoseconds are a busy wait by the clock of the device. docs/traces.md describes it.
    #[arg(long, help_heading = "Allocator", value_name = "DELAYS", value_parser = CallDelay::parse, hide_short_help = true)]
    pub delay: Option<CallDelay>,
}

impl AllocatorArguments {
    /// The allocator, which can be checked if that was asked for.
    ///
    /// # Errors
    ///
    /// For parameters that a tree has no use for.
    pub fn spec(&self) -> Result<Spec, Error> {
        let spec = match &self.allocator {
            Some(spec) => spec.clone(),
            None => Spec::parse(DEFAULT)?,
        };
        refuse_coalesce(&spec)?;
        self.link.check([&spec])?;
        spec.checked_if(self.check.heap)?;
        Ok(match self.delay {
            Some(delay) => spec.delayed(delay)?,
            None => spec,
        })
    }
}

/// Refuses what has no effect here.
///
/// # Errors
///
/// For an allocator with `coalesce`.
pub fn refuse_coalesce(spec: &Spec) -> Result<(), Error> {
    if spec.coalesce {
        let why = "coalesce has no effect here: one lane of a warp allocates for all of them";
        return Err(Error::Usage(why.to_owned()));
    }
    Ok(())
}
