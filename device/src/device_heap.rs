//! An allocator as kernels see it.
//!
//! A kernel is generic over a [`DeviceHeap`], which every [`Allocator`] is. On the GPU it is
//! compiled for each allocator's type, so that nothing is chosen at run time: that would cost
//! registers. For the host it is compiled once, for an allocator of whatever type ([`AnyHeap`]),
//! which costs a call through a table wherever the kernel asks for a block. Every kernel over
//! every allocator would take minutes to compile.
//!
//! The functions are those of `Allocator`, which states what they do.

use crate::allocator::{Allocator, Faults, Handle, Occupancy, Properties};
use crate::simt::Warp;

/// A heap on the host whose allocator is not known by its type.
pub type AnyHeap<'a, W, H> = dyn DeviceHeap<W, Handle = H> + 'a;

/// The answers of a heap about its blocks.
pub trait Blocks {
    /// [`Allocator::Handle`].
    type Handle: Handle;

    /// The allocator's declarations.
    fn properties(&self) -> Properties;

    /// [`Allocator::address`].
    fn address(&self, block: Self::Handle) -> *mut u8;

    /// [`Allocator::contains`].
    fn contains(&self, block: Self::Handle) -> bool;

    /// [`Allocator::granted`].
    ///
    /// # Safety
    ///
    /// As for [`Allocator::granted`].
    unsafe fn granted(&self, block: Self::Handle, requested: u64) -> u64;

    /// [`Allocator::usable`].
    ///
    /// # Safety
    ///
    /// As for [`Allocator::usable`].
    unsafe fn usable(&self, block: Self::Handle, requested: u64) -> u64;

    /// [`Allocator::faults`].
    fn faults(&self) -> Faults;
}

/// A heap that threads of a warp `W` use.
pub trait DeviceHeap<W: Warp>: Blocks {
    /// [`Allocator::init`].
    ///
    /// # Safety
    ///
    /// As for [`Allocator::init`].
    unsafe fn init(&self, warp: W);

    /// [`Allocator::malloc`].
    fn malloc(&self, warp: W, bytes: u64) -> Self::Handle;

    /// [`Allocator::malloc_coalesced`].
    fn malloc_coalesced(&self, warp: W, bytes: u64) -> Self::Handle;

    /// [`Allocator::malloc_exclusive`].
    fn malloc_exclusive(&self, warp: W, bytes: u64) -> Self::Handle;

    /// [`Allocator::provide`].
    fn provide(&self, warp: W, bytes: u64, count: u32);

    /// [`Allocator::free`].
    ///
    /// # Safety
    ///
    /// As for [`Allocator::free`].
    unsafe fn free(&self, warp: W, block: Self::Handle);

    /// [`Allocator::free_coalesced`].
    ///
    /// # Safety
    ///
    /// As for [`Allocator::free`].
    unsafe fn free_coalesced(&self, warp: W, block: Self::Handle);

    /// [`Allocator::walk`].
    fn walk(&self, warp: W) -> Occupancy;
}

impl<A: Allocator> Blocks for A {
    type Handle = A::Handle;

    #[inline(always)]
    fn properties(&self) -> Properties {
        const { Properties::of::<A>() }
    }

    #[inline(always)]
    fn address(&self, block: A::Handle) -> *mut u8 {
        A::address(*self, block)
    }

    #[inline(always)]
    fn contains(&self, block: A::Handle) -> bool {
        A::contains(*self, block)
    }

    #[inline(always)]
    unsafe fn granted(&self, block: A::Handle, requested: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { A::granted(*self, block, requested) }
    }

    #[inline(always)]
    unsafe fn usable(&self, block: A::Handle, requested: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { A::usable(*self, block, requested) }
    }

    #[inline(always)]
    fn faults(&self) -> Faults {
        A::faults(*self)
    }
}

impl<W: Warp, A: Allocator> DeviceHeap<W> for A {
    #[inline(always)]
    unsafe fn init(&self, warp: W) {
        // SAFETY: the caller's promise.
        unsafe { A::init(*self, warp) }
    }

    #[inline(always)]
    fn malloc(&self, warp: W, bytes: u64) -> A::Handle {
        A::malloc(*self, warp, bytes)
    }

    #[inline(always)]
    fn malloc_coalesced(&self, warp: W, bytes: u64) -> A::Handle {
        A::malloc_coalesced(*self, warp, bytes)
    }

    #[inline(always)]
    fn malloc_exclusive(&self, warp: W, bytes: u64) -> A::Handle {
        A::malloc_exclusive(*self, warp, bytes)
    }

    #[inline(always)]
    fn provide(&self, warp: W, bytes: u64, count: u32) {
        A::provide(*self, warp, bytes, count);
    }

    #[inline(always)]
    unsafe fn free(&self, warp: W, block: A::Handle) {
        // SAFETY: the caller's promise.
        unsafe { A::free(*self, warp, block) }
    }

    #[inline(always)]
    unsafe fn free_coalesced(&self, warp: W, block: A::Handle) {
        // SAFETY: the caller's promise.
        unsafe { A::free_coalesced(*self, warp, block) }
    }

    #[inline(always)]
    fn walk(&self, warp: W) -> Occupancy {
        A::walk(*self, warp)
    }
}
