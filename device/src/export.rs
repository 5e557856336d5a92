//! Allocators as functions that kernels of others are linked with: the PTX of
//! `heapwood export` (docs/export.md).
//!
//! A function that is not inlined into its kernel must not read the active mask
//! ([`Warp::converge`]). So the caller reads it, in line, and passes it. An allocator reads it
//! where the lanes that come together there are known; where that is inside of a branch, as for
//! [`Lanes::Alike`], the mask is narrowed before to lanes that take the same one.

use crate::allocator::{Allocator, Handle, Heap};
use crate::allocators::{CfMalloc, Gallatin, OuroborosCS, OuroborosPS, ScatterAlloc};
use crate::simt::{Warp, WithActiveMask};

/// The lanes that come to where an allocator reads the active mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All that called: it does so before any branch, or nowhere.
    All,
    /// Those whose requests are between the same two powers of two, or whose blocks are of the
    /// same size: it does so where it serves such requests.
    Alike,
}

/// An allocator that can be exported.
pub trait Export: Allocator<Handle = u32> {
    /// Those that come to `converge` in `malloc`.
    const MALLOC: Lanes;
    /// Those that come to `converge` in `free`.
    const FREE: Lanes;
}

// No collectives at all: lanes that request together are served one by one.
impl Export for CfMalloc {
    const MALLOC: Lanes = Lanes::All;
    const FREE: Lanes = Lanes::All;
}

// A run of chunks is freed in another branch than pages are.
impl Export for OuroborosPS {
    const MALLOC: Lanes = Lanes::All;
    const FREE: Lanes = Lanes::Alike;
}

impl Export for OuroborosCS {
    const MALLOC: Lanes = Lanes::All;
    const FREE: Lanes = Lanes::Alike;
}

// Slices and runs, chunks and runs: up to half a block or page, a power of two. Lanes free one
// by one.
impl Export for Gallatin {
    const MALLOC: Lanes = Lanes::Alike;
    const FREE: Lanes = Lanes::All;
}

impl Export for ScatterAlloc {
    const MALLOC: Lanes = Lanes::Alike;
    const FREE: Lanes = Lanes::All;
}

/// Calls `$callback! { ("name", Type), ... }` with every allocator that is exported. Each is a
/// module, whose functions are `heapwood_NAME_init`, `_malloc` and `_free`.
macro_rules! with_exports {
    ($callback:ident) => {
        $callback! {
            ("cfmalloc", CfMalloc),
            ("ouroboros_p_s", OuroborosPS),
            ("ouroboros_c_s", OuroborosCS),
            ("gallatin", Gallatin),
            ("scatteralloc", ScatterAlloc),
        }
    };
}

macro_rules! names {
    ($(($name:literal, $type:ty),)*) => {
        /// The names of the allocators that can be exported, as in the table of allocators.
        pub const EXPORTED: &[&str] = &[$($name),*];
    };
}

with_exports!(names);

/// A block of at least so many bytes, or null.
///
/// # Safety
///
/// As for [`Allocator::new`], of a heap that was made ready. `mask` has the lanes that make this
/// call together, all with the same mask.
#[inline(always)]
pub unsafe fn malloc<W: Warp, A: Export>(warp: W, heap: Heap, bytes: u64, mask: u32) -> *mut u8 {
    let lanes = match A::MALLOC {
        Lanes::All => mask,
        // Whether a power of two is exceeded is the same for all of the same number of bits.
        Lanes::Alike => warp.match_any(mask, u64::BITS - bytes.saturating_sub(1).leading_zeros()),
    };
    // SAFETY: the caller's promise; and lanes that are alike come to the same `converge`.
    let (heap, warp) = unsafe { (A::new(heap), WithActiveMask::new(warp, lanes)) };
    let block = heap.malloc(warp, bytes);
    if block.is_null() {
        return core::ptr::null_mut();
    }
    heap.address(block)
}

/// Gives a block back.
///
/// # Safety
///
/// As for [`malloc`], and as for [`Allocator::free`] of the block, which is not null.
#[inline(always)]
pub unsafe fn free<W: Warp, A: Export>(warp: W, heap: Heap, block: *mut u8, mask: u32) {
    // SAFETY: the caller's promise, of the heap and of the block, which lives. Blocks of one size
    // come to the same `converge`.
    unsafe {
        let heap = A::new(heap);
        let block = handle(heap, block);
        let lanes = match A::FREE {
            Lanes::All => mask,
            Lanes::Alike => {
                let units = heap.granted(block, 0) >> 4;
                let most = u64::from(u32::MAX);
                warp.match_any(mask, if units < most { units } else { most } as u32)
            }
        };
        heap.free(WithActiveMask::new(warp, lanes), block);
    }
}

/// The handle of a block. Handles of all allocators that are exported number units, from the
/// first that a block may have on.
#[inline(always)]
fn handle<A: Export>(heap: A, block: *mut u8) -> u32 {
    let first = heap.address(0).addr();
    let unit_shift = (heap.address(1).addr() - first).trailing_zeros();
    ((block.addr() - first) >> unit_shift) as u32
}

#[cfg(all(target_arch = "nvptx64", feature = "entries"))]
mod functions {
    use super::{CfMalloc, Gallatin, OuroborosCS, OuroborosPS, ScatterAlloc};
    use crate::allocator::{Allocator, Heap};
    use crate::simt::{ForeignLaunch, Simt};

    macro_rules! functions {
        ($(($name:literal, $type:ty),)*) => {
            $(
                const _: () = {
                    /// # Safety
                    ///
                    /// All threads of a one-dimensional launch of whole warps call it together,
                    /// over a heap that setup has divided and that no other thread uses.
                    #[unsafe(export_name = concat!("heapwood_", $name, "_init"))]
                    unsafe extern "C" fn init(heap: *const Heap) {
                        // SAFETY: the caller's promise.
                        unsafe { <$type>::new(heap.read()).init(Simt) }
                    }

                    /// # Safety
                    ///
                    /// As for [`super::malloc`].
                    #[unsafe(export_name = concat!("heapwood_", $name, "_malloc"))]
                    unsafe extern "C" fn malloc(heap: *const Heap, bytes: u64, mask: u32) -> *mut u8 {
                        // SAFETY: the caller's promise.
                        unsafe { super::malloc::<ForeignLaunch, $type>(ForeignLaunch, heap.read(), bytes, mask) }
                    }

                    /// # Safety
                    ///
                    /// As for [`super::free`].
                    #[unsafe(export_name = concat!("heapwood_", $name, "_free"))]
                    unsafe extern "C" fn free(heap: *const Heap, block: *mut u8, mask: u32) {
                        // SAFETY: the caller's promise.
                        unsafe { super::free::<ForeignLaunch, $type>(ForeignLaunch, heap.read(), block, mask) }
                    }
                };
            )*
        };
    }

    with_exports!(functions);
}
