//! The list of devices.

use serde::Serialize;

use super::Table;
use crate::backend::Device;
use crate::size::display;

/// A device, and what was measured of it.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceRow {
    /// The device.
    #[serde(flatten)]
    pub device: Device,
    /// GB a second, read and written, if that was asked for.
    pub copy_gb_per_s: Option<f64>,
}

/// A row a device.
pub fn device_table(rows: &[DeviceRow]) -> Table {
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
    for DeviceRow {
        device,
        copy_gb_per_s,
    } in rows
    {
        table.push(vec![
            device.backend.to_owned(),
            or_dash(device.device.map(|number| number.to_string())),
            device.name.clone(),
            device.processors.to_string(),
            or_dash(device.memory_bytes.map(display)),
            or_dash(device.compute_capability.clone()),
            or_dash(device.driver.clone()),
            or_dash(copy_gb_per_s.map(|rate| format!("{rate:.0}"))),
        ]);
    }
    table
}
