//! How the memory is divided into pages, in numbers, and how blocks are named.
//!
//! One range of memory is divided once for each tier: a page of tier `t` is `4^t` pages of the first
//! tier. There are as many tiers as leave eight pages to the last one, but five at least. Behind the
//! memory each tier has a table: rows of 16 words with a bit for each page, and rows of the
//! summary, with a bit for each word of the rows before.
//!
//! Each of the first six tiers has a *home*: memory whose pages are its own at first. The sixth one has
//! three eighths of all, for requests that find the pages of their tier used up: to split a page costs
//! less than to put one together. Of the rest the five small tiers have a tenth, one, two, two and four,
//! as a number of blocks needs more memory if they are larger.
//!
//! A handle begins with two bits for the number of pages, 1 to 3, and has the number of the first
//! page in the other 30. A block of the next tier has two bits of 0 in front of these, and a page
//! in 28, and so on.

use crate::allocators::number::numbers;
use crate::simt::low_bits;

/// Small tiers. Each has a home, and so has the tier behind them, if there is one.
const SMALL_TIERS: u32 = 5;
/// Where the homes of small tiers begin, and the last one ends, in tenths of their memory: a byte each.
const HOMES: u64 = 0x0a_06_04_02_01_00;
/// The maximum number of tiers: pages of the last one are numbered by two bits.
const MAX_TIERS: u32 = 15;
/// The logarithm of the least pages of the last tier, if it is none of the first five.
const LAST_BITS: u32 = 3;
/// The logarithm of the factor from a tier's pages to those of the next one.
pub const FACTOR_BITS: u32 = 2;
/// The maximum number of pages of a block: as many bytes as one more are a page of the next tier.
pub const MAX_LENGTH: u32 = (1 << FACTOR_BITS) - 1;
/// The logarithms of the bytes of a page of the first tier: minimum, which is the default, and
/// maximum.
pub const MIN_PAGE_SHIFT: u32 = 4;
pub const MAX_PAGE_SHIFT: u32 = 12;
/// The logarithm of the pages of the first tier in a page of the fifth one: their number is a multiple
/// of that.
const GROUP_BITS: u32 = FACTOR_BITS * (SMALL_TIERS - 1);
/// The logarithm of the pages of the first tier that a handle numbers.
const PAGE_BITS: u32 = 30;
/// The exclusive maximum number of pages of the first tier: the handle of no block is all ones.
const MAX_PAGES: u64 = 1 << PAGE_BITS;
/// Pages of a row of a bitmap, or words of a row of a summary, and its bytes.
pub const ROW_BITS: u32 = 512;
const ROW_BYTES: u64 = 64;

numbers! {
    /// A tier.
    Tier: "below `MAX_TIERS`";
    /// The pages of a block.
    Length: "1 to `MAX_LENGTH`";
}

impl Length {
    // SAFETY: 1 to the maximum.
    pub const ONE: Self = unsafe { Self::new(1) };
}

/// The scalars of the tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pages of the first tier: a multiple of a group, and not 0.
    pub pages: u32,
    /// The logarithm of their bytes.
    pub page_shift: u32,
    /// Tiers.
    pub tiers: u32,
}

/// The name of a block in the tiers, taken apart.
#[derive(Clone, Copy)]
pub struct Name {
    pub tier: Tier,
    pub length: Length,
    pub page: u32,
}

/// The logarithm of the pages of a tier that a handle numbers.
#[inline(always)]
fn page_bits(tier: Tier) -> u32 {
    PAGE_BITS - FACTOR_BITS * tier.number()
}

impl Name {
    /// The handle.
    #[inline(always)]
    pub fn handle(self) -> u32 {
        self.length.number() << page_bits(self.tier) | self.page
    }

    /// The block with this handle; none if it is no name.
    #[inline(always)]
    pub fn of(handle: u32) -> Option<Self> {
        let number = handle.leading_zeros() / FACTOR_BITS;
        if number >= MAX_TIERS {
            return None;
        }
        // SAFETY: below the maximum. Of the two bits behind the tier's zeros one is set, so that the
        // length is 1 to 3.
        unsafe {
            let tier = Tier::new(number);
            let bits = page_bits(tier);
            Some(Self {
                tier,
                length: Length::new(handle >> bits),
                page: handle & low_bits(bits),
            })
        }
    }
}

