//! Memory that kernels work on, of either backend.

use bytemuck::{AnyBitPattern, NoUninit};
use memmap2::{MmapOptions, MmapRaw};

use super::BackendError;
use super::quota::{Charge, Quota};
use crate::cuda::{Buffer, Gpu};

/// Kernels' memory, freed on drop. Never lent, only copied from and to, since
/// kernels may change it.
pub struct Memory {
    place: Place,
    bytes: u64,
    _charge: Option<Charge>,
}

enum Place {
    /// Pages of the process, so aligned to at least what a GPU's memory is.
    Host(MmapRaw),
    Device(Buffer),
}

impl Memory {
    /// Zeroed memory of the host. Pages are committed when they are touched, large
    /// ones where the system has them.
    pub(super) fn on_host(bytes: u64, quota: Option<&Quota>) -> Result<Self, BackendError> {
        let charge = quota.map(|quota| quota.charge(bytes)).transpose()?;
        let error = BackendError::OutOfMemory { bytes };
        // There are no mappings without a byte.
        let length = usize::try_from(bytes.max(1)).map_err(|_| error.clone())?;
        let mapping = MmapOptions::new().len(length).map_anon();
        let mapping = MmapRaw::from(mapping.map_err(|_| error)?);
        prefer_large_pages(&mapping);
        Ok(Self {
            place: Place::Host(mapping),
            bytes,
            _charge: charge,
        })
    }

    /// Memory of the GPU.
    pub(super) fn on_device(gpu: &Gpu, bytes: u64, zeroed: bool) -> Result<Self, BackendError> {
        let buffer = Buffer::new(gpu, bytes)?;
        if zeroed {
            buffer.zero()?;
        }
        Ok(Self {
            place: Place::Device(buffer),
            bytes,
            _charge: None,
        })
    }

    /// Where it begins: what a kernel gets. Only kernels may follow it.
    pub fn address(&self) -> *mut u8 {
        match &self.place {
            Place::Host(mapping) => mapping.as_mut_ptr(),
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
            Place::Host(mapping) => {
                // SAFETY: the memory is that large, and no kernel runs.
                unsafe { mapping.as_mut_ptr().write_bytes(0, self.bytes as usize) };
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

/// Asks for pages of 2 MiB: neighbours of a vertex are all over memory, and
/// the processor remembers where few pages are.
fn prefer_large_pages(mapping: &MmapRaw) {
    // A wish: the system may have none left, or never.
    #[cfg(target_os = "linux")]
    let _ = mapping.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = mapping;
}
