//! `heapwood compare kdtree`: the build of a tree over a set of allocators.

use clap::Args;

use super::super::common::{Passed, load_scene, read_apart, write};
use super::super::tree::{TreeArguments, refuse_coalesce};
use super::Sides;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::report::compare::{TreeRow, set_ratios, tree_table};
use crate::workload::compare::{Case, verdict};

/// Arguments of `heapwood compare kdtree`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeArguments,
    /// Allocators with their parameters, separated by commas: `all` for each of them, `published`
    /// for their published forms
    #[arg(long, value_name = "LIST", default_value = "all")]
    allocators: String,
    /// Check every block for double frees and writes past its end
    #[arg(long)]
    check_heap: bool,
    /// Timed builds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 5)]
    runs: u32,
    #[command(flatten)]
    sides: Sides,
}

/// Builds over each allocator in a process of its own and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let scene = &arguments.tree.scene;
    read_apart(scene.file(), &[arguments.sides.output.as_deref()])?;
    let (file, format) = arguments.sides.open()?;
    // Every process reads the scene; that it can be read is known, and what
    // is odd about it said, once.
    drop(load_scene(scene, arguments.tree.keep_duplicates)?);
    let isolated = arguments.sides.isolated(scene.words())?;
    let case = |spec: &Spec| {
        let (name, command, isolated) = (spec.to_string(), command(spec, arguments), &isolated);
        let allocator = name.clone();
        Case::new(name, move || {
            Ok(TreeRow::new(allocator, isolated.run(command)?))
        })
    };
    let mut rows = arguments.sides.run(specs.iter().map(case).collect())?;
    set_ratios(&mut rows);
    write(file, &format.write(&rows, tree_table)?)?;
    let outcomes = rows.iter();
    let outcomes = outcomes.map(|row| (row.allocator.as_str(), &row.outcome));
    verdict(outcomes, "built different trees", |tree| &tree.tree_hash)
}

/// `heapwood kdtree` for one allocator, without the scene.
fn command(spec: &Spec, arguments: &Arguments) -> Passed {
    let tree = &arguments.tree;
    let mut passed = Passed(vec!["kdtree".into()]);
    passed.option("allocator", Some(spec));
    passed.option("runs", Some(arguments.runs));
    passed.option("pool", Some(tree.pool));
    passed.option("traversal-cost", Some(tree.traversal_cost));
    passed.option("intersection-cost", Some(tree.intersection_cost));
    passed.option("empty-bonus", Some(tree.empty_bonus));
    passed.option("finish", Some(tree.finish));
    passed.option("max-depth", tree.max_depth);
    passed.flag("alloc-per-split", tree.alloc_per_split);
    passed.flag("no-clip", tree.no_clip);
    passed.flag("keep-duplicates", tree.keep_duplicates);
    passed.flag("check-heap", arguments.check_heap);
    passed
}
