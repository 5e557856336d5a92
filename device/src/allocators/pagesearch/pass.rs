//! The pass over the summaries, for a thread that has drawn in vain: out of line, without
//! collectives.
//!
//! A pass visits each word that is listed, and removes those that are full. It begins at a row and
//! a word of it that are drawn, so that threads do not meet. A thread whose claims were lost to
//! others may have missed pages that these gave back, and passes again, [`PASSES`] times in all.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::Areas;
use super::layout::{AREAS, Area, Layout, Length, Name};
use super::map::{FULL, first_run};
use super::search::{below, random};
use crate::allocator::Handle;
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Passes over an area, each but the last after claims that were lost.
const PASSES: u32 = 4;
/// Claims in a word that a pass loses before it goes on to the next.
const TRIES: u32 = 8;
/// The draw from which a pass begins.
const DRAW: u32 = u32::MAX;

/// A pass over an area, so far.
struct Pass {
    area: Area,
    length: Length,
    /// Whether a claim was lost.
    has_lost: bool,
}

impl Areas {
    /// The areas with these tables and these bits of a layout, for a task out of line: it touches
    /// no blocks.
    ///
    /// # Safety
    ///
    /// The tables and the bits are those of a heap.
    unsafe fn without_blocks(tables: *mut u8, layout: u64) -> Self {
        Self {
            blocks: core::ptr::null_mut(),
            tables,
            layout: Layout::from_bits(layout),
        }
    }

    /// A block of so many pages of the first area, in the area or those behind it; its handle, or
    /// null.
    #[inline(always)]
    pub(super) fn pass<W: Warp>(&self, warp: W, area: Area, first_pages: u32) -> u32 {
        // SAFETY: the tables and layout of this heap.
        unsafe { outlined(warp, self.tables, self.layout.to_bits(), area, first_pages) }
    }

    #[inline(always)]
    fn pass_areas<W: Warp>(&self, warp: W, first: Area, first_pages: u32) -> u32 {
        let mut number = first.number();
        while number < AREAS {
            // SAFETY: below the areas.
            let area = unsafe { Area::new(number) };
            if let Some(length) = Layout::length(area, first_pages) {
                let page = self.pass_area(warp, area, length);
                if page != u32::NULL {
                    return Name { area, length, page }.handle();
                }
            }
            number += 1;
        }
        u32::NULL
    }

    /// The first page of a block in an area, or null.
    #[inline(always)]
    fn pass_area<W: Warp>(&self, warp: W, area: Area, length: Length) -> u32 {
        let rows = self.layout.summary_rows(area);
        let drawn = random(warp.thread(), DRAW);
        for _ in 0..PASSES {
            let mut pass = Pass {
                area,
                length,
                has_lost: false,
            };
            let mut row = below(drawn, rows);
            for _ in 0..rows {
                // SAFETY: a row of the summary.
                let page = unsafe { self.pass_row(warp, &mut pass, row, drawn & 15) };
                if page != u32::NULL {
                    return page;
                }
                row += 1;
                if row == rows {
                    row = 0;
                }
            }
            if !pass.has_lost {
                break;
            }
        }
        u32::NULL
    }

    /// The part of a pass over a row of the summary, from word `first` of it on.
    ///
    /// # Safety
    ///
    /// `row` is below `layout.summary_rows(area)`, and `first` below 16.
    #[inline(always)]
    unsafe fn pass_row<W: Warp>(&self, warp: W, pass: &mut Pass, row: u32, first: u32) -> u32 {
        // SAFETY: the caller's promise. The summary lists words of the bitmap only.
        unsafe {
            // Relaxed: a word that is listed meanwhile had no free page when the pass began.
            let listed = atomic::load_row(self.summary_row(pass.area, row));
            let listed = bits_of(listed, |word| word != 0);
            // The words from the first one on, and those before it behind them.
            let mut rest = (listed | listed << 16) >> first & 0xffff;
            while rest != 0 {
                let place = (rest.trailing_zeros() + first) & 15;
                let index = 16 * row + place;
                // Relaxed: as above.
                let mut words = self.summary_word(pass.area, index).load(Relaxed);
                while words != 0 {
                    let page = self.try_word(warp, pass, 32 * index + words.trailing_zeros());
                    if page != u32::NULL {
                        return page;
                    }
                    words &= words - 1;
                }
                rest &= rest - 1;
            }
        }
        u32::NULL
    }

    /// The first page of a block in a word, or null; a full word is removed from the summary.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    unsafe fn try_word<W: Warp>(&self, warp: W, pass: &mut Pass, index: u32) -> u32 {
        let (area, length) = (pass.area, pass.length);
        // SAFETY: the caller's promise; what is given back was taken here.
        unsafe {
            let mut tries = 0;
            loop {
                // Relaxed: a hint; the claim decides.
                let seen = self.word(area, index).load(Relaxed);
                if seen == FULL {
                    self.remove(area, index);
                    return u32::NULL;
                }
                let run = first_run(!seen, length);
                if run == 0 {
                    return u32::NULL;
                }
                if self.claim(area, index, run) {
                    return 32 * index + run.trailing_zeros();
                }
                pass.has_lost = true;
                tries += 1;
                if tries == TRIES {
                    return u32::NULL;
                }
                warp.back_off();
            }
        }
    }

    /// Takes all of these pages of a word, or none.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn claim(&self, area: Area, index: u32, run: u32) -> bool {
        // SAFETY: the caller's promise; what is given back was taken here.
        unsafe {
            let got = self.take(area, index, run);
            if got == run {
                return true;
            }
            if got != 0 {
                self.give(area, index, got);
            }
        }
        false
    }
}

/// [`Areas::pass`], out of line.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    area: Area,
    first_pages: u32,
) -> u32 {
    // SAFETY: the tables of a heap.
    let areas = unsafe { Areas::without_blocks(tables, layout) };
    areas.pass_areas(warp, area, first_pages)
}
