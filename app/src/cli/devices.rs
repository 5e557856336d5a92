//! `heapwood devices`: what kernels can run on.

use clap::Args;
use serde::Serialize;

use super::complain;
use crate::backend::{Choice, LAUNCH_LIMIT, Options};
use crate::report::{Format, Table, json};
use crate::size::display;
use crate::{Error, cuda, output, ptx};

/// Arguments of `heapwood devices`.
#[derive(Debug, Args)]
pub struct Arguments {
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
}

/// Lists the CPU and every GPU; says on the standard error why there is none.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let cpu = Options {
        choice: Choice::Cpu,
        device: 0,
        threads: None,
        limit: LAUNCH_LIMIT,
    };
    let cpu = cpu.facts()?;
    let mut devices = vec![Device {
        backend: "cpu",
        device: None,
        name: cpu.device,
        processors: cpu.processors,
        memory_bytes: None,
        compute_capability: None,
        driver: None,
        uuid: None,
    }];
    match cuda::devices() {
        Ok(found) => devices.extend(found.into_iter().map(|facts| Device {
            backend: "cuda",
            device: Some(facts.ordinal),
            name: facts.name,
            processors: facts.multiprocessors,
            memory_bytes: Some(facts.total_memory),
            compute_capability: Some(format!(
                "{}.{}",
                facts.compute_capability.0, facts.compute_capability.1
            )),
            driver: facts.driver_release,
            uuid: Some(facts.uuid),
        })),
        Err(why) => complain("note", &why),
    }
    if !ptx::is_embedded() {
        complain("note", &crate::backend::BackendError::NoDeviceCode);
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
        ]);
    }
    table
}
