//! Options of the commands that build a tree.

use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use heapwood_device::kdtree::plan::{Costs, Options, Quality};

use super::common::LinkArguments;
use crate::Error;
use crate::allocators::{DEFAULT, Spec};
use crate::generate::{SceneSpec, Source, source};
use crate::size::{self, Pool};

/// The scene, or the frames of one that moves.
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

/// How a tree is built.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tree")]
pub struct TreeArguments {
    /// Quality of the tree
    ///
    /// It sets the costs and the bonus, which the options below override.
    #[arg(long, value_name = "fast|balanced|best", value_parser = parse_quality(), default_value = Quality::default().name())]
    pub quality: Quality,
    /// Cost of a traversal step [default: 1]
    #[arg(long, hide_short_help = true, value_name = "COST", value_parser = parse_cost)]
    pub traversal_cost: Option<f32>,
    /// Cost of a triangle intersection [default: 1.25 for fast, 2 for balanced, 3 for best]
    #[arg(long, hide_short_help = true, value_name = "COST", value_parser = parse_cost)]
    pub intersection_cost: Option<f32>,
    /// Fraction by which an empty child lowers the cost of a split [default: 0.2]
    #[arg(long, hide_short_help = true, value_name = "FRACTION", value_parser = parse_bonus)]
    pub empty_bonus: Option<f32>,
    /// Max depth of a leaf, at most 96 [default: 96]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Split triangles by their bounding boxes, without clipping them to the nodes
    #[arg(long, hide_short_help = true)]
    pub no_clip: bool,
    /// Keep triangles that repeat an earlier one
    #[arg(long, hide_short_help = true)]
    pub keep_duplicates: bool,
    /// Pool: a size, a multiple such as 200x, or auto
    ///
    /// A multiple counts the bytes of the root's references. With auto, the pool grows until it suffices.
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = size::parse_pool, default_value = "auto")]
    pub pool: Pool,
    /// Allocate at every split, as the paper's builder does
    #[arg(long, help_heading = "Allocator", hide_short_help = true)]
    pub alloc_per_split: bool,
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
    /// Check every block for double frees and writes past its end
    #[arg(long)]
    pub check_heap: bool,
    #[command(flatten)]
    pub link: LinkArguments,
}

/// Qualities by their names, which help lists with what they promise.
fn parse_quality() -> impl TypedValueParser<Value = Quality> {
    let values = Quality::ALL.map(|quality| {
        PossibleValue::new(quality.name()).help(match quality {
            Quality::Fast => {
                "SAH cost at most 25 % above an exact builder's; scenes with triangles across all \
                 of them may exceed it (docs/quality.md)"
            }
            Quality::Balanced => "at most 10 %, with the same exception",
            Quality::Best => "at most 5 %, with the same exception",
        })
    });
    PossibleValuesParser::new(values).map(|name| {
        let mut all = Quality::ALL.into_iter();
        let found = all.find(|quality| quality.name() == name);
        found.expect("no other value is possible")
    })
}

impl TreeArguments {
    /// How to build.
    pub fn options(&self) -> Options {
        let usual = self.quality.costs();
        Options {
            costs: Costs {
                traversal: self.traversal_cost.unwrap_or(usual.traversal),
                intersection: self.intersection_cost.unwrap_or(usual.intersection),
                empty_bonus: self.empty_bonus.unwrap_or(usual.empty_bonus),
            },
            max_depth: self.max_depth,
            clip: !self.no_clip,
            alloc_per_split: self.alloc_per_split,
            collect: false,
            bounded: false,
        }
    }
}

impl AllocatorArguments {
    /// The allocator, checked if that was asked for.
    ///
    /// # Errors
    ///
    /// For parameters that a tree has no use for.
    pub fn spec(&self) -> Result<Spec, Error> {
        let spec = match &self.allocator {
            Some(spec) => spec.clone(),
            None => Spec::parse(DEFAULT).map_err(Error::Usage)?,
        };
        refuse_coalesce(&spec)?;
        self.link.check([&spec])?;
        if !self.check_heap {
            return Ok(spec);
        }
        spec.checked()
            .ok_or_else(|| Error::Usage(format!("{} has no checked mode", spec.name())))
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

fn parse_cost(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(cost) if (1e-3..=1e6).contains(&cost) => Ok(cost),
        _ => Err("write a number from 0.001 to 1000000".to_owned()),
    }
}

fn parse_bonus(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}
