//! `heapwood allocators`: what there is to compare.

use clap::Args;

use super::common::LinkArguments;
use crate::allocators::{Spec, external, short_form, with_forms};
use crate::backend::Options;
use crate::report::allocators::{allocator_prose, allocator_row};
use crate::report::{self, Format};
use crate::workload::micro::{Costs, allocator_costs};
use crate::{Error, output};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood allocators
  heapwood allocators gallatin --backend cpu";

/// Arguments of `heapwood allocators`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Describe this allocator: its algorithm and the cost of its calls
    name: Option<String>,
    /// Format: text, json, csv or markdown
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        default_value_t
    )]
    format: Format,
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    backend: Options,
}

/// Lists every allocator and the user's, or one.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.name.as_deref().map(Spec::parse).transpose()?;
    arguments.link.check_use(spec.as_ref())?;
    let named = spec.as_ref().map(|spec| spec.allocator);
    let backend = arguments.link.decide(&arguments.backend, None)?.open()?;
    let listed = match named {
        Some(allocator) => vec![allocator],
        None => with_forms().chain(external()).collect(),
    };
    let rows = listed
        .into_iter()
        .map(|allocator| {
            let costs = match allocator.properties.external && arguments.link.is_empty() {
                true => Costs::UNKNOWN,
                false => allocator_costs(allocator, &*backend)?,
            };
            Ok(allocator_row(allocator, costs))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let list = report::write(arguments.format, &rows[..])?;
    if arguments.format != Format::Text {
        return output::print(&list);
    }
    let short = named.and_then(|allocator| short_form(allocator.description.name));
    let short = short.map_or(String::new(), |text| format!("\n{text}"));
    output::print(&format!("{}{short}\n{list}", allocator_prose(&rows)))
}
