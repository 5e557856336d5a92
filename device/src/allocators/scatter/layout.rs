//! How the pool is divided: pages, units, and the tables behind the pages.
//!
//! Blocks are multiples of a *unit*: 16 bytes, or the 1024th part of a page if that is more,
//! so that a page has at most 32 x 32 chunks. A handle is the number of the unit with which a
//! block begins.
//!
//! Behind the pages lie the words of places where requests begin, and then for each super
//! block: a word and a bitmap for each of its pages, a fill level for each of its regions, and
//! a map with a bit for each page. The tables of the last super block are as large as the
//! others', with words for pages that are not there: never free.

use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::MIN_UNIT_SHIFT;

/// Pages of a region: a word of the map.
pub const REGION_PAGES: u32 = 32;
/// Pages of a super block: a row of 16 words of the map.
pub const SUPER_PAGES: u32 = 512;
/// Bytes of a super block's tables: a word and a bitmap a page, a fill level and a word of
/// the map a region.
pub const SUPER_BYTES: u64 = 2 * 4 * SUPER_PAGES as u64 + 2 * 4 * (SUPER_PAGES / 32) as u64;
/// The logarithm of the places where requests begin.
pub const PLACE_BITS: u32 = 6;
/// The place of runs that are longer than a region, behind the others: a count of pages.
pub const LONG_PLACE: u32 = 1 << PLACE_BITS;
/// Bytes of the places' words.
pub const PLACES_BYTES: u64 = 512;
/// The logarithm of the units that a page has at most.
const MAX_UNIT_BITS: u32 = 10;
/// The logarithms of a page's bytes: minimum, default and maximum.
const MIN_PAGE_SHIFT: u32 = 10;
const DEFAULT_PAGE_SHIFT: u32 = 12;
const MAX_PAGE_SHIFT: u32 = 26;
/// Parts of the pool. Requests are scattered over one, the last at first, and go on to the one
/// in front of it when it is full: large blocks have the others as long as they suffice.
const PARTS: u32 = 8;

const PARAMETERS: &str = "page=BYTES, a power of two from 1024 to 67108864";

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Pages.
    pub pages: u32,
    /// The logarithm of a page's bytes.
    pub page_shift: u32,
}

/// Bytes that so many pages take with their tables.
fn bytes_for(pages: u64, page_shift: u32) -> u64 {
    let super_blocks = pages.div_ceil(u64::from(SUPER_PAGES));
    PLACES_BYTES + (pages << page_shift) + super_blocks * SUPER_BYTES
}

/// Divides a pool into pages of `1 << page_shift` bytes.
fn divide(request: &Request, page_shift: u32) -> Result<Heap, SetupError> {
    let needed = bytes_for(1, page_shift);
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    let rest = request.pool_bytes - PLACES_BYTES;
    let each = (u64::from(SUPER_PAGES) << page_shift) + SUPER_BYTES;
    let last = (rest % each).saturating_sub(SUPER_BYTES) >> page_shift;
    let pages = rest / each * u64::from(SUPER_PAGES) + last;
    // One handle is null.
    let layout = Layout {
        pages: 0,
        page_shift,
    };
    let most = u64::from(u32::MAX) >> layout.unit_bits();
    if pages > most {
        return Err(SetupError::PoolTooLarge {
            limit: bytes_for(most, page_shift),
        });
    }
    let tables = request.base.wrapping_add((pages << page_shift) as usize);
    let null = core::ptr::null_mut();
    Ok(Heap {
        pointers: [request.base, tables, null, null],
        integers: [pages, u64::from(page_shift), 0, 0, 0, 0, 0],
    })
}

/// Divides the memory of `request` into pages of the size that it names, or of the least
/// from 4 KiB on whose units can be numbered.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    match request.parameters {
        [] => {
            let mut shift = DEFAULT_PAGE_SHIFT;
            loop {
                match divide(request, shift) {
                    Err(SetupError::PoolTooLarge { .. }) if shift < MAX_PAGE_SHIFT => shift += 1,
                    done => return done,
                }
            }
        }
        [("page", text)] => match text.parse::<u64>() {
            Ok(bytes) if bytes.is_power_of_two() => match bytes.ilog2() {
                shift @ MIN_PAGE_SHIFT..=MAX_PAGE_SHIFT => divide(request, shift),
                _ => Err(bad),
            },
            _ => Err(bad),
        },
        _ => Err(bad),
    }
}

