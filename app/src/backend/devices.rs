//! The devices that kernels can run on.

use super::{Backend, BackendError, Cpu, bandwidth};
use crate::cuda::{self, DeviceProperties};

/// The CPU or a GPU; what does not apply is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its backend: `cpu` or `cuda`.
    pub backend: &'static str,
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
}

impl Device {
    /// The CPU with a worker a core.
    ///
    /// # Errors
    ///
    /// When the workers cannot be started.
    pub fn cpu() -> Result<Self, BackendError> {
        let info = Cpu::new()?.info();
        Ok(Self {
            backend: info.backend,
            device: None,
            name: info.device,
            processors: info.processors,
            memory_bytes: None,
            compute_capability: None,
            driver: None,
            uuid: None,
        })
    }

    /// Every GPU.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn gpus() -> Result<Vec<Self>, BackendError> {
        Ok(cuda::devices()?.into_iter().map(Self::gpu).collect())
    }

    fn gpu(properties: DeviceProperties) -> Self {
        let (major, minor) = properties.compute_capability;
        Self {
            backend: "cuda",
            device: Some(properties.ordinal),
            name: properties.name,
            processors: properties.multiprocessors,
            memory_bytes: Some(properties.total_memory),
            compute_capability: Some(format!("{major}.{minor}")),
            driver: properties.driver_release,
            uuid: Some(properties.uuid),
        }
    }

    /// How fast memory is copied within it: GB a second, read and written.
    ///
    /// # Errors
    ///
    /// Too little free memory, and faults of the driver.
    pub fn copy_gb_per_s(&self) -> Result<f64, BackendError> {
        match self.device {
            None => Ok(bandwidth::of_host()),
            Some(ordinal) => Ok(bandwidth::of_gpu(ordinal)?),
        }
    }
}
