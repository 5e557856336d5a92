//! `heapwood devices`: what kernels can run on.

use clap::Args;

use super::complain;
use crate::backend::{BackendError, Device};
use crate::report::{self, DeviceRow, Format};
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
    let mut devices = vec![Device::cpu()?];
    match Device::gpus() {
        Ok(found) => devices.extend(found),
        Err(why) => complain("note", &why),
    }
    let row = |device: Device| -> Result<DeviceRow, BackendError> {
        let rate = arguments.bandwidth.then(|| device.copy_gb_per_s());
        Ok(DeviceRow {
            copy_gb_per_s: rate.transpose()?,
            backend: device.backend.to_owned(),
            device: device.device,
            name: device.name,
            processors: device.processors,
            memory_bytes: device.memory_bytes,
            compute_capability: device.compute_capability,
            driver: device.driver,
            uuid: device.uuid,
        })
    };
    let rows = devices.into_iter().map(row);
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    if !ptx::is_embedded() {
        complain("note", &BackendError::NoDeviceCode);
    }
    output::print(&report::write(arguments.format, &rows[..])?)
}
