//! Memory that kernels work on, of any backend.

use bytemuck::{AnyBitPattern, NoUninit};

use super::{Backend, BackendError};

/// Memory as a backend allocates it; freed on drop.
///
/// Kernels may change it at any time, so it is never lent, only copied from and to.
pub trait Allocation: Send + Sync {
    /// Where it begins: what a kernel gets. Only kernels may follow it.
    fn address(&self) -> *mut u8;

    /// Its size in bytes.
    fn bytes(&self) -> u64;

    /// Sets at least its first `bytes` bytes to 0, after the kernels launched before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    fn zero_front(&self, bytes: u64) -> Result<(), BackendError>;

    /// Copies `bytes` to `offset` bytes from its begin, after the kernels launched
    /// before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    ///
    /// # Panics
    ///
    /// If the range reaches beyond the memory.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), BackendError>;

    /// Copies from `offset` bytes from its begin into `bytes`, after the kernels launched
    /// before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work; `bytes` is then unspecified.
    ///
    /// # Panics
    ///
    /// If the range reaches beyond the memory.
    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), BackendError>;
}

/// Kernels' memory, freed on drop.
pub struct Memory(Box<dyn Allocation>);

impl Memory {
    /// The memory of an allocation.
    pub fn new(allocation: impl Allocation + 'static) -> Self {
        Self(Box::new(allocation))
    }

    /// Where it begins: what a kernel gets. Only kernels may follow it.
    pub fn address(&self) -> *mut u8 {
        self.0.address()
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Sets all of it to 0.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    pub fn zero(&self) -> Result<(), BackendError> {
        self.0.zero_front(self.bytes())
    }

    /// Sets its first `bytes` bytes to 0, perhaps more.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn zero_front(&self, bytes: u64) -> Result<(), BackendError> {
        self.0.zero_front(bytes)
    }

    /// Copies `values` to `offset` bytes from its begin.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    ///
    /// # Panics
    ///
    /// If `values` reaches beyond the memory.
    pub fn upload<T: NoUninit>(&self, offset: u64, values: &[T]) -> Result<(), BackendError> {
        self.0.write(offset, bytemuck::cast_slice(values))
    }

    /// Copies `count` values from `offset` bytes from its begin.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    ///
    /// # Panics
    ///
    /// If the values reach beyond the memory.
    pub fn download<T: NoUninit + AnyBitPattern>(
        &self,
        offset: u64,
        count: usize,
    ) -> Result<Vec<T>, BackendError> {
        let mut values = vec![T::zeroed(); count];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        self.0.read(offset, bytes)?;
        Ok(values)
    }

    /// Copies `N` values from `offset` bytes from its begin.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    ///
    /// # Panics
    ///
    /// If the values reach beyond the memory.
    pub fn download_array<T: NoUninit + AnyBitPattern, const N: usize>(
        &self,
        offset: u64,
    ) -> Result<[T; N], BackendError> {
        let values = self.download(offset, N)?;
        Ok(std::array::from_fn(|index| values[index]))
    }
}

/// Memory of at least 4 bytes that begins with these values.
///
/// # Errors
///
/// If there is not enough memory; faults of earlier work.
pub(crate) fn memory_of<T: NoUninit>(
    backend: &dyn Backend,
    values: &[T],
) -> Result<Memory, BackendError> {
    let memory = backend.allocate((size_of_val(values) as u64).max(4))?;
    memory.upload(0, values)?;
    Ok(memory)
}