/// Of the 32 numbers from `at` on, a bit for each that is at least `first` and below `end`.
#[inline(always)]
pub fn between(at: u32, first: u32, end: u32) -> u32 {
    let below = |bound: u32| {
        let count = bound.saturating_sub(at);
        low_bits(if count < 32 { count } else { 32 })
    };
    below(end) & !below(first)
}

/// The first word of a bitmap with one of these pages, from the first up to the one behind the
/// last, and the number of such words.
#[inline(always)]
pub fn words_of((first, end): (u32, u32)) -> (u32, u32) {
    let words = match first == end {
        true => 0,
        false => end.div_ceil(32) - first / 32,
    };
    (first / 32, words)
}

/// Rows of the tables of the tiers below this one, and some that are unused: a number that takes no
/// loop. The first table has `r` rows at most, and that of tier `t` has `r / 4^t + 3`. These add up to
/// no more than `4 / 3 * (r - r / 4^t) + 4 * t`, whichever way the quotients are rounded.
#[inline(always)]
const fn rows_below(number: u32, pages: u32) -> u32 {
    let first = pages.div_ceil(ROW_BITS) + pages.div_ceil(32 * ROW_BITS);
    4 * (first - (first >> (FACTOR_BITS * number))) / 3 + 4 * number
}

/// The number of tiers over so many pages of the first one.
const fn tiers_of(pages: u32) -> u32 {
    let mut tiers = SMALL_TIERS;
    while tiers < MAX_TIERS && pages >> (FACTOR_BITS * tiers + LAST_BITS) != 0 {
        tiers += 1;
    }
    tiers
}

/// Bytes of so many pages of the first tier with all tables.
const fn bytes_of(pages: u32, page_shift: u32) -> u64 {
    ((pages as u64) << page_shift) + ROW_BYTES * rows_below(tiers_of(pages), pages) as u64
}

impl Layout {
    /// The least number of bytes that can be divided.
    pub fn min_bytes(page_shift: u32) -> u64 {
        bytes_of(1 << GROUP_BITS, page_shift)
    }

    /// Divides so many bytes, no fewer than the least number. If they have more pages than
    /// handles number, as many are used as these number.
    pub fn plan(bytes: u64, page_shift: u32) -> Self {
        // A page has 44 32nds of a bit: in all tiers, and as much for 32 in the summaries.
        let fitting = 256 * bytes / ((256 << page_shift) + 44);
        let mut groups = fitting.min(MAX_PAGES - 1) as u32 >> GROUP_BITS;
        while groups > 1 && bytes_of(groups << GROUP_BITS, page_shift) > bytes {
            groups -= 1;
        }
        let pages = groups.max(1) << GROUP_BITS;
        Self {
            pages,
            page_shift,
            tiers: tiers_of(pages),
        }
    }

    /// Whether handles number all pages into which so many bytes can be divided.
    pub fn is_numbered(bytes: u64, page_shift: u32) -> bool {
        bytes >> page_shift < MAX_PAGES
    }

