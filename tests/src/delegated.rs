//! Backends that do what another one does, with something added.

/// The methods of a backend that a field of it answers: all that launch nothing and allocate
/// nothing.
#[macro_export]
macro_rules! delegated {
    ($field:tt) => {
        fn info(&self) -> heapwood::backend::DeviceInfo {
            self.$field.info()
        }

        fn solo_workers(&self) -> u32 {
            self.$field.solo_workers()
        }

        fn free_memory(&self) -> Result<u64, heapwood::backend::BackendError> {
            self.$field.free_memory()
        }

        fn registers(
            &self,
            kernel: heapwood_device::launch::KernelId,
            allocator: &'static heapwood_device::host::HostAllocator,
        ) -> Result<Option<(u32, u32)>, heapwood::backend::BackendError> {
            self.$field.registers(kernel, allocator)
        }
    };
}
