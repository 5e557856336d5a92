//! The pass over the summaries, for a thread that has drawn in vain: out of line, without
//! collectives.
//!
//! A thread passes over its own tier, then over those with larger pages, which it splits, and at
//! last over those with smaller pages, which it raises. Nearer tiers come first.
//!
//! At first it looks at some rows only, of its own tier and of those with larger pages. A summary has
//! a row for 16,384 pages: to read all of a tier that has no page left takes thousands of accesses,
//! while a page of a larger tier is close by. Pages that it splits off are listed in the smaller tiers.
//!
//! A pass visits each word that is listed, removes those that are full, and ends after
//! [`MAX_MISFITS`] words whose free pages are no block, and none of the next tier. It begins at a
//! random row and word, so that threads do not meet. A thread whose claims were lost may have missed
//! pages that others gave back meanwhile, and passes again, [`PASSES`] times in all.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::Tiers;
use super::layout::{Layout, Length, Tier};
use super::map::{FULL, first_run};
use super::merge::Raise;
use super::search::{below, moment, random};
use crate::allocator::Handle;
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Rows of a tier's summary at which a thread looks at first.
const FIRST_ROWS: u32 = 4;
/// Passes over a tier, each but the last after claims that were lost.
const PASSES: u32 = 4;
/// Attempts at a word before a pass goes on to the next: claims that are lost, and pages that are
/// raised, eight of a word if others free none.
const TRIES: u32 = 16;
/// Words whose free pages lie apart, before a pass over a tier ends. A full heap has thousands of
/// them, and to read them all takes milliseconds.
const MAX_MISFITS: u32 = 256;
/// The draw from which a pass begins.
const DRAW: u32 = u32::MAX;

/// A pass over the tier `source` for pages of another or the same.
struct TierPass {
    source: Tier,
    tier: Tier,
    length: Length,
    /// Words whose free pages lie apart.
    misfits: u32,
    /// Whether a claim was lost.
    has_lost: bool,
}

impl Tiers {
    /// The tiers with these tables and these bits of a layout, for a task out of line: it touches
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

    /// The first page of a block, or null.
    #[inline(always)]
    pub(super) fn pass<W: Warp>(&self, warp: W, tier: Tier, length: Length) -> u32 {
        // SAFETY: the tables and layout of this heap.
        unsafe { outlined(warp, self.tables, self.layout.to_bits(), tier, length) }
    }

    #[inline(always)]
    fn pass_tiers<W: Warp>(&self, warp: W, tier: Tier, length: Length) -> u32 {
        let above = self.layout.tiers - tier.number();
        let mut step = 0;
        // The tiers from this one upwards twice, at first some rows of each.
        while step < above + self.layout.tiers {
            let (from_tier, most_rows) = if step < above {
                (step, FIRST_ROWS)
            } else {
                (step - above, u32::MAX)
            };
            // From the tier upwards, and then from the one below it downwards.
            let number = if from_tier < above {
                tier.number() + from_tier
            } else {
                self.layout.tiers - 1 - from_tier
            };
            // SAFETY: below the tiers.
            let source = unsafe { Tier::new(number) };
            let page = self.pass_tier(warp, source, tier, length, most_rows);
            if page != u32::NULL {
                return page;
            }
            step += 1;
        }
        u32::NULL
    }

