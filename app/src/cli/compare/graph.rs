//! `heapwood compare graph`: a graph over a set of allocators and layouts.

use clap::Args;

use super::super::common::{Passed, read_apart, write};
use super::super::graph::{WorkArguments, parse_layout};
use super::super::tree::refuse_coalesce;
use super::Sides;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::graph::Layout;
use crate::report::compare::{GraphRow, graph_table};
use crate::workload::compare::{Case, verdict};

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

/// Keeps the graph over each allocator in each layout, and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let work = &arguments.work;
    work.check()?;
    read_apart(work.files(), &[arguments.sides.output.as_deref()])?;
    let (file, format) = arguments.sides.open()?;
    // As for trees: every process reads the graph, what is odd is said once.
    let graph = work.input.look()?;

    let isolated = arguments.sides.isolated(work.input.file.words())?;

    let choices = || {
        let of = |spec| arguments.layouts.iter().map(move |&layout| (spec, layout));
        specs.iter().flat_map(of)
    };
    let name = |(spec, layout): (&Spec, Layout)| format!("{spec}, {}", layout.name());
    let case = |choice: (&Spec, Layout)| {
        let command = command(choice, arguments);
        let (graph, isolated) = (graph.clone(), &isolated);
        let (allocator, layout) = (choice.0.to_string(), choice.1.name());
        let work = move || {
            Ok(GraphRow {
                graph,
                allocator,
                layout,
                outcome: isolated.run(command)?,
            })
        };
        Case::new(name(choice), work)
    };
    let rows = arguments.sides.run(choices().map(case).collect())?;
    write(file, &format.write(&rows, graph_table)?)?;
    let names: Vec<String> = choices().map(name).collect();
    let outcomes = rows.iter().map(|row| &row.outcome);
    let outcomes = names.iter().map(String::as_str).zip(outcomes);
    verdict(outcomes, "ended with different graphs", |graph| {
        &graph.graph_hash
    })
}

/// `heapwood graph` for an allocator and a layout, without the file.
fn command((spec, layout): (&Spec, Layout), arguments: &Arguments) -> Passed {
    let mut passed = Passed(vec!["graph".into()]);
    passed.option("allocator", Some(spec));
    passed.option("layout", Some(layout.name()));
    passed.flag("check-heap", arguments.check_heap);
    arguments.work.forward(&mut passed);
    passed
}
