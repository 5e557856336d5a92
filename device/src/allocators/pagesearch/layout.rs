//! How the memory is divided into pages, in numbers, and how blocks are named.
//!
//! One range of memory is divided three times: a page of tier `t` is `4^t` pages of the first tier.
//! Behind it each tier has a table: rows of 16 words with a bit for each page, and rows of the
//! summary, with a bit for each word of the rows before.
//!
//! Each tier has a *home*, a third of the memory, whose pages are its own at first.
//!
//! A handle begins with two bits for the number of pages, 1 to 3, and has the number of the first
//! page in the other 30. A block of the next tier has two bits of 0 in front of these, and a page
//! in 28, and so on. A large block has none of them, and its page in 26.

use crate::allocators::number::numbers;
use crate::simt::low_bits;

/// Tiers.
pub const TIERS: u32 = 3;
/// The logarithm of the factor from a tier's pages to those of the next one.
pub const FACTOR_BITS: u32 = 2;
/// The maximum number of pages of a block: as many bytes as one more are a page of the next tier.
pub const MAX_LENGTH: u32 = (1 << FACTOR_BITS) - 1;
/// The logarithms of the bytes of a page of the first tier: minimum, default and maximum.
pub const MIN_PAGE_SHIFT: u32 = 4;
pub const DEFAULT_PAGE_SHIFT: u32 = 6;
pub const MAX_PAGE_SHIFT: u32 = 12;
/// The logarithm of the pages of the first tier in a page of the last one.
const GROUP_BITS: u32 = FACTOR_BITS * (TIERS - 1);
/// The logarithm of the pages of the first tier that a handle numbers.
const PAGE_BITS: u32 = 30;
/// The exclusive maximum number of pages of the first tier: the handle of no block is all ones.
const MAX_PAGES: u64 = 1 << PAGE_BITS;
/// Pages of a row of a bitmap, or words of a row of a summary, and its bytes.
pub const ROW_BITS: u32 = 512;
const ROW_BYTES: u64 = 64;

numbers! {
    /// A tier.
    Tier: "below `TIERS`";
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
}

/// The name of a block in the tiers, taken apart.
#[derive(Clone, Copy)]
pub struct Name {
    pub tier: Tier,
    pub length: Length,
    pub page: u32,
}

/// The meaning of a handle.
pub enum Meaning {
    /// A block in the tiers.
    Small(Name),
    /// The large block that begins with this page.
    Large(u32),
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
}

/// The meaning of a handle. That of a large block is its page.
#[inline(always)]
pub fn meaning(handle: u32) -> Meaning {
    let number = handle.leading_zeros() / FACTOR_BITS;
    if number >= TIERS {
        return Meaning::Large(handle);
    }
    // SAFETY: below the tiers. The first of the two bits from there on that is set is the
    // handle's first one, so that their number is 1 to 3.
    unsafe {
        let tier = Tier::new(number);
        let bits = page_bits(tier);
        Meaning::Small(Name {
            tier,
            length: Length::new(handle >> bits),
            page: handle & low_bits(bits),
        })
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

/// Bytes of the table of so many pages.
const fn table_bytes(pages: u64) -> u64 {
    let rows = pages.div_ceil(ROW_BITS as u64);
    let summary = pages.div_ceil(32 * ROW_BITS as u64);
    (rows + summary) * ROW_BYTES
}

/// Bytes of the tables of the tiers below this one.
#[inline(always)]
const fn tables_below(number: u32, pages: u32) -> u64 {
    let (mut below, mut bytes) = (0, 0);
    while below < number {
        bytes += table_bytes((pages >> (FACTOR_BITS * below)) as u64);
        below += 1;
    }
    bytes
}

/// Bytes of so many pages of the first tier with all tables.
const fn bytes_of(pages: u32, page_shift: u32) -> u64 {
    ((pages as u64) << page_shift) + tables_below(TIERS, pages)
}

impl Layout {
    /// The least number of bytes that can be divided.
    pub fn min_bytes(page_shift: u32) -> u64 {
        bytes_of(1 << GROUP_BITS, page_shift)
    }

    /// Divides so many bytes, no fewer than the least number. If they have more pages than
    /// handles number, as many are used as these number.
    pub fn plan(bytes: u64, page_shift: u32) -> Self {
        // A page has 43 32nds of a bit: in three tiers, and as much for 32 in the summaries.
        let fitting = 256 * bytes / ((256 << page_shift) + 43);
        let mut groups = fitting.min(MAX_PAGES - 1) as u32 >> GROUP_BITS;
        while groups > 1 && bytes_of(groups << GROUP_BITS, page_shift) > bytes {
            groups -= 1;
        }
        Self {
            pages: groups.max(1) << GROUP_BITS,
            page_shift,
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
            page_shift: (bits >> 32) as u32,
        }
    }

    /// Its bits.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.page_shift) << 32 | u64::from(self.pages)
    }

    /// Bytes of all pages.
    #[inline(always)]
    pub fn blocks(&self) -> u64 {
        u64::from(self.pages) << self.page_shift
    }

    /// Bytes of the pages and their tables.
    pub fn bytes(&self) -> u64 {
        bytes_of(self.pages, self.page_shift)
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

    /// The first page of a tier's home, and the one behind the last; the same page of the tier if
    /// there are too few for three homes.
    #[inline(always)]
    pub fn home(&self, tier: Tier) -> (u32, u32) {
        let groups = self.pages >> GROUP_BITS;
        let bits = GROUP_BITS - FACTOR_BITS * tier.number();
        let begin = |number: u32| (groups * number / TIERS) << bits;
        (begin(tier.number()), begin(tier.number() + 1))
    }

    /// The first word of a tier's bitmap with a page of its home, and the number of such words.
    #[inline(always)]
    pub fn home_words(&self, tier: Tier) -> (u32, u32) {
        let (first, end) = self.home(tier);
        let words = if first == end {
            0
        } else {
            end.div_ceil(32) - first / 32
        };
        (first / 32, words)
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
        tables_below(tier.number(), self.pages)
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
    pub fn place(first_pages: u32) -> Option<(Tier, Length)> {
        let (mut number, mut last) = (0, first_pages - 1);
        while number < TIERS {
            if last < MAX_LENGTH {
                // SAFETY: below the tiers, and one more than a number below the maximum.
                return Some(unsafe { (Tier::new(number), Length::new(last + 1)) });
            }
            number += 1;
            last >>= FACTOR_BITS;
        }
        None
    }

    /// Bytes of the largest block in the tiers.
    pub fn max_block(&self) -> u64 {
        // SAFETY: the last tier.
        let last = unsafe { Tier::new(TIERS - 1) };
        u64::from(self.pages(last).min(MAX_LENGTH)) << self.shift(last)
    }
}
