//! An allocator of heapwood's own behind the interface of the user's: AtomicMalloc, called. The
//! difference to the time of AtomicMalloc in the kernels is the cost of a call.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::{Kind, Link, LinkedFile};

/// Its functions for a GPU.
const PTX: &str = include_str!("reference.ptx");
/// The name in place of a file's.
const NAME: &str = "heapwood's reference";
/// The alignment of blocks, in bytes.
const ALIGNMENT: u64 = 16;

impl Link {
    /// This allocator in the place of files. On the CPU its functions are the program's own.
    pub fn reference() -> Self {
        let file = LinkedFile::new(PathBuf::from(NAME), Kind::Ptx, PTX.into());
        Self {
            files: vec![file],
            merge: false,
        }
    }

    /// Whether it is that.
    pub(super) fn is_reference(&self) -> bool {
        let first = self.files.first();
        first.is_some_and(|file| file.bytes == PTX.as_bytes())
    }
}

/// The state of its functions on the CPU, as in PTX.
#[repr(C)]
struct Bump {
    pool: *mut u8,
    bytes: u64,
    /// Bytes granted so far.
    next: AtomicU64,
}

/// `heapwood_malloc`.
///
/// # Safety
///
/// The state was made ready by [`init`].
pub(super) unsafe extern "C" fn malloc(state: *mut u8, bytes: u64) -> *mut u8 {
    // SAFETY: the caller's promise; all but `next`, which is atomic, is only read.
    let bump = unsafe { &*state.cast::<Bump>() };
    if bytes > bump.bytes {
        return std::ptr::null_mut();
    }
    let whole = bytes.next_multiple_of(ALIGNMENT);
    // Relaxed: the addition alone makes the blocks disjoint.
    let first = bump.next.fetch_add(whole, Relaxed);
    match first + whole <= bump.bytes {
        true => bump.pool.wrapping_add(first as usize),
        false => std::ptr::null_mut(),
    }
}

/// `heapwood_init`.
///
/// # Safety
///
/// The state is zeroed, aligned and large enough, and no other code uses it.
pub(super) unsafe extern "C" fn init(
    state: *mut u8,
    pool: *mut u8,
    bytes: u64,
    thread: u32,
    _threads: u32,
) {
    if thread == 0 {
        let next = AtomicU64::new(0);
        // SAFETY: the caller's promise.
        unsafe { state.cast::<Bump>().write(Bump { pool, bytes, next }) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_grant_a_pool_and_no_more() {
        let mut state = [0_u64; 32];
        let mut pool = [0_u128; 8];
        let (state, pool) = (state.as_mut_ptr().cast(), pool.as_mut_ptr().cast::<u8>());
        let offset = |bytes| {
            // SAFETY: there is room for the state, and no other code uses it.
            let block = unsafe { malloc(state, bytes) };
            block.addr().checked_sub(pool.addr())
        };
        // SAFETY: as above.
        let ready = || (0..2).for_each(|thread| unsafe { init(state, pool, 128, thread, 2) });
        ready();
        assert_eq!([1, 16, 17].map(offset), [0, 16, 32].map(Some));
        assert_eq!(offset(129), None);
        assert_eq!(offset(64), Some(64));
        assert_eq!(offset(1), None);
        ready();
        assert_eq!([128, 1].map(offset), [Some(0), None]);
    }

    #[test]
    fn it_is_known() {
        assert!(Link::reference().is_reference());
        assert!(PTX.contains(".visible .func (.param .b64 block) heapwood_malloc("));
        assert!(!PTX.contains("heapwood_free"));
    }
}
