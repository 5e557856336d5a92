//! How the pool of the circular allocators is divided: regions, the table, and
//! the chunks into which it is split at the start.
//!
//! The memory set aside holds, in this order, the blocks, the table of headers,
//! one hint a region, one ticket counter a processor, the words that say where requests
//! begin beyond the nursery, and the index of free memory.
//! A *region* is a run of
//! units, a power of two long, whose first entry is a header from the start (of
//! a free chunk, or an absorbed one that leads to the region's first chunk), so
//! that a walk can begin there.

use super::index::{Index, MAX_SPANS_BITS, SPAN_BYTES};
use crate::allocator::{Heap, Request, SetupError};

/// Bytes between ticket counters, so that no two share a sector.
pub const TICKET_BYTES: u64 = 32;
/// Bytes between hints, so that no two share a sector: at 10^5 threads a fifth of
/// the time of `free` was stores that met in one.
pub const HINT_BYTES: u64 = 32;
/// Words that say where requests begin beyond the nursery, in sectors of their own: so many
/// groups of warps begin in different places. A power of two.
pub const PLACES: u32 = 32;
/// The word behind them, which all groups share.
pub const LATEST_PLACE: u32 = PLACES;
/// Alignment of the index: its rows are read at once.
pub const INDEX_ALIGN: u64 = 64;
/// The logarithm of the units that a span has at least, and of those that one has in
/// small pools whose regions are larger.
const MIN_SPAN_BITS: u32 = 5;
const SMALL_SPAN_BITS: u32 = 8;
/// The logarithm of the units that a span has at most: 128 rows, which a search reads before
/// it takes anything there. A large pool has more spans instead.
const MAX_SPAN_BITS: u32 = 16;
/// Regions that a pool is divided into, if that makes them no smaller than
/// `MIN_REGION_BYTES` and no larger than `MAX_REGION_BYTES`.
const REGIONS: u64 = 1 << 14;
const MIN_REGION_BYTES: u64 = 4096;
/// Beyond this a large pool has more regions instead: in 100 GiB, regions of 4 MiB made
/// 10^5 requests take three times as long as these.
const MAX_REGION_BYTES: u64 = 512 << 10;
/// The parameters, for messages.
pub const PARAMETERS: &str = "split=tail|uniform|heap, frag=1.0..16.0, chunk=BYTES from 1 on, \
                              region=BYTES, a power of two from a unit on (neither beyond the \
                              largest pool), unit=BYTES, a power of two from 16 (with two \
                              words a header: 32) to 4096";

/// Splits of the pool at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// The first half in chunks of one region each, the rest one large chunk.
    Tail,
    /// Chunks of one region each.
    Uniform,
    /// A binary heap of chunk sizes, by equation 1; one for each processor in
    /// the allocators with an offset a processor.
    Heap,
}

/// The scalars of a circular heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Units in the pool.
    pub units: u32,
    /// Regions, the last perhaps shorter than the others.
    pub regions: u32,
    /// Regions among which requests of up to a region are spread.
    pub nursery: u32,
    /// Region length in units, a power of two.
    pub region_units: u32,
    /// The logarithm of that.
    pub region_bits: u32,
    /// The first region beyond the nursery, where chunks are larger; the first
    /// of all if there is none.
    pub beyond: u32,
    /// The logarithm of the units of a span of the index.
    pub span_bits: u32,
    /// The logarithm of a unit's bytes.
    pub unit_shift: u32,
    /// Where the index lies behind the start of the blocks, in `INDEX_ALIGN` bytes.
    pub index: u32,
    /// The least remainder that becomes a chunk of its own, in units.
    pub least: u32,
    /// Maximum fragmentation (`MAX_FRAG` in Algorithm 3), in sixteenths.
    pub fragmentation: u32,
    /// Ticket counters.
    pub tickets: u32,
    /// Where they lie behind the start of the hints, in `TICKET_BYTES`.
    pub first_ticket: u32,
    /// The split.
    pub split: Split,
    /// The heap's largest chunk, as a power of two of units (`Split::Heap`).
    pub root_bits: u32,
    /// Units of one heap (`Split::Heap`).
    pub period: u32,
}

