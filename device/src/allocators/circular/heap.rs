//! The heap of a circular allocator: its parts, and what region a unit is in.

use core::marker::PhantomData;

use super::index::Index;
use super::layout::{INDEX_ALIGN, Layout};
use super::links::Links;

/// How many offsets there are.
pub trait Offsets: Copy + 'static {
    /// Whether each processor has one.
    const MULTI: bool;
}

/// One offset for all.
#[derive(Clone, Copy)]
pub struct One;

/// One offset a multiprocessor.
#[derive(Clone, Copy)]
pub struct PerProcessor;

impl Offsets for One {
    const MULTI: bool = false;
}

impl Offsets for PerProcessor {
    const MULTI: bool = true;
}

/// A circular allocator over links of form `L` with offsets `O`.
#[derive(Clone, Copy)]
pub struct Circular<L, O> {
    pub(super) blocks: *mut u8,
    pub(super) links: L,
    pub(super) hints: *mut u8,
    pub(super) layout: Layout,
    pub(super) offsets: PhantomData<O>,
}

impl<L: Links, O: Offsets> Circular<L, O> {
    #[inline(always)]
    pub(super) fn region_of(&self, unit: u32) -> u32 {
        unit >> self.layout.region_bits
    }

    /// Where the region of `unit` starts.
    #[inline(always)]
    pub(super) fn anchor_of(&self, unit: u32) -> u32 {
        unit & !(self.layout.region_units - 1)
    }

    /// The region of the chunk at `unit`, or the number of regions at the end.
    #[inline(always)]
    pub(super) fn region_after(&self, unit: u32) -> u32 {
        if unit < self.layout.units {
            self.region_of(unit)
        } else {
            self.layout.regions
        }
    }

    /// Whether a chunk that starts at `next` belongs to the region of `unit`.
    #[inline(always)]
    pub(super) fn is_in_region_of(&self, unit: u32, next: u32) -> bool {
        self.region_of(next) == self.region_of(unit) && next < self.layout.units
    }

    #[inline(always)]
    pub(super) fn is_large(&self, wanted: u32) -> bool {
        wanted > self.layout.region_units
    }

    /// Whether so many units are more than this part of a region, as a power of two.
    #[inline(always)]
    pub(super) fn exceeds_part(&self, units: u32, bits: u32) -> bool {
        units > self.layout.region_units >> bits
    }

    /// The index of free memory.
    #[inline(always)]
    pub(super) fn index(&self) -> Index {
        let layout = &self.layout;
        let base = self
            .blocks
            .wrapping_add(layout.index as usize * INDEX_ALIGN as usize);
        // SAFETY: `setup` made room for the index there.
        unsafe { Index::new(base, layout.units, layout.span_bits) }
    }
}
