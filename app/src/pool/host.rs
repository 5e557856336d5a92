//! The host's memory, for the CPU backend.

use std::alloc::{Layout, alloc, dealloc};
use std::num::NonZeroU64;

use thiserror::Error;

use super::provider::{ALIGNMENT, Event, Provider, Stream};

/// Memory of the process's allocator.
#[derive(Clone, Copy, Debug)]
pub struct HostProvider;

/// Work on the host is done when the call that asks for it returns, so one stream is enough,
/// on which nothing is ever pending.
#[derive(Clone, Copy, Debug)]
pub struct HostStream;

/// The host does not give that much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("out of memory: {bytes} bytes wanted")]
pub struct HostOutOfMemory {
    /// Bytes wanted.
    pub bytes: u64,
}

impl HostProvider {
    fn layout(bytes: u64) -> Option<Layout> {
        let bytes = usize::try_from(bytes).ok()?;
        Layout::from_size_align(bytes, ALIGNMENT as usize).ok()
    }
}

impl Provider for HostProvider {
    type Error = HostOutOfMemory;
    type Stream = HostStream;

    fn obtain(&self, bytes: u64) -> Result<NonZeroU64, HostOutOfMemory> {
        let layout = Self::layout(bytes).filter(|layout| layout.size() > 0);
        let address = layout.and_then(|layout| {
            // SAFETY: the layout has bytes.
            let memory = unsafe { alloc(layout) };
            NonZeroU64::new(memory.expose_provenance() as u64)
        });
        address.ok_or(HostOutOfMemory { bytes })
    }

    unsafe fn release(&self, address: NonZeroU64, bytes: u64) {
        if let Some(layout) = Self::layout(bytes) {
            let memory = std::ptr::with_exposed_provenance_mut(address.get() as usize);
            // SAFETY: the caller's promise: `obtain` allocated it with this layout.
            unsafe { dealloc(memory, layout) };
        }
    }

    fn is_exhausted(_: &HostOutOfMemory) -> bool {
        true
    }
}

impl Stream for HostStream {
    type Event = Self;

    fn id(&self) -> u64 {
        0
    }

    fn record(&self) -> Option<Self> {
        Some(Self)
    }
}

impl Event for HostStream {
    fn is_complete(&self) -> bool {
        true
    }

    fn wait(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_what_there_is_not_is_refused() {
        for bytes in [1, 511, 4096, 1 << 20] {
            let address = HostProvider.obtain(bytes).unwrap();
            assert!(address.get().is_multiple_of(ALIGNMENT));
            let first = std::ptr::with_exposed_provenance_mut::<u8>(address.get() as usize);
            // SAFETY: the memory has that many bytes and is released once.
            unsafe {
                first.write_bytes(7, bytes as usize);
                HostProvider.release(address, bytes);
            }
        }
        for bytes in [0, u64::MAX, i64::MAX as u64 - ALIGNMENT] {
            let error = HostProvider.obtain(bytes).unwrap_err();
            assert_eq!(error, HostOutOfMemory { bytes });
            assert!(HostProvider::is_exhausted(&error));
        }
    }
}
