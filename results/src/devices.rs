//! The list of devices.

use serde::{Deserialize, Serialize};

use crate::cells::or_dash;
use crate::{Report, Table, display};

/// A device, and what was measured of it; what does not apply is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRow {
    /// Its backend: `cpu` or `cuda`.
    pub backend: String,
    /// The number of a GPU.
    pub device: Option<u32>,
    /// The product.
    pub name: String,
    /// Multiprocessors, or worker threads.
    pub processors: u32,
    /// Memory of its own, in bytes.
    pub memory_bytes: Option<u64>,
    /// Major and minor version, with a dot.
    pub compute_capability: Option<String>,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// The identity of a GPU, as `nvidia-smi -L` prints it.
    pub uuid: Option<String>,
    /// GB a second, read and written, if that was asked for.
    pub copy_gb_per_s: Option<f64>,
}

impl Report for [DeviceRow] {
    fn table(&self) -> Table {
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
        for row in self {
            table.push(vec![
                row.backend.clone(),
                or_dash(row.device.map(|number| number.to_string())),
                row.name.clone(),
                row.processors.to_string(),
                or_dash(row.memory_bytes.map(display)),
                or_dash(row.compute_capability.clone()),
                or_dash(row.driver.clone()),
                or_dash(row.copy_gb_per_s.map(|rate| format!("{rate:.0}"))),
            ]);
        }
        table
    }
}
