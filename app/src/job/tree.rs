//! The tree of a scene as a job, and the options of builds.

use heapwood_device::kdtree::plan::{Costs, Options, Quality};
use heapwood_scenes::Scene;
use serde::{Deserialize, Serialize};

use super::scenes::load_scene;
use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{self, Backend};
use crate::generate::{SceneSpec, Source};
use crate::report::{TreeReport, tree_report};
use crate::size::Pool;
use crate::tree::{Builder, DeviceTree};
use crate::word;
use crate::workload::tree::Workload;

/// How a tree is built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Tree")
)]
#[serde(rename_all = "kebab-case")]
pub struct TreeOptions {
    /// Quality of the tree
    ///
    /// It sets the costs and the bonus, which the options below override.
    #[cfg_attr(feature = "cli", arg(long, value_name = "fast|balanced|best", value_parser = parse_quality(), default_value = Quality::default().name()))]
    #[serde(with = "word")]
    pub quality: Quality,
    /// Cost of a traversal step [default: 1]
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "COST", value_parser = parse_cost))]
    pub traversal_cost: Option<f32>,
    /// Cost of a triangle intersection [default: 1.25 for fast, 2 for balanced, 3 for best]
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "COST", value_parser = parse_cost))]
    pub intersection_cost: Option<f32>,
    /// Fraction by which an empty child lowers the cost of a split [default: 0.2]
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "FRACTION", value_parser = parse_bonus))]
    pub empty_bonus: Option<f32>,
    /// Max depth of a leaf, at most 96 [default: 96]
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "N"))]
    pub max_depth: Option<u32>,
    /// Split triangles by their bounding boxes, without clipping them to the nodes
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub no_clip: bool,
    /// Keep triangles that repeat an earlier one
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub keep_duplicates: bool,
    /// Pool: a size, a multiple such as 200x, or auto
    ///
    /// A multiple counts the bytes of the root's references. With auto, the pool grows until it suffices.
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = crate::size::parse_pool, default_value = "auto"))]
    #[serde(with = "word")]
    pub pool: Pool,
    /// Allocate at every split, as the paper's builder does
    #[cfg_attr(
        feature = "cli",
        arg(long, help_heading = "Allocator", hide_short_help = true)
    )]
    pub alloc_per_split: bool,
}

impl TreeOptions {
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
            ..Options::default()
        }
    }
}

/// Qualities by their names, which help lists with what they promise.
#[cfg(feature = "cli")]
fn parse_quality() -> impl clap::builder::TypedValueParser<Value = Quality> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

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
    PossibleValuesParser::new(values)
        .map(|name| word::Word::from_word(name.into()).expect("no other value is possible"))
}

#[cfg(feature = "cli")]
fn parse_cost(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(cost) if (1e-3..=1e6).contains(&cost) => Ok(cost),
        _ => Err("write a number from 0.001 to 1000000".to_owned()),
    }
}

#[cfg(feature = "cli")]
fn parse_bonus(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}

/// Builds the tree of a scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TreeJob {
    /// The scene.
    #[serde(with = "word")]
    pub scene: Source<SceneSpec>,
    /// The allocator of builds by kernels; none for the cores of the CPU.
    #[serde(with = "word::option")]
    pub allocator: Option<Spec>,
    /// Whether every block is checked.
    pub check_heap: bool,
    /// How often.
    pub runs: u32,
    /// Whether each tree is checked.
    pub verify: bool,
    /// How the tree is built.
    pub tree: TreeOptions,
    /// The backend, once decided.
    pub backend: backend::Options,
}

impl MeasuredJob for TreeJob {
    const STEPS: &'static str = "builds";

    type Input<'i> = &'i Scene;

    type Left<'b> = DeviceTree<'b>;

    fn steps(&self, _: &Scene) -> usize {
        Workload::steps(self.runs) as usize
    }

    fn measure<'b>(
        &self,
        scene: &Scene,
        backend: &'b dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(TreeReport, DeviceTree<'b>), Error> {
        let builder = match &self.allocator {
            Some(spec) => Builder::Kernels {
                spec: spec.checked_if(self.check_heap)?,
                pool: self.tree.pool,
            },
            None => Builder::Cores {
                threads: self.backend.threads,
            },
        };
        let workload = Workload {
            scene,
            builder,
            options: self.tree.options(),
            verify: self.verify,
        };
        let measured = workload.run(backend, self.runs, || progress.step())?;
        let report = tree_report(&workload, &backend.info(), &measured);
        Ok((report, measured.tree))
    }
}

impl Job for TreeJob {
    const KIND: &'static str = "tree";

    type Report = TreeReport;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(&self, backend: &dyn Backend, progress: &mut dyn Progress) -> Result<TreeReport, Error> {
        let (scene, _) = load_scene(&self.scene, self.tree.keep_duplicates, progress)?;
        Ok(self.measure(&scene, backend, progress)?.0)
    }
}
