//! `heapwood compare graph`: a graph over a set of allocators and layouts.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::super::common::{Passed, different_files};
use super::super::graph::{WorkArguments, parse_layout};
use super::super::tree::refuse_coalesce;
use super::{Case, Sides, cell};
use crate::Error;
use crate::allocators::{self, Spec};
use crate::graph::Layout;
use crate::report::graph::GraphReport;
use crate::report::{Table, milliseconds};
use crate::size::display;

/// Arguments of `heapwood compare graph`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    work: WorkArguments,
    /// Allocators with their parameters, separated by commas: `all` for each of them, `published`
    /// for their published forms
    #[arg(long, value_name = "LIST", default_value = "all")]
    allocators: String,
    /// How the neighbours of a vertex are kept: contiguous, linked, or both with a comma
    #[arg(long, value_parser = parse_layout, value_name = "LIST", value_delimiter = ',', default_value = "contiguous")]
    layouts: Vec<Layout>,
    /// Check every block for double frees and writes past its end
    #[arg(long)]
    check_heap: bool,
    #[command(flatten)]
    sides: Sides,
}

/// A case and what became of it.
#[derive(Serialize)]
struct Row {
    graph: String,
    allocator: String,
    layout: &'static str,
    #[serde(flatten)]
    case: Case<GraphReport>,
}

/// Keeps the graph over each allocator in each layout, and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let work = &arguments.work;
    work.check()?;
    let output = &arguments.sides.output;
    for read in work.files() {
        let all = std::iter::once(read).chain(output);
        different_files(all.map(PathBuf::as_path))?;
    }
    let file = arguments.sides.open()?;
    // As for trees: every process reads the graph, what is odd is said once.
    let graph = work.input.look()?;

    let cases = || {
        let of = |spec| arguments.layouts.iter().map(move |&layout| (spec, layout));
        specs.iter().flat_map(of)
    };
    let name = |(spec, layout): (&Spec, Layout)| format!("{spec}, {}", layout.name());
    let commands = cases().map(|case| (name(case), command(case, arguments)));
    let results = arguments.sides.run(commands.collect(), &work.input.file)?;

    let rows: Vec<Row> = cases()
        .zip(results)
        .map(|((spec, layout), case)| Row {
            graph: graph.clone(),
            allocator: spec.to_string(),
            layout: layout.name(),
            case,
        })
        .collect();
    super::write(file, &rows, table)?;
    let names: Vec<String> = cases().map(name).collect();
    let named = names.iter().zip(&rows);
    let named = named.map(|(name, row)| (name.as_str(), &row.case));
    super::verdict(named, "ended with different graphs", |graph| {
        &graph.graph_hash
    })
}

/// The arguments of `heapwood graph` for a case, without the file.
fn command((spec, layout): (&Spec, Layout), arguments: &Arguments) -> Vec<OsString> {
    let mut passed = Passed(vec!["graph".into()]);
    passed.option("allocator", Some(spec));
    passed.option("layout", Some(layout.name()));
    passed.flag("check-heap", arguments.check_heap);
    arguments.work.forward(&mut passed);
    passed.0
}

/// A row a case; times in milliseconds, updates in millions of edges a second.
fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "layout",
        "#load ms",
        "#slowest M/s",
        "#fastest M/s",
        "#pagerank ms",
        "#triangles ms",
        "#blocks",
        "#most",
        "#pool",
        "status",
    ]);
    for row in rows {
        let result = row.case.result.as_ref();
        let speeds = || {
            let updates = result.into_iter().flat_map(|result| &result.updates);
            updates.filter_map(|update| update.per_second)
        };
        let speed = |speed: Option<f64>| cell(speed.map(|speed| format!("{:.1}", speed * 1e-6)));
        let bytes = |of: fn(&GraphReport) -> u64| cell(result.map(|result| display(of(result))));
        let pagerank = result.and_then(|result| result.algorithms.ranks.as_ref());
        let triangles = result.and_then(|result| result.algorithms.triangles.as_ref());
        table.push(vec![
            row.allocator.clone(),
            row.layout.to_owned(),
            cell(result.map(|result| milliseconds(result.init_ms.median))),
            speed(speeds().reduce(f64::min)),
            speed(speeds().reduce(f64::max)),
            cell(pagerank.map(|ranks| milliseconds(ranks.ms.median))),
            cell(triangles.map(|count| milliseconds(count.ms.median))),
            bytes(|result| result.memory.allocated_bytes),
            bytes(|result| result.memory.high_water_bytes),
            bytes(|result| result.pool_bytes),
            row.case.status(),
        ]);
    }
    table
}
