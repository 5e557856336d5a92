//! The host's memory as kernels' memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use memmap2::{MmapOptions, MmapRaw};

use crate::backend::quota::{Charge, Quota};
use crate::backend::{Allocation, BackendError, Memory};

/// Zeroed pages of the process, so aligned to at least what a GPU's memory is.
struct Pages {
    mapping: MmapRaw,
    bytes: u64,
    /// Held by copies of the host: a memory is shared, and threads may copy at the same time.
    copying: Mutex<()>,
    _charge: Option<Charge>,
}

/// Zeroed memory of the host, of a quota if there is one. Pages are committed when they
/// are touched, large ones where the system has them.
///
/// # Errors
///
/// When there is not that much.
pub fn allocate_zeroed(bytes: u64, quota: Option<&Quota>) -> Result<Memory, BackendError> {
    let charge = quota.map(|quota| quota.charge(bytes)).transpose()?;
    let error = BackendError::OutOfMemory { bytes };
    // There are no mappings without a byte.
    let length = usize::try_from(bytes.max(1)).map_err(|_| error.clone())?;
    let mapping = MmapOptions::new().len(length).map_anon();
    let mapping = MmapRaw::from(mapping.map_err(|_| error)?);
    prefer_large_pages(&mapping);
    let pages = Pages {
        mapping,
        bytes,
        copying: Mutex::new(()),
        _charge: charge,
    };
    Ok(Memory::new(pages))
}

impl Pages {
    /// The address of a range.
    ///
    /// # Panics
    ///
    /// If it reaches beyond the memory.
    fn range(&self, offset: u64, length: u64) -> *mut u8 {
        let end = offset.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "{length} bytes at {offset} are not within memory of {} bytes",
            self.bytes
        );
        self.address().wrapping_add(offset as usize)
    }

    /// Keeps other copies of the host away.
    fn copy(&self) -> MutexGuard<'_, ()> {
        self.copying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Allocation for Pages {
    fn address(&self) -> *mut u8 {
        self.mapping.as_mut_ptr()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn zero_front(&self, bytes: u64) -> Result<(), BackendError> {
        let front = self.range(0, bytes);
        let _copy = self.copy();
        // SAFETY: `range` has checked, no other copy is under way, and by the contract of
        // `launch_parts` no kernel that accesses this memory.
        unsafe { front.write_bytes(0, bytes as usize) };
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), BackendError> {
        let to = self.range(offset, bytes.len() as u64);
        let _copy = self.copy();
        // SAFETY: as above.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), BackendError> {
        let from = self.range(offset, bytes.len() as u64);
        let _copy = self.copy();
        // SAFETY: as above.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
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
