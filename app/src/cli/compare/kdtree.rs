//! `heapwood compare kdtree`: the build of a tree over a set of allocators.

use std::ffi::OsString;

use clap::Args;
use serde::Serialize;

use super::super::common::{Passed, different_files, load_scene};
use super::super::tree::{TreeArguments, refuse_coalesce};
use super::{Case, Sides, cell};
use crate::Error;
use crate::allocators::{self, Spec};
use crate::report::{Table, TreeReport, milliseconds};
use crate::size::display;

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

/// An allocator's result; the ratio is to AtomicMalloc, if that succeeded.
#[derive(Serialize)]
struct Row {
    allocator: String,
    ratio: Option<f64>,
    #[serde(flatten)]
    case: Case<TreeReport>,
}

/// The allocator that the others are compared with.
const BASE: &str = "atomicmalloc";

/// Builds over each allocator in a process of its own and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let scene = &arguments.tree.scene;
    let output = arguments.sides.output.as_deref();
    different_files([scene.as_path()].into_iter().chain(output))?;
    let file = arguments.sides.open()?;
    // Every process reads the scene; that it can be read is known, and what
    // is odd about it said, once.
    drop(load_scene(scene, arguments.tree.keep_duplicates)?);
    let commands = specs.iter().map(|spec| {
        let command = command(spec, arguments);
        (spec.to_string(), command)
    });
    let cases = arguments.sides.run(commands.collect(), scene)?;

    let mut rows: Vec<Row> = specs
        .iter()
        .zip(cases)
        .map(|(spec, case)| Row {
            allocator: spec.to_string(),
            ratio: None,
            case,
        })
        .collect();
    set_ratios(&mut rows);
    super::write(file, &rows, table)?;
    let cases = rows.iter().map(|row| (row.allocator.as_str(), &row.case));
    super::verdict(cases, "built different trees", |tree| &tree.tree_hash)
}

/// The arguments of `heapwood kdtree` for one allocator, without the scene.
fn command(spec: &Spec, arguments: &Arguments) -> Vec<OsString> {
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
    passed.0
}

fn set_ratios(rows: &mut [Row]) {
    let time = |row: &Row| {
        row.case
            .result
            .as_ref()
            .map(|result| result.build_ms.median)
    };
    let Some(base) = rows.iter().find(|row| row.allocator == BASE).and_then(time) else {
        return;
    };
    for row in rows {
        row.ratio = time(row).map(|median| median / base);
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "#build ms",
        "#ratio",
        "#pool",
        "#used",
        "#internal",
        "#external",
        "status",
    ]);
    for row in rows {
        let result = row.case.result.as_ref();
        table.push(vec![
            row.allocator.clone(),
            cell(result.map(|result| milliseconds(result.build_ms.median))),
            cell(row.ratio.map(|ratio| format!("{ratio:.2}"))),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.map(|result| display(result.pool_high_water_bytes))),
            cell(result.map(|result| format!("{:.4}", result.internal_fragmentation))),
            cell(
                result
                    .and_then(|result| result.external_fragmentation)
                    .map(|part| format!("{part:.4}")),
            ),
            row.case.status(),
        ]);
    }
    table
}