    /// The layout with these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            pages: bits as u32,
            page_shift: (bits >> 32) as u32 & 0xff,
            tiers: (bits >> 40) as u32,
        }
    }

    /// Its bits.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.tiers) << 40 | u64::from(self.page_shift) << 32 | u64::from(self.pages)
    }

    /// Bytes of all pages.
    #[inline(always)]
    pub fn blocks(&self) -> u64 {
        u64::from(self.pages) << self.page_shift
    }

    /// The logarithm of the bytes of a tier's pages.
    #[inline(always)]
    pub fn shift(&self, tier: Tier) -> u32 {
        self.page_shift + FACTOR_BITS * tier.number()
    }

    /// Pages of a tier, one at least.
    #[inline(always)]
    pub fn pages(&self, tier: Tier) -> u32 {
        self.pages >> (FACTOR_BITS * tier.number())
    }

    /// The first page of a tier's home, and the one behind the last; the same page of a tier without
    /// one.
    #[inline(always)]
    pub fn home(&self, tier: Tier) -> (u32, u32) {
        // SAFETY: below the maximum; without that tier there are too few pages for one of it.
        let reserve = self.pages(unsafe { Tier::new(SMALL_TIERS) });
        let reserve = match self.tiers {
            SMALL_TIERS => 0,
            _ => reserve * 3 / 8,
        };
        if tier.number() >= SMALL_TIERS {
            let is_reserve = tier.number() == SMALL_TIERS;
            return (0, if is_reserve { reserve } else { 0 });
        }
        let begin = reserve << FACTOR_BITS;
        let rest = (self.pages >> GROUP_BITS) - begin;
        let bits = GROUP_BITS - FACTOR_BITS * tier.number();
        let part = |number: u32| {
            let tenths = (HOMES >> (8 * number)) as u8;
            (begin + rest * u32::from(tenths) / 10) << bits
        };
        (part(tier.number()), part(tier.number() + 1))
    }

    /// The pages that a draw of this number is of: those of the home and all by turns.
    #[inline(always)]
    pub fn drawn_pages(&self, tier: Tier, draw: u32) -> (u32, u32) {
        let (first, end) = self.home(tier);
        match draw.is_multiple_of(2) && first != end {
            true => (first, end),
            false => (0, self.pages(tier)),
        }
    }

    /// Words of the rows of a tier's bitmap.
    #[inline(always)]
    pub fn words(&self, tier: Tier) -> u32 {
        self.pages(tier).div_ceil(ROW_BITS) * (ROW_BITS / 32)
    }

    /// Rows of a tier's summary, one at least.
    #[inline(always)]
    pub fn summary_rows(&self, tier: Tier) -> u32 {
        self.pages(tier).div_ceil(32 * ROW_BITS)
    }

    /// Where a tier's bitmap begins behind the first table.
    #[inline(always)]
    pub fn bitmap(&self, tier: Tier) -> u64 {
        ROW_BYTES * u64::from(rows_below(tier.number(), self.pages))
    }

    /// Where a tier's summary begins behind the first table.
    #[inline(always)]
    pub fn summary(&self, tier: Tier) -> u64 {
        self.bitmap(tier) + 4 * u64::from(self.words(tier))
    }

    /// Where a page begins behind the first one, in bytes.
    #[inline(always)]
    pub fn offset(&self, tier: Tier, page: u32) -> u64 {
        u64::from(page) << self.shift(tier)
    }

    /// The tier with the least pages that make a block of so many of the first tier, and their
    /// number; none if they are too many for a block in any.
    #[inline(always)]
    pub fn place(&self, first_pages: u32) -> Option<(Tier, Length)> {
        let (mut number, mut last) = (0, first_pages - 1);
        while number < self.tiers {
            if last < MAX_LENGTH {
                // SAFETY: below the tiers, and one more than a number below the maximum.
                return Some(unsafe { (Tier::new(number), Length::new(last + 1)) });
            }
            number += 1;
            last >>= FACTOR_BITS;
        }
        None
    }

    /// Bytes of the largest block.
    pub fn max_block(&self) -> u64 {
        // SAFETY: the last tier.
        let last = unsafe { Tier::new(self.tiers - 1) };
        u64::from(self.pages(last).min(MAX_LENGTH)) << self.shift(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts of many sizes, those around powers of two among them.
    fn layouts() -> impl Iterator<Item = Layout> {
        let near = (0..22).flat_map(|bits| (0..3).map(move |more| (1 << bits) + more - 1));
        let groups = near
            .chain(1..2000)
            .filter(|groups| (1..=4_194_303).contains(groups));
        groups.map(|groups| {
            let layout = Layout::plan(bytes_of(groups << GROUP_BITS, 4), 4);
            assert_eq!(layout.pages, groups << GROUP_BITS);
            layout
        })
    }

    #[test]
    fn tables_do_not_overlap() {
        for layout in layouts() {
            let mut end = 0;
            for number in 0..layout.tiers {
                // SAFETY: tiers of this layout.
                let tier = unsafe { Tier::new(number) };
                assert!(layout.bitmap(tier) >= end, "{layout:?}, {number}");
                end = layout.summary(tier) + 64 * u64::from(layout.summary_rows(tier));
            }
            let bytes = bytes_of(layout.pages, layout.page_shift);
            assert!(end <= bytes - layout.blocks(), "{layout:?}");
        }
    }

    /// Each page has one home.
    #[test]
    fn homes_divide_all_memory() {
        for layout in layouts() {
            let mut end = 0;
            let small = 0..SMALL_TIERS;
            for number in (SMALL_TIERS..layout.tiers).chain(small) {
                // SAFETY: tiers of this layout.
                let tier = unsafe { Tier::new(number) };
                let (first, behind) = layout.home(tier);
                assert!(behind <= layout.pages(tier));
                if first != behind {
                    assert_eq!(layout.offset(tier, first), end, "{layout:?}, {number}");
                    end = layout.offset(tier, behind);
                }
            }
            assert_eq!(end, layout.blocks(), "{layout:?}");
        }
    }
}
