//! Builds of trees, alone, in comparisons, and of moving scenes.

use heapwood_results::build::{BuildOptions, BuilderKind};
use heapwood_results::compare::ComparedRow;
use heapwood_results::frames::FramesReport;
use heapwood_results::tree::TreeReport;
use heapwood_results::{Samples, Status};

use super::adder::{Adder, Row};
use crate::{Command, Section};

/// Adds a tree.
pub fn add(adder: &mut Adder, tree: TreeReport) {
    let runs = format!("--runs={}", tree.build_ms.samples.len().max(1));
    let kernels = tree.allocator.as_deref();
    let kernels = kernels.filter(|_| tree.builder == BuilderKind::Kernels);
    let mut command = match kernels {
        // A comparison builds by the kernels, one tree for each allocator.
        Some(allocator) => Command::new("compare kdtree").list("--allocators", allocator),
        None => Command::new("kdtree"),
    };
    command = command.word(&tree.scene).word(runs);
    command.words.extend(options(&tree.options));
    // Without a multiple the pool grew until it sufficed, or was given; a comparison grows it.
    let pool = tree.pool_bytes.filter(|_| kernels.is_some());
    let pool = pool.filter(|pool| tree.root_bytes > 0 && pool % tree.root_bytes == 0);
    command
        .words
        .extend(pool.map(|pool| format!("--pool={}x", pool / tree.root_bytes)));
    push(adder, &tree, command);
}

/// Adds a row of a comparison of trees of this scene.
pub fn add_compared(adder: &mut Adder, row: ComparedRow<TreeReport>, scene: &str) {
    let command = compared("kdtree", Some(scene), &row.options, &row.allocator);
    match &row.outcome.result {
        Some(tree) => push(adder, tree, command),
        None => failed(adder, Section::Trees, &row, command),
    }
}

fn push(adder: &mut Adder, tree: &TreeReport, command: Command) {
    let variant: String = options(&tree.options)
        .iter()
        .map(|option| format!(", {}", option.trim_start_matches("--")))
        .collect();
    let row = Row {
        section: Section::Trees,
        allocator: tree.allocator.as_deref().unwrap_or("no allocator (cores)"),
        device: &tree.device,
        meta: &tree.meta,
        status: Status::Ok,
        error: None,
        command,
        memory: tree.pool_high_water_bytes.map(|bytes| bytes as f64),
        hash: Some(&tree.tree_hash),
    };
    let case = format!("{}, {} triangles{variant}", tree.scene, tree.triangles);
    adder.time(&row, case, Some(&tree.build_ms), Vec::new());
}

/// Adds the trees of a moving scene.
pub fn add_frames(adder: &mut Adder, frames: FramesReport) {
    let mut command = Command::new("kdtree --frames");
    let scenes = frames.frames.iter().map(|frame| frame.scene.clone());
    command.words.extend(scenes);
    command.words.extend(options(&frames.options));
    command = command.word(format!("--allocator={}", frames.allocator));
    push_frames(adder, &frames, command);
}

/// Adds a row of a comparison of moving scenes.
pub fn add_compared_frames(adder: &mut Adder, row: ComparedRow<FramesReport>) {
    let command = compared("kdtree", None, &row.options, &row.allocator);
    match &row.outcome.result {
        Some(frames) => push_frames(adder, frames, command),
        None => failed(adder, Section::Frames, &row, command),
    }
}

fn push_frames(adder: &mut Adder, frames: &FramesReport, command: Command) {
    let row = Row {
        section: Section::Frames,
        allocator: &frames.allocator,
        device: &frames.device,
        meta: &frames.meta,
        status: Status::Ok,
        error: None,
        command,
        memory: frames.pool_high_water_bytes.map(|bytes| bytes as f64),
        hash: Some(&frames.trees_hash),
    };
    let medians = frames.frames.iter().map(|frame| frame.build_ms.median);
    let case = format!("a frame of {}", frames.name());
    adder.time(
        &row,
        case,
        Samples::new(medians.collect()).as_ref(),
        Vec::new(),
    );
}

/// The command of a comparison, whose options its rows have.
pub fn compared(work: &str, input: Option<&str>, options: &[String], allocator: &str) -> Command {
    let mut command = Command::new("compare").word(work);
    command.words.extend(input.map(str::to_owned));
    command.words.extend(options.iter().cloned());
    command.list("--allocators", allocator)
}

/// Adds a row of a comparison whose work failed. Of a comparison without any result the options are
/// all that is known of the work.
pub fn failed<R>(adder: &mut Adder, section: Section, row: &ComparedRow<R>, command: Command) {
    let case = match section {
        Section::Unknown => row.options.join(" "),
        _ => String::new(),
    };
    adder.failed(section, &row.allocator, &row.outcome, command, case);
}

/// The options that are not the default.
fn options(options: &BuildOptions) -> Vec<String> {
    let flags = [
        ("--alloc-per-split", options.alloc_per_split),
        ("--check-heap", options.check_heap),
        ("--no-clip", !options.clip),
    ];
    let costs = [
        ("--traversal-cost", options.traversal_cost, 1.0),
        ("--intersection-cost", options.intersection_cost, 2.0),
        ("--empty-bonus", options.empty_bonus, 0.2),
    ];
    let flags = flags.iter().filter(|(_, is_set)| *is_set);
    let mut words: Vec<String> = flags.map(|(flag, _)| (*flag).to_owned()).collect();
    let costs = costs.iter().filter(|(_, cost, usual)| cost != usual);
    words.extend(costs.map(|(option, cost, _)| format!("{option}={cost}")));
    words.extend(
        options
            .max_depth
            .map(|depth| format!("--max-depth={depth}")),
    );
    words
}
