//! Pages of one tier from those of another: a free page is split into pages of lower tiers, and four
//! free pages that are one of the next tier are raised to it.
//!
//! Both are done by the owner of the pages, who sets and clears bits in the order that keeps each
//! page free in one tier at most: bits in the tier that gives are set before bits in the tier that
//! gets are cleared.

use core::sync::atomic::Ordering::Relaxed;

use super::Tiers;
use super::layout::{FACTOR_BITS, Length, Tier};
use crate::simt::low_bits;

/// Pages of a tier in a page of the next one.
const FACTOR: u32 = 1 << FACTOR_BITS;

/// The end of an attempt to raise pages.
pub enum Raise {
    /// A page of the wanted tier was given to this word of its bitmap.
    Reached(u32),
    /// Pages were raised by a tier or more, and the last of them completes no four.
    Risen,
    /// No four pages of the word are free.
    Nothing,
    /// Others took one of four pages meanwhile.
    Lost,
}

/// Of eight groups of four bits the groups that are set, as eight bits.
#[inline(always)]
fn whole_groups(bits: u32) -> u32 {
    let mut whole = bits & bits >> 1;
    whole = whole & whole >> 2 & 0x1111_1111;
    // Bits of four places, two at a time, and so on.
    whole = (whole | whole >> 3) & 0x0303_0303;
    whole = (whole | whole >> 6) & 0x000f_000f;
    (whole | whole >> 12) & 0xff
}

impl Tiers {
    /// The first of `length` pages of `tier` out of a page of a higher tier `from`; the rest is
    /// free afterwards.
    ///
    /// # Safety
    ///
    /// The caller owns the page, which is one of tier `from`.
    #[inline(always)]
    pub(super) unsafe fn split(&self, from: Tier, page: u32, tier: Tier, length: Length) -> u32 {
        let (mut number, mut first) = (from.number(), page);
        while number > tier.number() {
            number -= 1;
            first *= FACTOR;
            let kept = if number == tier.number() {
                length.number()
            } else {
                1
            };
            let rest = low_bits(FACTOR) & !low_bits(kept);
            // SAFETY: a tier below one; the four pages are parts of the caller's.
            unsafe { self.give(Tier::new(number), first / 32, rest << (first % 32)) };
        }
        first
    }

    /// The pages of a word that are free in its tier: a hint.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn free_pages(&self, tier: Tier, index: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Relaxed: claims decide.
        !unsafe { self.word(tier, index) }.load(Relaxed)
    }

    /// Takes four free pages of a word of tier `from` that are one of the next tier, and gives it
    /// that one; takes four there if they are free then, and so on up to the tier `to`.
    ///
    /// At rest a page of `to` whose parts are free in lower tiers is raised from the last of them: of
    /// its four quarters the one that is given last completes them.
    ///
    /// # Safety
    ///
    /// The word has a page, and `from` is below `to`.
    #[inline(always)]
    pub(super) unsafe fn raise(&self, from: Tier, index: u32, to: Tier) -> Raise {
        let (mut number, mut index) = (from.number(), index);
        while number < to.number() {
            // SAFETY: tiers up to the caller's, and the word of a page of each.
            unsafe {
                let tier = Tier::new(number);
                let groups = whole_groups(self.free_pages(tier, index));
                if groups == 0 {
                    return match number == from.number() {
                        true => Raise::Nothing,
                        false => Raise::Risen,
                    };
                }
                let group = groups.trailing_zeros();
                if !self.claim(tier, index, low_bits(FACTOR) << (FACTOR * group)) {
                    return Raise::Lost;
                }
                number += 1;
                let page = (32 / FACTOR) * index + group;
                index = page / 32;
                self.give(Tier::new(number), index, 1 << (page % 32));
            }
        }
        Raise::Reached(index)
    }
}
