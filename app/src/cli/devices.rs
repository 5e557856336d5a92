//! `heapwood devices`: what kernels can run on.

use clap::Args;
use serde::Serialize;

use super::complain;
use crate::backend::{BackendError, Choice, LAUNCH_LIMIT, Options};
use crate::report::{Format, Table, json};
use crate::size::display;
use crate::{Error, bandwidth, cuda, output, ptx};

/// Arguments of `heapwood devices`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Measure how fast each copies memory within itself
    #[arg(long)]
    bandwidth: bool,
    /// How to write the list
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A device; what does not apply is null.
#[derive(Serialize)]
struct Device {
    backend: &'static str,
    device: Option<u32>,
    name: String,
    processors: u32,
    memory_bytes: Option<u64>,
    compute_capability: Option<String>,
    driver: Option<String>,
    uuid: Option<String>,
    /// GB a second, read and written, if that was asked for.
    copy_gb_per_s: Option<f64>,
}

/// Lists the CPU and every GPU; says on the standard error why there is none.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let cpu = Options {
        choice: Choice::Cpu,
        device: 0,
        threads: None,
        limit: LAUNCH_LIMIT,
    };
    let cpu = cpu.info()?;
    let mut devices = vec![Device {
        backend: "cpu",
        device: None,
        name: cpu.device,
        processors: cpu.processors,
        memory_bytes: None,
        compute_capability: None,
        driver: None,
        uuid: None,
        copy_gb_per_s: arguments.bandwidth.then(bandwidth::of_host),
    }];
    match cuda::devices() {
        Ok(found) => devices.extend(found.into_iter().map(|properties| Device {
            backend: "cuda",
            device: Some(properties.ordinal),
            name: properties.name,
            processors: properties.multiprocessors,
            memory_bytes: Some(properties.total_memory),
            compute_capability: Some(format!(
                "{}.{}",
                properties.compute_capability.0, properties.compute_capability.1
            )),
            driver: properties.driver_release,
            uuid: Some(properties.uuid),
            copy_gb_per_s: None,
        })),
        Err(why) => complain("note", &why),
    }
    if arguments.bandwidth {
        for device in &mut devices {
            if let Some(ordinal) = device.device {
                let measured = bandwidth::of_gpu(ordinal).map_err(BackendError::from)?;
                device.copy_gb_per_s = Some(measured);
            }
        }
    }
    if !ptx::is_embedded() {
        complain("note", &BackendError::NoDeviceCode);
    }
    output::print(&match arguments.format {
        Format::Json => json(&devices)?,
        Format::Table => table(&devices).text(),
        Format::Csv => table(&devices).csv(),
        Format::Markdown => table(&devices).markdown(),
    })
}

fn table(devices: &[Device]) -> Table {
    let mut table = Table::new(&[
        "backend",
        "#device",
        "name",
        "#processors",
        "#memory",
        "#capability",
        "driver",
        "#copy GB/s",
    ]);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for device in devices {
        table.push(vec![
            device.backend.to_owned(),
            or_dash(device.device.map(|number| number.to_string())),
            device.name.clone(),
            device.processors.to_string(),
            or_dash(device.memory_bytes.map(display)),
            or_dash(device.compute_capability.clone()),
            or_dash(device.driver.clone()),
            or_dash(device.copy_gb_per_s.map(|rate| format!("{rate:.0}"))),
        ]);
    }
    table
}
