//! Untyped memory on the device.

use bytemuck::{AnyBitPattern, NoUninit};
use cust::sys;

use super::device_memory::{DeviceMemory, PATIENCE};
use super::error::{CudaError, check};
use super::gpu::Gpu;
use super::shared::Shared;
use crate::pool::PoolBuffer;
use crate::pool::size_class::MAX_CLASS;

/// Device memory that goes back to the pool of its device on drop. Its content is
/// undefined at first: often it is what another buffer has left.
///
/// Kernels may change it at any time, so it never lends references, only copies.
#[derive(Debug)]
pub struct Buffer {
    /// None of 0 bytes, nor once it is dropped.
    memory: Option<PoolBuffer<u8, DeviceMemory>>,
    bytes: u64,
    gpu: Gpu,
}

impl Buffer {
    /// Allocates `bytes` bytes, aligned to 256. A buffer of 0 bytes has address 0.
    ///
    /// # Errors
    ///
    /// [`CudaError::OutOfMemory`], and faults of earlier work.
    pub fn new(gpu: &Gpu, bytes: u64) -> Result<Self, CudaError> {
        gpu.shared().enter()?;
        let memory = match bytes {
            0 => None,
            _ => {
                let stream = gpu.memory().stream();
                Some(PoolBuffer::on_stream(gpu.pool(), bytes as usize, stream))
            }
        };
        // The message gives the request of the user, not the size of the block.
        let memory = memory.transpose().map_err(|error| match error {
            CudaError::OutOfMemory { free, .. } => CudaError::OutOfMemory {
                wanted: bytes,
                free,
            },
            other => other,
        })?;
        let gpu = gpu.clone();
        Ok(Self { memory, bytes, gpu })
    }

    /// Where it begins on the device: what a kernel gets as a parameter.
    pub fn address(&self) -> u64 {
        self.memory.as_ref().map_or(0, PoolBuffer::address)
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
        self.shared().enter()?;
        let (bytes, stream) = (self.bytes as usize, self.shared().stream());
        // SAFETY: exactly the buffer is written.
        let result = unsafe { sys::cuMemsetD8Async(self.address(), 0, bytes, stream) };
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
        self.shared().enter()?;
        let (words, stream) = (self.bytes as usize / 4, self.shared().stream());
        // SAFETY: exactly the buffer is written, and it is aligned to 256 bytes.
        let result = unsafe { sys::cuMemsetD32Async(self.address(), value, words, stream) };
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
        self.shared().enter()?;
        let (bytes, stream) = (self.bytes as usize, self.shared().stream());
        // SAFETY: both have that many bytes; the stream is that of the device.
        let result =
            unsafe { sys::cuMemcpyDtoDAsync_v2(self.address(), other.address(), bytes, stream) };
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
        self.shared().enter()?;
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
        self.shared().enter()?;
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
        self.address() + offset
    }

    fn shared(&self) -> &Shared {
        self.gpu.shared()
    }
}

impl Drop for Buffer {
    /// Everything asked of a [`Gpu`] goes through its stream in order, so memory may be
    /// used again behind what is queued. Large memory is waited for, as `cuMemFree` does:
    /// others than the pool may need it, modules and the driver itself.
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else {
            return;
        };
        let is_large = memory.block_bytes() > MAX_CLASS;
        if is_large && self.gpu.synchronize_within(PATIENCE).is_ok() {
            memory.retire();
        }
    }
}
