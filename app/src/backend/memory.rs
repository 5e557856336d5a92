//! Memory that kernels work on, of either backend.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use bytemuck::{AnyBitPattern, NoUninit};

use super::BackendError;
use crate::cuda::{Buffer, Gpu};

/// Kernels' memory, freed on drop. Never lent, only copied from and to, since
/// kernels may change it.
pub struct Memory {
    place: Place,
    bytes: u64,
}

enum Place {
    Host(HostMemory),
    Device(Buffer),
}

/// What the system allocator gave, and the aligned address inside of it.
struct HostMemory {
    allocated: *mut u8,
    layout: Layout,
    aligned: *mut u8,
}

/// Alignment of all kernel memory.
const ALIGNMENT: usize = 256;

impl Memory {
    /// Zeroed memory of the host. Pages are committed when they are touched.
    pub(super) fn on_host(bytes: u64) -> Result<Self, BackendError> {
        let error = BackendError::OutOfMemory { bytes };
        // Asked for with a small alignment and aligned by hand: the system
        // zeroes memory of a large alignment by writing all of it.
        let layout = usize::try_from(bytes)
            .ok()
            .and_then(|bytes| bytes.checked_add(ALIGNMENT))
            .and_then(|bytes| Layout::from_size_align(bytes, 16).ok())
            .ok_or(error.clone())?;
        // SAFETY: the layout has a size.
        let allocated = unsafe { alloc_zeroed(layout) };
        if allocated.is_null() {
            return Err(error);
        }
        let aligned = allocated.wrapping_add(allocated.align_offset(ALIGNMENT));
        let place = Place::Host(HostMemory {
            allocated,
            layout,
            aligned,
        });
        Ok(Self { place, bytes })
    }

    /// Memory of the GPU.
    pub(super) fn on_device(gpu: &Gpu, bytes: u64, zeroed: bool) -> Result<Self, BackendError> {
        let buffer = Buffer::new(gpu, bytes)?;
        if zeroed {
            buffer.zero()?;
        }
        let place = Place::Device(buffer);
        Ok(Self { place, bytes })
    }

    /// Where it begins: what a kernel gets. Only kernels may follow it.
    pub fn address(&self) -> *mut u8 {
        match &self.place {
            Place::Host(host) => host.aligned,
            Place::Device(buffer) => std::ptr::without_provenance_mut(buffer.address() as usize),
        }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Sets all of it to 0.
    ///
    /// # Errors
    ///
    /// Faults of earlier work on the GPU.
    pub fn zero(&self) -> Result<(), BackendError> {
        match &self.place {
            Place::Host(host) => {
                // SAFETY: the memory is that large, and no kernel runs.
                unsafe { host.aligned.write_bytes(0, self.bytes as usize) };
                Ok(())
            }
            Place::Device(buffer) => Ok(buffer.zero()?),
        }
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
        match &self.place {
            Place::Host(_) => {
                let front = self.host_range(0, bytes as usize);
                // SAFETY: `host_range` has checked, and no kernel runs.
                unsafe { front.write_bytes(0, bytes as usize) };
                Ok(())
            }
            // The GPU fills faster than it would be told what to leave out.
            Place::Device(buffer) => Ok(buffer.zero()?),
        }
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
        match &self.place {
            Place::Host(_) => {
                let bytes: &[u8] = bytemuck::cast_slice(values);
                let to = self.host_range(offset, bytes.len());
                // SAFETY: `host_range` has checked, and no kernel runs.
                unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
            Place::Device(buffer) => Ok(buffer.upload(offset, values)?),
        }
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
        match &self.place {
            Place::Host(_) => {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
                let from = self.host_range(offset, bytes.len());
                // SAFETY: `host_range` has checked, and no kernel runs.
                unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
            }
            Place::Device(buffer) => buffer.download(offset, &mut values)?,
        }
        Ok(values)
    }

    fn host_range(&self, offset: u64, length: usize) -> *mut u8 {
        let end = offset.checked_add(length as u64);
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "{length} bytes at {offset} are not within memory of {} bytes",
            self.bytes
        );
        self.address().wrapping_add(offset as usize)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.allocated, self.layout) };
    }
}