    /// The first page of a block, from pages that are free in the tier `source` by so many rows of
    /// its summary, or null.
    #[inline(always)]
    fn pass_tier<W: Warp>(
        &self,
        warp: W,
        source: Tier,
        tier: Tier,
        length: Length,
        most_rows: u32,
    ) -> u32 {
        let rows = self.layout.summary_rows(source);
        let visited = if rows < most_rows { rows } else { most_rows };
        let drawn = random(warp.thread() ^ moment(), DRAW);
        for _ in 0..PASSES {
            let mut pass = TierPass {
                source,
                tier,
                length,
                misfits: 0,
                has_lost: false,
            };
            let mut row = below(drawn, rows);
            for _ in 0..visited {
                // SAFETY: a row of the summary.
                let page = unsafe { self.pass_row(warp, &mut pass, row, drawn & 15) };
                if page != u32::NULL {
                    return page;
                }
                if pass.misfits == MAX_MISFITS {
                    return u32::NULL;
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
    /// `row` is below `layout.summary_rows(source)`, and `first` below 16.
    #[inline(always)]
    unsafe fn pass_row<W: Warp>(&self, warp: W, pass: &mut TierPass, row: u32, first: u32) -> u32 {
        // SAFETY: the caller's promise. The summary lists words of the bitmap with pages only.
        unsafe {
            // Relaxed: a word that is listed meanwhile had no free page when the pass began.
            let listed = atomic::load_row(self.summary_row(pass.source, row));
            let listed = bits_of(listed, |word| word != 0);
            // The words from the first one on, and those before it behind them.
            let mut rest = (listed | listed << 16) >> first & 0xffff;
            while rest != 0 {
                let place = (rest.trailing_zeros() + first) & 15;
                let index = 16 * row + place;
                // Relaxed: as above.
                let mut words = self.summary_word(pass.source, index).load(Relaxed);
                while words != 0 {
                    let word = words.trailing_zeros();
                    // Relaxed: a hint; the removal looks again.
                    if self.word(pass.source, 32 * index + word).load(Relaxed) == FULL {
                        self.remove(pass.source, 32 * index + word);
                        words &= words - 1;
                        continue;
                    }
                    let page = self.try_word(warp, pass, 32 * index + word);
                    if page != u32::NULL {
                        return page;
                    }
                    if pass.misfits == MAX_MISFITS {
                        return u32::NULL;
                    }
                    words &= words - 1;
                }
                rest &= rest - 1;
            }
        }
        u32::NULL
    }

    /// The first page of a block from the pages of a word of `source`, or null.
    ///
    /// # Safety
    ///
    /// The word has a page.
    #[inline(always)]
    unsafe fn try_word<W: Warp>(&self, warp: W, pass: &mut TierPass, index: u32) -> u32 {
        let (source, tier) = (pass.source, pass.tier);
        // SAFETY: the caller's promise; a page that is split was taken here.
        unsafe {
            let mut tries = 0;
            loop {
                if source.number() < tier.number() {
                    let raised = self.raise(source, index, tier);
                    if let Raise::Nothing = raised {
                        pass.misfits += u32::from(tries == 0);
                        return u32::NULL;
                    }
                    if let Raise::Reached(above) = raised {
                        let run = first_run(self.free_pages(tier, above), pass.length);
                        if run != 0 && self.claim(tier, above, run) {
                            return 32 * above + run.trailing_zeros();
                        }
                        pass.has_lost |= run != 0;
                    }
                    pass.has_lost |= matches!(raised, Raise::Lost);
                } else {
                    let is_split = source.number() > tier.number();
                    let length = if is_split { Length::ONE } else { pass.length };
                    // Relaxed: a hint; the claim decides.
                    let seen = self.word(source, index).load(Relaxed);
                    let run = first_run(!seen, length);
                    if run == 0 {
                        pass.misfits += u32::from(tries == 0);
                        return u32::NULL;
                    }
                    if self.claim(source, index, run) {
                        let page = 32 * index + run.trailing_zeros();
                        return self.split(source, page, tier, pass.length);
                    }
                    pass.has_lost = true;
                }
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
    pub(super) unsafe fn claim(&self, tier: Tier, index: u32, run: u32) -> bool {
        // SAFETY: the caller's promise; what is given back was taken here.
        unsafe {
            let got = self.take(tier, index, run);
            if got == run {
                return true;
            }
            if got != 0 {
                self.give(tier, index, got);
            }
        }
        false
    }
}

/// [`Tiers::pass`], out of line.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    tier: Tier,
    length: Length,
) -> u32 {
    // SAFETY: the tables of a heap.
    let tiers = unsafe { Tiers::without_blocks(tables, layout) };
    tiers.pass_tiers(warp, tier, length)
}
