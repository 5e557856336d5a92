//! Untyped memory on the device.

use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use cust::memory::{DevicePointer, cuda_free, cuda_malloc};
use cust::sys;

use super::error::{CudaError, check, from_cust};
use super::gpu::Gpu;
use super::shared::Shared;

/// Device memory that is freed on drop. Its content is undefined at first.
///
/// Kernels may change it at any time, so it never lends references, only copies.
#[derive(Debug)]
pub struct Buffer {
    address: u64,
    bytes: u64,
    gpu: Arc<Shared>,
}

impl Buffer {
    /// Allocates `bytes` bytes, aligned to 256. A buffer of 0 bytes has address 0.
    ///
    /// # Errors
    ///
    /// [`CudaError::OutOfMemory`], and faults of earlier work.
    pub fn new(gpu: &Gpu, bytes: u64) -> Result<Self, CudaError> {
        gpu.shared().enter()?;
        let address = match bytes {
            0 => 0,
            // SAFETY: the memory is only copied from and to, and freed once, by `drop`.
            _ => unsafe { cuda_malloc::<u8>(bytes as usize) }
                .map_err(from_cust("cuMemAlloc"))
                .map_err(|error| match error {
                    CudaError::DriverOutOfMemory { .. } => match gpu.free_memory() {
                        Ok(free) => CudaError::OutOfMemory {
                            wanted: bytes,
                            free,
                        },
                        Err(fault) => fault,
                    },
                    other => other,
                })?
                .as_raw(),
        };
        let gpu = Arc::clone(gpu.shared());
        Ok(Self {
            address,
            bytes,
            gpu,
        })
    }

    /// Where it begins on the device: what a kernel gets as a parameter.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Sets every byte to 0, after the kernels launched before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    pub fn zero(&self) -> Result<(), CudaError> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.gpu.enter()?;
        let (bytes, stream) = (self.bytes as usize, self.gpu.stream());
        // SAFETY: exactly the buffer is written.
        let result = unsafe { sys::cuMemsetD8Async(self.address, 0, bytes, stream) };
        check("cuMemsetD8Async", result)
    }

    /// Sets every 32-bit word to `value`, after the kernels launched before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    ///
    /// # Panics
    ///
    /// If the size is not a multiple of 4 bytes.
    pub fn fill_u32(&self, value: u32) -> Result<(), CudaError> {
        assert_eq!(self.bytes % 4, 0, "a buffer of whole words");
        if self.bytes == 0 {
            return Ok(());
        }
        self.gpu.enter()?;
        let (words, stream) = (self.bytes as usize / 4, self.gpu.stream());
        // SAFETY: exactly the buffer is written, and it is aligned to 256 bytes.
        let result = unsafe { sys::cuMemsetD32Async(self.address, value, words, stream) };
        check("cuMemsetD32Async", result)
    }

    /// Copies another buffer of the same size on the same device, after the kernels
    /// launched before.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn copy_from(&self, other: &Self) -> Result<(), CudaError> {
        assert_eq!(self.bytes, other.bytes, "buffers of one size");
        if self.bytes == 0 {
            return Ok(());
        }
        self.gpu.enter()?;
        let (bytes, stream) = (self.bytes as usize, self.gpu.stream());
        // SAFETY: both have that many bytes; the stream is that of the device.
        let result =
            unsafe { sys::cuMemcpyDtoDAsync_v2(self.address, other.address, bytes, stream) };
        check("cuMemcpyDtoDAsync", result)
    }

    /// Copies `values` into the buffer, `offset` bytes from its begin, after the
    /// kernels launched before. Waits for them: see [`Gpu::synchronize_within`].
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    ///
    /// # Panics
    ///
    /// If `values` reaches beyond the buffer.
    pub fn upload<T: NoUninit>(&self, offset: u64, values: &[T]) -> Result<(), CudaError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let to = self.place(offset, bytes.len());
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu.enter()?;
        // SAFETY: both ranges are valid for that many bytes; `place` has checked.
        let result = unsafe { sys::cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), bytes.len()) };
        check("cuMemcpyHtoD", result)
    }

    /// Copies from the buffer, `offset` bytes from its begin, into `values`, after
    /// the kernels launched before. Waits for them: see [`Gpu::synchronize_within`].
    ///
    /// # Errors
    ///
    /// Faults of earlier work; `values` is then unspecified.
    ///
    /// # Panics
    ///
    /// If `values` reaches beyond the buffer.
    pub fn download<T: NoUninit + AnyBitPattern>(
        &self,
        offset: u64,
        values: &mut [T],
    ) -> Result<(), CudaError> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(values);
        let from = self.place(offset, bytes.len());
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu.enter()?;
        // SAFETY: both ranges are valid for that many bytes; `place` has checked. Any
        // bytes make a `T`.
        let result = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), from, bytes.len()) };
        check("cuMemcpyDtoH", result)
    }

    /// The address `offset` bytes into the buffer.
    ///
    /// # Panics
    ///
    /// If `length` bytes from there reach beyond the buffer.
    fn place(&self, offset: u64, length: usize) -> u64 {
        let end = offset.checked_add(length as u64);
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "{length} bytes at {offset} are not within a buffer of {} bytes",
            self.bytes,
        );
        self.address + offset
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.address != 0 && self.gpu.enter().is_ok() {
            // SAFETY: the address came from `cuda_malloc` and is not used again. Running
            // kernels are waited for. A failure is one of earlier work, reported elsewhere.
            let _ = unsafe { cuda_free(DevicePointer::<u8>::from_raw(self.address)) };
        }
    }
}
