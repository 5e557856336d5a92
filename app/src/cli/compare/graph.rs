//! `heapwood compare graph`: a graph over a set of allocators and layouts.

use clap::Args;

use super::super::common::ChildArgs;
use super::super::graph::{WorkArguments, parse_layout};
use super::super::tree::refuse_coalesce;
use super::ComparisonArguments;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::graph::Layout;
use crate::graph::algorithms::Saves;
use crate::report::compare::{GraphRow, Origin, standing};
use crate::workload::compare::Case;

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
    work: WorkArguments,
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
    /// Storage of neighbours: contiguous, linked or both
    ///
    /// A comma separates the two.
    #[arg(long, help_heading = "Allocator", value_parser = parse_layout, value_name = "LIST", value_delimiter = ',', default_value = "contiguous")]
    layouts: Vec<Layout>,
    /// Check every block for double frees and writes past its end
    #[arg(long, help_heading = "Allocator", hide_short_help = true)]
    check_heap: bool,
    #[command(flatten)]
    sides: ComparisonArguments,
}

/// Keeps the graph over each allocator in each layout, and writes the table.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let work = &arguments.work;
    work.check(&Saves::default())?;
    arguments.sides.check_files(work.files())?;
    let context = arguments.sides.open(&specs)?;
    // As for trees: every process reads the graph, what is odd is said once.
    let (graph, hash) = work.input.look(context.earlier.is_some())?;
    let mut options = ChildArgs::default();
    options.flag("check-heap", arguments.check_heap);
    work.forward(&mut options);
    let common = arguments
        .sides
        .common(&specs, options, Some(work.input.file.words()))?;

    let case = |(spec, layout): (&Spec, Layout)| {
        let (allocator, layout) = (spec.to_string(), layout.name().to_owned());
        let mut command = ChildArgs(vec!["graph".into()]);
        command.option("allocator", Some(&allocator));
        common.link.forward(spec, &mut command);
        command.option("layout", Some(&layout));
        let (common, graph) = (&common, graph.clone());
        let standing = standing(spec);
        Case::new(format!("{allocator}, {layout}"), move || {
            Ok(GraphRow {
                graph,
                allocator,
                layout,
                standing,
                options: common.options(),
                outcome: common.run(command)?,
            })
        })
    };
    let of = |spec| arguments.layouts.iter().map(move |&layout| (spec, layout));
    let cases = specs.iter().flat_map(of).map(case).collect();
    let seed = Some(work.updates.seed);
    context.run(cases, &common, || {
        Origin::new(graph.clone(), hash, seed, &common.info)
    })
}
