//! How the areas are divided, in numbers, and how their blocks are named.
//!
//! The areas have the same number of bytes, and lie one behind the other. Pages of area `a` are
//! `4^a` times as large as those of the first. Behind the areas each has a table: rows of 16 words
//! with a bit for each page, set while the page is owned, and rows of the summary, with a bit for
//! each word of the rows before. All tables have the size of the first one, so that none needs a
//! scalar of its own.
//!
//! A handle has four bits for the area and the number of pages, or for a large block, and 28 for
//! the number of the first page.

use crate::allocators::number::numbers;

/// Areas.
pub const AREAS: u32 = 3;
/// The logarithm of the factor from an area's pages to those of the next one.
const FACTOR_BITS: u32 = 2;
/// The maximum number of pages of a block: the pages of the next area are larger than these.
pub const MAX_LENGTH: u32 = 3;
/// The logarithms of the bytes of a page of the first area: minimum, default and maximum.
pub const MIN_PAGE_SHIFT: u32 = 4;
pub const DEFAULT_PAGE_SHIFT: u32 = 6;
pub const MAX_PAGE_SHIFT: u32 = 12;
/// Pages of the first area come in groups of so many, which are a page of the last one.
const GROUP: u64 = 1 << (FACTOR_BITS * (AREAS - 1));
/// The logarithm of the pages that a handle numbers.
const PAGE_BITS: u32 = 28;
/// The number behind the page in the handles of large blocks.
const LARGE: u32 = 15;
/// Pages of a row of a bitmap, or words of a row of a summary, and its bytes.
pub const ROW_BITS: u32 = 512;
const ROW_BYTES: u64 = 64;

numbers! {
    /// An area.
    Area: "below `AREAS`";
    /// The pages of a block.
    Length: "1 to `MAX_LENGTH`";
}

/// The scalars of the areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pages of the first area: a multiple of a group, and not 0.
    pub pages: u32,
    /// The logarithm of their bytes.
    pub page_shift: u32,
}

/// The name of a block in the areas, taken apart.
#[derive(Clone, Copy)]
pub struct Name {
    pub area: Area,
    pub length: Length,
    pub page: u32,
}

/// The meaning of a handle.
pub enum Meaning {
    /// A block in the areas.
    Small(Name),
    /// The large block that begins with this page.
    Large(u32),
    /// Nothing.
    Nothing,
}

impl Name {
    /// The handle.
    #[inline(always)]
    pub fn handle(self) -> u32 {
        let class = self.area.number() * MAX_LENGTH + self.length.number() - 1;
        class << PAGE_BITS | self.page
    }
}

/// The handle of the large block that begins with a page.
#[inline(always)]
pub fn large_handle(page: u32) -> u32 {
    LARGE << PAGE_BITS | page
}

/// The meaning of a handle.
#[inline(always)]
pub fn meaning(handle: u32) -> Meaning {
    let (class, page) = (handle >> PAGE_BITS, handle & ((1 << PAGE_BITS) - 1));
    if class == LARGE {
        return Meaning::Large(page);
    }
    if class >= AREAS * MAX_LENGTH {
        return Meaning::Nothing;
    }
    // SAFETY: a quotient below the areas, and a remainder below the maximum length.
    let (area, length) = unsafe {
        (
            Area::new(class / MAX_LENGTH),
            Length::new(class % MAX_LENGTH + 1),
        )
    };
    Meaning::Small(Name { area, length, page })
}

/// Bytes of a table of so many pages.
const fn table_bytes(pages: u64) -> u64 {
    let rows = pages.div_ceil(ROW_BITS as u64);
    let summary = pages.div_ceil(32 * ROW_BITS as u64);
    (rows + summary) * ROW_BYTES
}

/// Bytes of areas with so many pages in the first one, and of their tables.
const fn bytes_of(pages: u64, page_shift: u32) -> u64 {
    AREAS as u64 * ((pages << page_shift) + table_bytes(pages))
}

impl Layout {
    /// The least number of bytes that can be divided.
    pub fn min_bytes(page_shift: u32) -> u64 {
        bytes_of(GROUP, page_shift)
    }