fn value_of<'a>(request: &Request<'a>, name: &str) -> Option<&'a str> {
    request
        .parameters
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| *value)
}

fn bad() -> SetupError {
    SetupError::BadParameter {
        expected: PARAMETERS,
    }
}

/// Divides the memory of `request` into units of `1 << unit_shift` bytes with `words`
/// header words each; `multi` asks for an offset a processor.
pub fn plan(
    request: &Request,
    unit_shift: u32,
    words: u64,
    limit: u64,
    multi: bool,
) -> Result<Heap, SetupError> {
    for (name, _) in request.parameters {
        if !["split", "frag", "chunk", "region", "unit"].contains(name) {
            return Err(bad());
        }
    }
    let unit = 1 << unit_shift;
    let split = match value_of(request, "split") {
        None | Some("tail") => Split::Tail,
        Some("uniform") => Split::Uniform,
        Some("heap") => Split::Heap,
        Some(_) => return Err(bad()),
    };
    let fragmentation = match value_of(request, "frag") {
        None => 16,
        Some(text) => {
            let ratio: f32 = text.parse().map_err(|_| bad())?;
            if !(1.0..=16.0).contains(&ratio) {
                return Err(bad());
            }
            (ratio * 16.0) as u32
        }
    };
    // A value larger than any pool would be truncated where it is packed.
    let bytes_of = |name: &str, least: u64| match value_of(request, name) {
        None => Ok(None),
        Some(text) => match text.parse::<u64>() {
            Ok(bytes) if (least..=limit * unit).contains(&bytes) => Ok(Some(bytes)),
            _ => Err(bad()),
        },
    };
    let least = bytes_of("chunk", 1)?.unwrap_or(unit).div_ceil(unit);

    let tickets = if multi { request.processors.max(1) } else { 1 };
    let counters = u64::from(tickets) + u64::from(LATEST_PLACE) + 1;
    let fixed = counters * TICKET_BYTES + 512;
    // Each unit has header words and a bit. All in eighths of a byte.
    let each = 8 * (unit + 4 * words) + 1;
    let smallest = fixed + (MIN_REGION_BYTES / unit * each).div_ceil(8) + 3 * INDEX_ALIGN;
    if request.pool_bytes < smallest {
        return Err(SetupError::PoolTooSmall { needed: smallest });
    }
    let estimate = (request.pool_bytes - fixed).saturating_mul(8) / each;
    // A region has at least `MIN_REGION_BYTES`: hints take a hundredth.
    let region_units = match bytes_of("region", unit)? {
        Some(bytes) if bytes.is_power_of_two() => bytes / unit,
        Some(_) => return Err(bad()),
        None => {
            let length = estimate / REGIONS;
            1 << length
                .clamp(MIN_REGION_BYTES / unit, MAX_REGION_BYTES / unit)
                .ilog2()
        }
    };
    // Spans follow the regions, as far as the bounds of the index permit.
    let least_span = (estimate >> MAX_SPANS_BITS).next_power_of_two().ilog2();
    let least_span = least_span.clamp(MIN_SPAN_BITS, MAX_SPAN_BITS);
    let most_span = least_span.max(SMALL_SPAN_BITS);
    let span_bits = region_units.ilog2().clamp(least_span, most_span);
    // With its hint and its share of the spans a region takes so much.
    // A region beyond the end of the pool counts as far as the pool goes.
    let counted = region_units.min(estimate.next_power_of_two());
    let extra = HINT_BYTES + SPAN_BYTES * (counted >> span_bits).max(1);
    let region = counted.saturating_mul(each).saturating_add(8 * extra);
    let tables = ((request.pool_bytes - fixed).saturating_mul(8) / region + 1) * extra;
    let units = (request.pool_bytes - fixed)
        .saturating_sub(tables)
        .saturating_mul(8)
        / each;
    if units > limit {
        return Err(SetupError::PoolTooLarge {
            limit: limit * (each / 8),
        });
    }
    let regions = units.div_ceil(region_units);
    let nursery = match split {
        Split::Tail => (units / 2 / region_units).max(1),
        Split::Uniform | Split::Heap => regions,
    };
    let heaps = if split == Split::Heap {
        u64::from(tickets)
    } else {
        1
    };
    let (root_bits, period) = heap_shape(units / heaps, least);

    let table = (units * unit).next_multiple_of(256);
    let hint_table = table + units * 4 * words;
    let first_ticket = (regions * HINT_BYTES).div_ceil(TICKET_BYTES);
    let tickets_end = hint_table + (first_ticket + counters) * TICKET_BYTES;
    let index = tickets_end.next_multiple_of(INDEX_ALIGN);
    debug_assert!(index + Index::bytes(units, span_bits) <= request.pool_bytes);
    Ok(Heap {
        pointers: [
            request.base,
            request.base.wrapping_add(table as usize),
            request.base.wrapping_add(hint_table as usize),
            core::ptr::null_mut(),
        ],
        integers: [
            units | regions << 32,
            nursery | u64::from(region_units.ilog2()) << 32,
            region_units | (if nursery < regions { nursery } else { 0 }) << 32,
            least | u64::from(fragmentation) << 32,
            u64::from(tickets) | first_ticket << 32,
            split as u64 | u64::from(root_bits) << 8 | u64::from(unit_shift) << 16 | period << 32,
            u64::from(span_bits) | (index / INDEX_ALIGN) << 32,
        ],
    })
}

