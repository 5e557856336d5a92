//! Plain reads and writes of memory that changes hands between threads.
//!
//! They are what `ptr::read` and `ptr::write` are. On the host a hook learns of
//! them, so that the tests find accesses that nothing orders.

#[cfg(not(target_arch = "nvptx64"))]
use crate::schedule::{Access, Operation, offer};

/// Reads the value at `from`.
///
/// # Safety
///
/// As for `ptr::read`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub unsafe fn read<T: Copy>(from: *const T) -> T {
    #[cfg(not(target_arch = "nvptx64"))]
    tell(from.cast(), size_of::<T>(), Operation::PlainRead);
    // SAFETY: the caller's promise.
    unsafe { from.read() }
}

/// Writes `value` to `to`.
///
/// # Safety
///
/// As for `ptr::write`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub unsafe fn write<T: Copy>(to: *mut T, value: T) {
    #[cfg(not(target_arch = "nvptx64"))]
    tell(to.cast(), size_of::<T>(), Operation::PlainWrite);
    // SAFETY: the caller's promise.
    unsafe { to.write(value) }
}

/// Tells the hook of a plain access to `bytes` bytes that the caller makes by
/// other means.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
#[track_caller]
pub fn tell(address: *const u8, bytes: usize, operation: Operation) {
    let site = core::panic::Location::caller();
    offer(|| Access {
        address: address as usize,
        bytes,
        operation,
        order: core::sync::atomic::Ordering::Relaxed,
        leads: true,
        site,
    });
}