    /// Divides so many bytes, no fewer than the least number. Of more pages than handles number
    /// the areas have as many as these number.
    pub fn plan(bytes: u64, page_shift: u32) -> Self {
        let pages = Self::fitting(bytes, page_shift);
        let most = (1 << PAGE_BITS) - GROUP;
        Self {
            pages: pages.min(most) as u32,
            page_shift,
        }
    }

    /// Whether handles number all pages into which so many bytes can be divided.
    pub fn is_numbered(bytes: u64, page_shift: u32) -> bool {
        Self::fitting(bytes, page_shift) < 1 << PAGE_BITS
    }

    /// Pages of the first area that fit into so many bytes with the others.
    fn fitting(bytes: u64, page_shift: u32) -> u64 {
        // A page has at least a bit beside it: the first number is at most some percent too high.
        let most = 8 * bytes / (u64::from(AREAS) * ((8 << page_shift) + 1));
        let mut pages = most / GROUP * GROUP;
        while pages > 0 && bytes_of(pages, page_shift) > bytes {
            pages -= GROUP;
        }
        pages
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

    /// Bytes of all areas.
    #[inline(always)]
    pub fn blocks(&self) -> u64 {
        u64::from(AREAS) * self.area_bytes()
    }

    /// Bytes of the areas and their tables.
    pub fn bytes(&self) -> u64 {
        bytes_of(u64::from(self.pages), self.page_shift)
    }

    /// Bytes of an area.
    #[inline(always)]
    fn area_bytes(&self) -> u64 {
        u64::from(self.pages) << self.page_shift
    }

    /// The logarithm of the bytes of an area's pages.
    #[inline(always)]
    pub fn shift(&self, area: Area) -> u32 {
        self.page_shift + FACTOR_BITS * area.number()
    }

    /// Pages of an area, one at least.
    #[inline(always)]
    pub fn pages(&self, area: Area) -> u32 {
        self.pages >> (FACTOR_BITS * area.number())
    }

    /// Words of an area's bitmap, one at least.
    #[inline(always)]
    pub fn words(&self, area: Area) -> u32 {
        self.pages(area).div_ceil(32)
    }

    /// Rows of an area's summary, one at least.
    #[inline(always)]
    pub fn summary_rows(&self, area: Area) -> u32 {
        self.words(area).div_ceil(ROW_BITS)
    }

    /// Where an area's bitmap begins behind the first table.
    #[inline(always)]
    pub fn bitmap(&self, area: Area) -> u64 {
        u64::from(area.number()) * table_bytes(u64::from(self.pages))
    }

    /// Where an area's summary begins behind the first table.
    #[inline(always)]
    pub fn summary(&self, area: Area) -> u64 {
        let rows = u64::from(self.pages.div_ceil(ROW_BITS));
        self.bitmap(area) + rows * ROW_BYTES
    }

    /// Where a page begins behind the first one of all areas, in bytes.
    #[inline(always)]
    pub fn offset(&self, area: Area, page: u32) -> u64 {
        u64::from(area.number()) * self.area_bytes() + (u64::from(page) << self.shift(area))
    }

    /// The pages of an area that hold so many of the first area, if a block may have as many.
    #[inline(always)]
    pub fn length(area: Area, first_pages: u32) -> Option<Length> {
        let last = (first_pages - 1) >> (FACTOR_BITS * area.number());
        // SAFETY: one more than a number below the maximum.
        (last < MAX_LENGTH).then(|| unsafe { Length::new(last + 1) })
    }

    /// The area with the least pages that hold so many of the first area; none if they are too
    /// many for a block in any.
    #[inline(always)]
    pub fn area_for(first_pages: u32) -> Option<Area> {
        let mut number = 0;
        while number < AREAS {
            // SAFETY: below the areas.
            let area = unsafe { Area::new(number) };
            if Self::length(area, first_pages).is_some() {
                return Some(area);
            }
            number += 1;
        }
        None
    }

    /// Bytes of the largest block in the areas.
    pub fn max_block(&self) -> u64 {
        // SAFETY: the last area.
        let last = unsafe { Area::new(AREAS - 1) };
        u64::from(self.pages(last).min(MAX_LENGTH)) << self.shift(last)
    }
}
