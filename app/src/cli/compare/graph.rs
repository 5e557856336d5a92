//! `heapwood compare graph`: a graph over a set of allocators and layouts.

use clap::Args;

use super::super::cases::ListArguments;
use super::super::graph::{check, parse_layout};
use super::super::progress::TerminalProgress;
use super::super::tree::{CheckArguments, refuse_coalesce};
use super::{ComparisonArguments, sensitivity};
use crate::Error;
use crate::allocators::Spec;
use crate::graph::Layout;
use crate::graph::algorithms::Saves;
use crate::job::{GraphJob, StorageOptions, WorkOptions};
use crate::report::compare::{GraphRow, Origin, standing};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood compare graph gen:road,vertices=2^16 --insert 10000 --layouts contiguous,linked
  heapwood compare graph gen:mesh,vertices=2^16 --insert 100000 --resume mesh.json -o mesh.json";

/// Arguments of `heapwood compare graph`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    allocators: ListArguments,
    /// Storage of neighbours: contiguous, linked or both
    ///
    /// A comma separates the two.
    #[arg(long, help_heading = "Allocator", value_parser = parse_layout, value_name = "LIST", value_delimiter = ',', default_value = "contiguous")]
    layouts: Vec<Layout>,
    #[command(flatten)]
    check: CheckArguments,
    #[command(flatten)]
    sides: ComparisonArguments,
}

/// Keeps the graph over each allocator in each layout, and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = arguments.allocators.parse()?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let work = &arguments.work;
    check(work, &Saves::default())?;
    arguments.sides.check_files(work.files())?;
    let context = arguments.sides.open(&specs)?;
    // As for trees: every process reads the graph, and notes appear once.
    let mut progress = TerminalProgress::new(&[]);
    let (graph, hash) = work.input.look(context.earlier.is_some(), &mut progress)?;
    let backend = arguments.sides.decide(&specs)?;
    let job = |(spec, layout): (&Spec, Layout)| GraphJob {
        work: work.clone(),
        storage: StorageOptions {
            allocator: spec.clone(),
            check_heap: arguments.check.heap,
            layout,
        },
        backend: backend.over(spec),
    };
    let origin = Origin::new(
        graph.clone(),
        hash,
        Some(work.updates.seed),
        &backend.info()?,
    );
    if arguments.sides.sensitivity {
        let [layout] = arguments.layouts[..] else {
            let why = "--sensitivity is measured in one layout: name one in --layouts";
            return Err(Error::Usage(why.to_owned()));
        };
        return sensitivity::run(context, &specs, |spec| job((spec, layout)), &origin);
    }
    let of = |spec| arguments.layouts.iter().map(move |&layout| (spec, layout));
    let places: Vec<(&Spec, Layout)> = specs.iter().flat_map(of).collect();
    let jobs = places.iter().map(|&(spec, layout)| {
        let name = format!("{spec}, {}", layout.name());
        (name, job((spec, layout)))
    });
    let row = |place: usize, options, outcome| GraphRow {
        graph: graph.clone(),
        allocator: places[place].0.to_string(),
        layout: places[place].1.name().to_owned(),
        standing: standing(places[place].0),
        options,
        outcome,
    };
    context.run(jobs.collect(), row, &origin)
}
