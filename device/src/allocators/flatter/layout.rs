//! How the pool is divided: pages, units, and the table behind the pages.
//!
//! Chunks are multiples of a *unit*: 16 bytes, or the 8192th part of a page if that is more. A
//! handle is the number of the unit with which a block begins.
//!
//! Behind the pages lie the word that moves where requests begin, in a line of its own, and a word
//! for each page. An access block is a number of pages; the last may have fewer.

use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::MIN_UNIT_SHIFT;

/// Bytes in front of the words of pages.
pub const HEADER_BYTES: u64 = 128;
/// Bytes of a page's word.
const WORD_BYTES: u64 = 8;
/// The logarithm of the units that a page has at most.
const MAX_UNIT_BITS: u32 = 13;
/// The logarithms of a page's bytes: minimum, minimum by default, default and maximum.
const MIN_PAGE_SHIFT: u32 = 10;
const SMALL_PAGE_SHIFT: u32 = 12;
const DEFAULT_PAGE_SHIFT: u32 = 17;
const MAX_PAGE_SHIFT: u32 = 26;
/// The logarithm of the pages that an access block has by default.
const DEFAULT_BLOCK_BITS: u32 = 10;
const DEFAULT_BLOCK_SHIFT: u32 = DEFAULT_PAGE_SHIFT + DEFAULT_BLOCK_BITS;
const MAX_BLOCK_SHIFT: u32 = 40;
const DEFAULT_WASTE: u32 = 2;
const MAX_WASTE: u32 = 16;
/// Bytes of a mask of 32 bits.
pub const MASK_BYTES: u32 = 4;

const PARAMETERS: &str = "page=BYTES, a power of two from 1024 to 67108864, block=BYTES, a power of \
                          two from a page to 2^40, waste=1..16";

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Pages.
    pub pages: u32,
    /// The logarithm of a page's bytes.
    pub page_shift: u32,
    /// The logarithm of the pages of an access block.
    pub block_bits: u32,
    /// How many times as large as a request a chunk may be.
    pub waste: u32,
}

/// Bytes that so many pages take with their words.
fn bytes_for(pages: u64, page_shift: u32) -> u64 {
    HEADER_BYTES + (pages << page_shift) + WORD_BYTES * pages
}

/// The logarithm of `text`, if that is a power of two.
fn power(text: &str) -> Option<u32> {
    let bytes = text.parse::<u64>().ok()?;
    bytes.is_power_of_two().then(|| bytes.ilog2())
}

/// Divides a pool into pages of `1 << page_shift` bytes.
fn divide(
    request: &Request,
    page_shift: u32,
    block_shift: u32,
    waste: u32,
) -> Result<Heap, SetupError> {
    let needed = bytes_for(1, page_shift);
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    let each = (1 << page_shift) + WORD_BYTES;
    let pages = (request.pool_bytes - HEADER_BYTES) / each;
    let layout = Layout {
        pages: 0,
        page_shift,
        block_bits: 0,
        waste,
    };
    // One handle is null.
    let most = u64::from(u32::MAX) >> layout.unit_bits();
    if pages > most {
        return Err(SetupError::PoolTooLarge {
            limit: bytes_for(most, page_shift),
        });
    }
    let table = request.base.wrapping_add((pages << page_shift) as usize);
    let null = core::ptr::null_mut();
    let block_bits = u64::from(block_shift - page_shift).min(31);
    let (page_shift, waste) = (u64::from(page_shift), u64::from(waste));
    Ok(Heap {
        pointers: [request.base, table, null, null],
        integers: [pages, page_shift, block_bits, waste, 0, 0, 0],
    })
}

/// Divides the memory of `request` into pages of the size that it names, or of the least from the
/// default on whose units can be numbered.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    let (mut page, mut block, mut waste) = (None, None, DEFAULT_WASTE);
    for (name, text) in request.parameters {
        match *name {
            "page" => match power(text) {
                Some(shift @ MIN_PAGE_SHIFT..=MAX_PAGE_SHIFT) => page = Some(shift),
                _ => return Err(bad),
            },
            "block" => match power(text) {
                Some(shift @ MIN_PAGE_SHIFT..=MAX_BLOCK_SHIFT) => block = Some(shift),
                _ => return Err(bad),
            },
            "waste" => match text.parse() {
                Ok(times @ 1..=MAX_WASTE) => waste = times,
                _ => return Err(bad),
            },
            _ => return Err(bad),
        }
    }
    if let Some(shift) = page {
        let block = block.unwrap_or(DEFAULT_BLOCK_SHIFT.max(shift));
        if block < shift {
            return Err(bad);
        }
        return divide(request, shift, block, waste);
    }
    // A pool that is no access block has as many pages as one, as far as they are not too small.
    let pool_shift = request.pool_bytes.checked_ilog2().unwrap_or(0);
    let shift = pool_shift.saturating_sub(DEFAULT_BLOCK_BITS);
    let mut shift = shift.clamp(SMALL_PAGE_SHIFT, DEFAULT_PAGE_SHIFT);
    if let Some(block) = block {
        shift = shift.min(block);
    }
    loop {
        let block = block.unwrap_or(DEFAULT_BLOCK_SHIFT.max(shift));
        match divide(request, shift, block, waste) {
            Err(SetupError::PoolTooLarge { .. }) if shift < MAX_PAGE_SHIFT && shift < block => {
                shift += 1;
            }
            done => return done,
        }
    }
}

impl Layout {
    /// Unpacks what [`plan`] packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        Self {
            pages: integers[0] as u32,
            page_shift: integers[1] as u32,
            block_bits: integers[2] as u32,
            waste: integers[3] as u32,
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

    /// Access blocks.
    #[inline(always)]
    pub fn access_blocks(&self) -> u32 {
        ((self.pages - 1) >> self.block_bits) + 1
    }

    /// Pages of an access block.
    #[inline(always)]
    pub fn pages_of(&self, access_block: u32) -> u32 {
        let rest = self.pages - (access_block << self.block_bits);
        let pages = 1 << self.block_bits;
        if rest < pages { rest } else { pages }
    }

    /// The chunks of `units` each that a page has beside their bits, 32 to a mask.
    #[inline(always)]
    pub fn capacity(&self, units: u32) -> u32 {
        let page: u32 = 1 << self.page_shift;
        let chunk = units << self.unit_shift();
        let group = 32 * chunk + MASK_BYTES;
        let groups = page.checked_div(group).unwrap_or(0);
        let rest = page - groups * group;
        let last = rest.saturating_sub(MASK_BYTES).checked_div(chunk);
        32 * groups + last.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, MASK_BYTES};

    /// For every size below half a page, of all page sizes: a page has two chunks at least, which
    /// lie in front of their bits, and no room for another.
    #[test]
    fn chunks_lie_in_front_of_their_bits() {
        for page_shift in 10..=26 {
            let layout = Layout {
                pages: 1,
                page_shift,
                block_bits: 0,
                waste: 2,
            };
            let bytes_for = |capacity: u32, units: u32| {
                let chunks = u64::from(capacity * units) << layout.unit_shift();
                chunks + u64::from(MASK_BYTES * capacity.div_ceil(32))
            };
            for units in 1..layout.page_units() / 2 {
                let capacity = layout.capacity(units);
                assert!((2..=8192).contains(&capacity), "{page_shift} {units}");
                assert!(bytes_for(capacity, units) <= 1 << page_shift);
                assert!(bytes_for(capacity + 1, units) > 1 << page_shift);
            }
        }
    }
}
