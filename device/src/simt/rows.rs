//! The rows of a matrix or graph that a warp takes, of those that all warps share.
//!
//! Lanes side by side read memory side by side, so a warp takes as many rows as
//! it has lanes and strides over those of the other warps. A lane alone has
//! locality in time, not in space: it takes a contiguous range, so that what it reads and
//! writes shares cache lines with itself and not with another thread.

use crate::simt::Warp;

/// The rows of a warp: `first`, and on in steps of `step` while below `end`.
#[derive(Clone, Copy)]
pub struct Rows {
    /// The first row, perhaps at the end or beyond.
    pub first: u32,
    /// Behind the last row.
    pub end: u32,
    /// From the first of the rows that the warp takes at once to the first of
    /// the next.
    pub step: u32,
}

impl Rows {
    /// Of `count` rows, if a warp takes `width` at once: 1 of a lane alone.
    #[inline(always)]
    pub fn new<W: Warp>(warp: W, count: u32, width: u32) -> Self {
        if !W::IS_SOLO {
            return Self {
                first: warp.warp() * width,
                end: count,
                step: warp.warps() * width,
            };
        }
        let bound = |warps: u32| {
            let part = u64::from(count) * u64::from(warps);
            part.checked_div(u64::from(warp.warps())).unwrap_or(0) as u32
        };
        Self {
            first: bound(warp.warp()),
            end: bound(warp.warp() + 1),
            step: 1,
        }
    }
}
