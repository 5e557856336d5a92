//! `heapwood compare kdtree`: the build of a tree over a set of allocators.

use clap::Args;

use super::super::cases::ListArguments;
use super::super::complain;
use super::super::progress::TerminalProgress;
use super::super::tree::{CheckArguments, ScenesArguments, refuse_coalesce};
use super::{ComparisonArguments, ComparisonContext, sensitivity};
use crate::Error;
use crate::allocators::Spec;
use crate::job::{DelayedJob, FramesJob, TreeJob, TreeOptions, load_frames, load_scene};
use crate::report::Report;
use crate::report::compare::{ComparedRow, Origin, standing};
use crate::report::frames::{hash_of, name_of};
use crate::tree::TreeError;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood compare kdtree scenes/data/courtyard.obj --allocators cfmalloc,gallatin
  heapwood compare kdtree gen:terrain --reference cfmalloc -o terrain.json --resume terrain.json";

/// Arguments of `heapwood compare kdtree`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("runs", |runs| runs.help("Timed builds")))]
pub struct Arguments {
    #[command(flatten)]
    scenes: ScenesArguments,
    #[command(flatten)]
    allocators: ListArguments,
    #[command(flatten)]
    check: CheckArguments,
    #[command(flatten)]
    tree: TreeOptions,
    #[command(flatten)]
    sides: ComparisonArguments,
}

/// Builds over each allocator in a process of its own and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = arguments.allocators.parse()?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let Some(scene) = &arguments.scenes.scene else {
        return frames(arguments, specs);
    };
    let targets = [arguments.sides.output.as_deref()];
    arguments.sides.check_files(scene.file())?;
    let context = arguments.sides.open(&specs)?;
    // Every process reads the scene; here it is made sure that it can be read, and warnings
    // appear once.
    let mut progress = TerminalProgress::new(&targets);
    let (loaded, _) = load_scene(scene, arguments.tree.keep_duplicates, &mut progress)?;
    let (name, hash) = (loaded.name().to_owned(), loaded.input_hash());
    drop(loaded);
    let backend = arguments.sides.decide(&specs)?;
    let job = |spec: &Spec| TreeJob {
        scene: scene.clone(),
        allocator: Some(spec.clone()),
        check_heap: arguments.check.heap,
        runs: arguments.scenes.runs,
        verify: false,
        tree: arguments.tree.clone(),
        backend: backend.over(spec),
    };
    compare(
        arguments,
        context,
        &specs,
        job,
        &Origin::new(name, Some(hash), None, &backend.info()?),
    )
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
    let mut progress = TerminalProgress::new(&targets);
    let frames = load_frames(sources, arguments.tree.keep_duplicates, &mut progress)?;
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
    let backend = arguments.sides.decide(&specs)?;
    let job = |spec: &Spec| FramesJob {
        frames: sources.clone(),
        allocator: spec.clone(),
        check_heap: arguments.check.heap,
        runs: arguments.scenes.runs,
        verify: false,
        tree: arguments.tree.clone(),
        backend: backend.over(spec),
    };
    compare(
        arguments,
        context,
        &specs,
        job,
        &Origin::new(name, Some(hash), None, &backend.info()?),
    )
}

/// Runs the same job over each allocator.
fn compare<J: DelayedJob>(
    arguments: &Arguments,
    context: ComparisonContext,
    specs: &[Spec],
    job: impl Fn(&Spec) -> J,
    origin: &Origin,
) -> Result<(), Error>
where
    [ComparedRow<J::Report>]: Report,
{
    if arguments.sides.sensitivity {
        return sensitivity::run(context, specs, job, origin);
    }
    let jobs = specs.iter().map(|spec| (spec.to_string(), job(spec)));
    let row = |place: usize, options, outcome| ComparedRow {
        allocator: specs[place].to_string(),
        standing: standing(&specs[place]),
        options,
        outcome,
    };
    context.run(jobs.collect(), row, origin)
}
