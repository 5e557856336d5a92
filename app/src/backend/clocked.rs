//! A backend with known times and failures, for tests of the code that handles them.

use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;

use super::{Backend, BackendError, Cpu, DeviceInfo, Launch, Memory};

/// The CPU, with a time of `ms` for each part of a launch, or a failure.
pub struct Clocked {
    cpu: Cpu,
    ms: Result<f64, BackendError>,
    /// An action after each launch.
    after: fn(&Launch),
}

impl Clocked {
    /// One worker.
    pub fn new(ms: Result<f64, BackendError>) -> Self {
        let cpu = Cpu::with_threads(1).unwrap();
        let after = |_: &Launch| ();
        Self { cpu, ms, after }
    }

    /// One worker, which changes what launches have left.
    pub fn changing(after: fn(&Launch)) -> Self {
        let ms = Ok(1.0);
        Self {
            after,
            ..Self::new(ms)
        }
    }
}

impl Backend for Clocked {
    fn info(&self) -> DeviceInfo {
        self.cpu.info()
    }

    fn solo_workers(&self) -> u32 {
        self.cpu.solo_workers()
    }

    fn free_memory(&self) -> Result<u64, BackendError> {
        self.cpu.free_memory()
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.cpu.allocate(bytes)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let ms = self.ms.clone()?;
        // SAFETY: the caller's promise.
        unsafe { self.cpu.launch_parts(parts)? };
        parts.iter().copied().flatten().for_each(self.after);
        Ok(vec![ms; parts.len()])
    }

    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        self.cpu.registers(kernel, allocator)
    }
}
