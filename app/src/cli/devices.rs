//! `heapwood devices`: what kernels can run on.

use clap::Args;

use super::complain;
use super::hints::explain;
use crate::backend::{BackendError, devices};
use crate::report::{self, Format};
use crate::{Error, output, ptx};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood devices
  heapwood devices --bandwidth --format json";

/// Arguments of `heapwood devices`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Measure the copy bandwidth of each device's memory
    #[arg(long)]
    bandwidth: bool,
    /// Format: text, json, csv or markdown
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        default_value_t
    )]
    format: Format,
}

/// Lists the CPU and every GPU; says on the standard error why there is none.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let mut rows = vec![devices::cpu()?];
    match devices::gpus() {
        Ok(found) => rows.extend(found),
        Err(why) => complain("note", &explain(&why.into())),
    }
    if arguments.bandwidth {
        rows.iter_mut().try_for_each(devices::measure_copy)?;
    }
    if !ptx::is_embedded() {
        complain("note", &explain(&BackendError::NoDeviceCode.into()));
    }
    output::print(&report::write(arguments.format, &rows[..])?)
}
