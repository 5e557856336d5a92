//! `heapwood compare kdtree`: the build of a tree over a set of allocators.

use clap::Args;

use super::super::common::ChildArgs;
use super::super::complain;
use super::super::scenes::{load_frames, load_scene};
use super::super::tree::{ScenesArguments, TreeArguments, refuse_coalesce};
use super::{Common, ComparisonArguments, ComparisonContext};
use crate::Error;
use crate::allocators::{self, Spec};
use crate::report::compare::{Origin, TreeRow, Trees, standing};
use crate::report::frames::{hash_of, name_of};
use crate::report::{FramesReport, Report, TreeReport};
use crate::tree::TreeError;
use crate::workload::compare::Case;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood compare kdtree scenes/data/courtyard.obj --allocators cfmalloc,gallatin
  heapwood compare kdtree gen:terrain --reference cfmalloc -o terrain.json --resume terrain.json";

/// Arguments of `heapwood compare kdtree`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    scenes: ScenesArguments,
    /// Timed builds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 5)]
    runs: u32,
    /// Names separated by commas, `all` or `published`
    ///
    /// Parameters follow a name, as in cmalloc:frag=2. `published` stands for the published forms.
    #[arg(
        long,
        help_heading = "Allocator",
        value_name = "LIST",
        default_value = "all"
    )]
    allocators: String,
    /// Check every block for double frees and writes past its end
    #[arg(long, help_heading = "Allocator", hide_short_help = true)]
    check_heap: bool,
    #[command(flatten)]
    tree: TreeArguments,
    #[command(flatten)]
    sides: ComparisonArguments,
}

/// Builds over each allocator in a process of its own and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let Some(scene) = &arguments.scenes.scene else {
        return frames(arguments, specs);
    };
    let targets = [arguments.sides.output.as_deref()];
    arguments.sides.check_files(scene.file())?;
    let context = arguments.sides.open(&specs)?;
    // Every process reads the scene; that it can be read is known, and what
    // is odd about it said, once.
    let (loaded, _) = load_scene(scene, arguments.tree.keep_duplicates, &targets)?;
    let (name, hash) = (loaded.name().to_owned(), loaded.input_hash());
    drop(loaded);
    let common = arguments
        .sides
        .common(&specs, options(arguments), Some(scene.words()))?;

    compare::<TreeReport>(context, &specs, &common, || {
        Origin::new(name, Some(hash), None, &common.info)
    })
}

/// Builds the frames over each allocator that frees, in a process of its own, and writes the
/// table.
fn frames(arguments: &Arguments, specs: Vec<Spec>) -> Result<(), Error> {
    let (specs, left_out): (Vec<Spec>, Vec<Spec>) = specs.into_iter().partition(Spec::frees);
    let names: Vec<String> = left_out.iter().map(Spec::to_string).collect();
    if specs.is_empty() {
        return Err(TreeError::CannotFree(names.join(", ")).into());
    }
    let targets = [arguments.sides.output.as_deref()];
    arguments.sides.check_files(arguments.scenes.files())?;
    let context = arguments.sides.open(&specs)?;
    let sources = &arguments.scenes.frames;
    let frames = load_frames(sources, arguments.tree.keep_duplicates, &targets)?;
    let name = name_of(frames.iter().map(|frame| frame.name.as_str()));
    let hash = hash_of(frames.iter().map(|frame| frame.input_hash));
    drop(frames);
    if !names.is_empty() {
        let names = names.join(", ");
        complain(
            "note",
            &format_args!("left out, since they cannot free a frame's tree: {names}"),
        );
    }
    let mut options = options(arguments);
    for source in sources {
        options.option_os("frames", Some(source.words()));
    }
    let common = arguments.sides.common(&specs, options, None)?;

    compare::<FramesReport>(context, &specs, &common, || {
        Origin::new(name, Some(hash), None, &common.info)
    })
}

/// Runs `heapwood kdtree` over each allocator.
fn compare<R: Trees>(
    context: ComparisonContext,
    specs: &[Spec],
    common: &Common,
    origin: impl FnOnce() -> Origin,
) -> Result<(), Error>
where
    [TreeRow<R>]: Report,
{
    let case = |spec: &Spec| {
        let allocator = spec.to_string();
        let mut command = ChildArgs(vec!["kdtree".into()]);
        command.option("allocator", Some(&allocator));
        common.link.forward(spec, &mut command);
        let standing = standing(spec);
        Case::new(allocator.clone(), move || {
            Ok(TreeRow::<R> {
                allocator,
                standing,
                options: common.options(),
                outcome: common.run(command)?,
            })
        })
    };
    context.run(specs.iter().map(case).collect(), common, origin)
}

/// The options of `heapwood kdtree` that all cases have in common.
fn options(arguments: &Arguments) -> ChildArgs {
    let tree = &arguments.tree;
    let mut child_args = ChildArgs::default();
    child_args.option("runs", Some(arguments.runs));
    child_args.option("pool", Some(tree.pool));
    child_args.option("quality", Some(tree.quality.name()));
    child_args.option("traversal-cost", tree.traversal_cost);
    child_args.option("intersection-cost", tree.intersection_cost);
    child_args.option("empty-bonus", tree.empty_bonus);
    child_args.option("max-depth", tree.max_depth);
    child_args.flag("alloc-per-split", tree.alloc_per_split);
    child_args.flag("no-clip", tree.no_clip);
    child_args.flag("keep-duplicates", tree.keep_duplicates);
    child_args.flag("check-heap", arguments.check_heap);
    child_args
}