impl Layout {
    /// Unpacks what [`plan`] packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        Self {
            pages: integers[0] as u32,
            page_shift: integers[1] as u32,
        }
    }

    /// The layout in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.page_shift) << 32 | u64::from(self.pages)
    }

    /// The layout of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            pages: bits as u32,
            page_shift: (bits >> 32) as u32,
        }
    }

    /// The logarithm of the units of a page.
    #[inline(always)]
    pub fn unit_bits(&self) -> u32 {
        let bits = self.page_shift - MIN_UNIT_SHIFT;
        if bits < MAX_UNIT_BITS {
            bits
        } else {
            MAX_UNIT_BITS
        }
    }

    /// The logarithm of a unit's bytes.
    #[inline(always)]
    pub fn unit_shift(&self) -> u32 {
        self.page_shift - self.unit_bits()
    }

    /// Units of a page.
    #[inline(always)]
    pub fn page_units(&self) -> u32 {
        1 << self.unit_bits()
    }

    /// Super blocks, the last of them perhaps with fewer pages.
    #[inline(always)]
    pub fn super_blocks(&self) -> u32 {
        self.pages.div_ceil(SUPER_PAGES)
    }

    /// Parts of the pool, or 0 if they would be shorter than a super block: then requests
    /// are not scattered.
    #[inline(always)]
    pub fn parts(&self) -> u32 {
        if self.pages >= PARTS * SUPER_PAGES {
            PARTS
        } else {
            0
        }
    }

    /// Pages of a part, over which requests are scattered.
    #[inline(always)]
    pub fn part_pages(&self) -> u32 {
        if self.parts() == 0 {
            self.pages
        } else {
            self.pages / PARTS
        }
    }

    /// The page a part in front of `page`, around the end of the pool.
    #[inline(always)]
    pub fn part_before(&self, page: u32) -> u32 {
        let part = self.part_pages();
        if page >= part {
            page - part
        } else {
            page + (self.pages - part)
        }
    }

    /// Units at the end of a page that hold the bits of more than 32 chunks.
    #[inline(always)]
    fn bitmap_units(&self) -> u32 {
        let bytes = self.page_units() / 8;
        (bytes + (1 << self.unit_shift()) - 1) >> self.unit_shift()
    }

    /// The chunks of a page for requests of `units`, which is not 0.
    ///
    /// Chunks are as large as that many can be ([`Self::stride`]), so requests of similar
    /// sizes share pages: a size is this number, not the bytes.
    #[inline(always)]
    pub fn capacity(&self, units: u32) -> u32 {
        let chunks = self.page_units().checked_div(units).unwrap_or(0);
        if chunks <= 32 {
            return chunks;
        }
        let units_left = self.page_units() - self.bitmap_units();
        let chunks = units_left.checked_div(units).unwrap_or(0);
        if chunks < 32 { 32 } else { chunks }
    }

    /// Units of each of `capacity` chunks, a number that [`Self::capacity`] returned.
    #[inline(always)]
    pub fn stride(&self, capacity: u32) -> u32 {
        let mut units = self.page_units();
        if capacity > 32 {
            units -= self.bitmap_units();
        }
        units.checked_div(capacity).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    /// For every size up to half a page, of all page sizes: chunks are large enough, lie in
    /// front of the bits, and a request as large as a chunk gets one of the same pages.
    #[test]
    fn sizes_are_consistent() {
        for page_shift in 10..=26 {
            let layout = Layout {
                pages: 1,
                page_shift,
            };
            for units in 1..=layout.page_units() / 2 {
                let capacity = layout.capacity(units);
                let stride = layout.stride(capacity);
                assert!((2..=1024).contains(&capacity), "{page_shift} {units}");
                assert!(stride >= units, "{page_shift} {units}");
                assert_eq!(layout.capacity(stride), capacity, "{page_shift} {units}");
                let bytes = u64::from(stride * capacity) << layout.unit_shift();
                let bits = if capacity > 32 {
                    4 * capacity.div_ceil(32)
                } else {
                    0
                };
                let free = (1 << page_shift) - bytes;
                assert!(free >= u64::from(bits), "{page_shift} {units}");
            }
        }
    }
}
