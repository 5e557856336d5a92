//! The devices that kernels can run on, as rows of results.

use heapwood_results::devices::DeviceRow;

use super::{Backend, BackendError, Cpu, bandwidth};
use crate::cuda::{self, DeviceProperties};

/// The CPU with a worker a core.
///
/// # Errors
///
/// When the workers cannot be started.
pub fn cpu() -> Result<DeviceRow, BackendError> {
    let info = Cpu::new()?.info();
    Ok(DeviceRow {
        backend: info.backend.to_owned(),
        device: None,
        name: info.device,
        processors: info.processors,
        memory_bytes: None,
        compute_capability: None,
        driver: None,
        uuid: None,
        copy_gb_per_s: None,
    })
}

/// Every GPU.
///
/// # Errors
///
/// Why there is none.
pub fn gpus() -> Result<Vec<DeviceRow>, BackendError> {
    Ok(cuda::devices()?.into_iter().map(gpu).collect())
}

fn gpu(properties: DeviceProperties) -> DeviceRow {
    let (major, minor) = properties.compute_capability;
    DeviceRow {
        backend: "cuda".to_owned(),
        device: Some(properties.ordinal),
        name: properties.name,
        processors: properties.multiprocessors,
        memory_bytes: Some(properties.total_memory),
        compute_capability: Some(format!("{major}.{minor}")),
        driver: properties.driver_release,
        uuid: Some(properties.uuid),
        copy_gb_per_s: None,
    }
}

/// Measures how fast memory is copied within a device.
///
/// # Errors
///
/// Too little free memory, and faults of the driver.
pub fn measure_copy(row: &mut DeviceRow) -> Result<(), BackendError> {
    row.copy_gb_per_s = Some(match row.device {
        None => bandwidth::of_host(),
        Some(ordinal) => bandwidth::of_gpu(ordinal)?,
    });
    Ok(())
}