/// The largest binary heap of chunks, none smaller than `least`, that fits into
/// `units`: the size of its root as a power of two, and the units it takes.
///
/// Every level has as many units as the root (equation 1).
fn heap_shape(units: u64, least: u64) -> (u32, u64) {
    let least_bits = u64::from(least.next_power_of_two().ilog2());
    let mut best = (0, 0);
    // With more heaps than units there is none: the pool is one chunk.
    let most_bits = units.checked_ilog2().map_or(0, u64::from);
    for root_bits in least_bits..=most_bits {
        let total = (root_bits - least_bits + 1) << root_bits;
        if total <= units {
            best = (root_bits as u32, total);
        }
    }
    best
}

impl Layout {
    /// Unpacks what `plan` packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        let low = |index: usize| integers[index] as u32;
        let high = |index: usize| (integers[index] >> 32) as u32;
        Self {
            units: low(0),
            regions: high(0),
            nursery: low(1),
            region_bits: high(1),
            region_units: low(2),
            beyond: high(2),
            least: low(3),
            fragmentation: high(3),
            tickets: low(4),
            first_ticket: high(4),
            span_bits: low(6),
            index: high(6),
            split: match low(5) & 0xff {
                0 => Split::Tail,
                1 => Split::Uniform,
                _ => Split::Heap,
            },
            root_bits: low(5) >> 8 & 0xff,
            unit_shift: low(5) >> 16,
            period: high(5),
        }
    }

    /// The first unit at or after `unit` where a chunk starts when the heap is
    /// empty; `units` past the last.
    #[inline(always)]
    pub fn first_head(&self, unit: u32) -> u32 {
        let region =
            (unit >> self.region_bits) + u32::from(unit & ((1 << self.region_bits) - 1) != 0);
        let head = match self.split {
            Split::Tail if region > self.nursery => self.units,
            Split::Tail | Split::Uniform => {
                if region >= self.regions {
                    self.units
                } else {
                    region << self.region_bits
                }
            }
            Split::Heap => self.first_heap_head(unit),
        };
        if head < self.units { head } else { self.units }
    }

    /// `first_head` for `Split::Heap`: heaps one after another, then the rest
    /// as one chunk.
    #[inline(always)]
    fn first_heap_head(&self, unit: u32) -> u32 {
        if self.period == 0 {
            return if unit == 0 { 0 } else { self.units };
        }
        let heap = unit.checked_div(self.period).unwrap_or(0);
        if heap >= self.tickets {
            let end = self.tickets * self.period;
            return if unit == end { end } else { self.units };
        }
        let inside = unit - heap * self.period;
        let level = inside >> self.root_bits;
        let chunk_bits = self.root_bits - level;
        let mask = (1 << chunk_bits) - 1;
        heap * self.period + ((inside + mask) & !mask)
    }
}
