//! Pages of one tier from those of another: a free page is split into pages of lower tiers, and
//! free pages are merged to one of a higher tier.
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

// SAFETY: below `TIERS`.
const FIRST: Tier = unsafe { Tier::new(0) };
// SAFETY: below `TIERS`.
const SECOND: Tier = unsafe { Tier::new(1) };
// SAFETY: below `TIERS`.
const THIRD: Tier = unsafe { Tier::new(2) };

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

    /// The pages of a word that are free in its tier or can be merged from free ones: a hint.
    ///
    /// # Safety
    ///
    /// The word has a page.
    #[inline(always)]
    pub(super) unsafe fn available(&self, tier: Tier, index: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            match tier.number() {
                0 => self.free_pages(FIRST, index),
                1 => self.available_second(index),
                _ => {
                    let mut merged = 0;
                    for part in 0..FACTOR {
                        let parts = self.available_second(FACTOR * index + part);
                        merged |= whole_groups(parts) << (8 * part);
                    }
                    merged | self.free_pages(THIRD, index)
                }
            }
        }
    }

    /// [`Self::available`] in the second tier.
    ///
    /// # Safety
    ///
    /// The word of this tier, or that of the third one which has its pages, has a page.
    #[inline(always)]
    unsafe fn available_second(&self, index: u32) -> u32 {
        let mut merged = 0;
        // SAFETY: rows have all words of a page of the third tier.
        unsafe {
            for part in 0..FACTOR {
                let parts = self.free_pages(FIRST, FACTOR * index + part);
                merged |= whole_groups(parts) << (8 * part);
            }
            merged | self.free_pages(SECOND, index)
        }
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

    /// Takes pages of a word that are free in its tier or can be merged: all of them, or none.
    ///
    /// # Safety
    ///
    /// They are pages of the tier.
    #[inline(always)]
    pub(super) unsafe fn claim_merged(&self, tier: Tier, index: u32, run: u32) -> bool {
        let mut rest = run;
        while rest != 0 {
            let page = 32 * index + rest.trailing_zeros();
            // SAFETY: the caller's promise; pages that are given back were taken here.
            unsafe {
                if !self.claim_page(tier, page) {
                    self.give_any(tier, index, run & !rest);
                    return false;
                }
            }
            rest &= rest - 1;
        }
        true
    }

    /// Takes a page, or the pages that it can be merged from.
    ///
    /// # Safety
    ///
    /// It is a page of the tier, which is not the first.
    #[inline(always)]
    unsafe fn claim_page(&self, tier: Tier, page: u32) -> bool {
        // SAFETY: the caller's promise, and parts of the page; those given back were taken here.
        unsafe {
            if tier.number() < THIRD.number() {
                return self.claim_second(page);
            }
            if self.claim(THIRD, page / 32, 1 << (page % 32)) {
                return true;
            }
            let first = FACTOR * page;
            for part in 0..FACTOR {
                if !self.claim_second(first + part) {
                    self.give_any(SECOND, first / 32, low_bits(part) << (first % 32));
                    return false;
                }
            }
        }
        true
    }

    /// [`Self::claim_page`] in the second tier.
    ///
    /// # Safety
    ///
    /// It is a page of the second tier.
    #[inline(always)]
    unsafe fn claim_second(&self, page: u32) -> bool {
        let first = FACTOR * page;
        // SAFETY: the caller's promise, and the parts of the page.
        unsafe {
            self.claim(SECOND, page / 32, 1 << (page % 32))
                || self.claim(FIRST, first / 32, low_bits(FACTOR) << (first % 32))
        }
    }

    /// [`Self::give`] of pages, if any.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn give_any(&self, tier: Tier, index: u32, pages: u32) {
        if pages != 0 {
            // SAFETY: the caller's promise.
            unsafe { self.give(tier, index, pages) };
        }
    }
}
