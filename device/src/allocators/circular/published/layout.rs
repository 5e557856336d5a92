//! How the pool of the published walk is divided: the blocks, the table of
//! headers, and one offset for all or one a multiprocessor.

use crate::allocator::{Heap, Request, SetupError};

/// Bytes between offsets, so that no two share a sector.
pub const OFFSET_BYTES: u64 = 32;
/// Chunks of one size that a pool is split into, if that makes them no smaller
/// than `MIN_PIECE_BYTES`.
const PIECES: u64 = 1 << 14;
const MIN_PIECE_BYTES: u64 = 4096;
const PARAMETERS: &str = "split=tail|uniform|heap, frag=1.0..16.0, chunk=BYTES, region=BYTES";

/// Splits of the pool at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Split {
    /// The first half in pieces, the rest one chunk.
    Tail,
    /// All in pieces.
    Uniform,
    /// A binary heap of chunk sizes, by equation 1; one for each offset.
    Heap,
}

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Units in the pool.
    pub units: u32,
    /// Offsets.
    pub offsets: u32,
    /// The least remainder that becomes a chunk of its own, in units.
    pub least: u32,
    /// Maximum fragmentation (`MAX_FRAG` in Algorithm 3), in sixteenths.
    pub fragmentation: u32,
    /// Pieces that the pool is split into; behind them lies one chunk.
    pieces: u32,
    /// The logarithm of a piece's units.
    piece_bits: u32,
    split: Split,
    /// The root of a binary heap, as a power of two of units.
    root_bits: u32,
    /// Units of one binary heap.
    period: u32,
    /// The largest chunk of an empty heap.
    pub largest: u32,
}

fn bad() -> SetupError {
    SetupError::BadParameter {
        expected: PARAMETERS,
    }
}

/// The request, in units.
struct Options {
    split: Split,
    fragmentation: u32,
    least: u64,
    piece: Option<u64>,
}

impl Options {
    fn parse(request: &Request, unit: u64, limit: u64) -> Result<Self, SetupError> {
        let mut options = Self {
            split: Split::Tail,
            fragmentation: 16,
            least: 1,
            piece: None,
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| bad());
        for (name, value) in request.parameters {
            match (*name, *value) {
                ("split", "tail") => options.split = Split::Tail,
                ("split", "uniform") => options.split = Split::Uniform,
                ("split", "heap") => options.split = Split::Heap,
                ("frag", text) => {
                    let ratio: f32 = text.parse().map_err(|_| bad())?;
                    if !(1.0..=16.0).contains(&ratio) {
                        return Err(bad());
                    }
                    options.fragmentation = (ratio * 16.0) as u32;
                }
                ("chunk", text) => {
                    options.least = number(text)?.div_ceil(unit).clamp(1, limit);
                }
                ("region", text) => {
                    let bytes = number(text)?;
                    if !bytes.is_power_of_two() || bytes < unit || bytes / unit > limit {
                        return Err(bad());
                    }
                    options.piece = Some(bytes / unit);
                }
                _ => return Err(bad()),
            }
        }
        Ok(options)
    }
}

/// Divides the memory of `request` into units of `unit` bytes with `words`
/// header words each; `multi` asks for an offset a multiprocessor.
pub fn plan(
    request: &Request,
    unit: u64,
    words: u64,
    limit: u64,
    multi: bool,
) -> Result<Heap, SetupError> {
    let options = Options::parse(request, unit, limit)?;
    let offsets = if multi { request.processors.max(1) } else { 1 };
    let fixed = u64::from(offsets) * OFFSET_BYTES + 512;
    let each = unit + 4 * words;
    let needed = fixed + MIN_PIECE_BYTES / unit * each;
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    let units = (request.pool_bytes - fixed) / each;
    if units > limit {
        return Err(SetupError::PoolTooLarge {
            limit: limit * each,
        });
    }
    let piece_bits = match options.piece {
        Some(piece) => piece.ilog2(),
        None => (units / PIECES).max(MIN_PIECE_BYTES / unit).ilog2(),
    };
    let heaps = u64::from(offsets);
    let (root_bits, period) = heap_shape(units / heaps, options.least);
    let pieces = match options.split {
        Split::Tail => (units / 2) >> piece_bits,
        Split::Uniform => units >> piece_bits,
        Split::Heap => 0,
    };
    // The first chunk, and the units behind the last one of a regular size.
    let (first, behind) = match options.split {
        Split::Heap if period == 0 => (0, units),
        Split::Heap => (1 << root_bits, units - heaps * period),
        _ if pieces == 0 => (0, units),
        _ => (1 << piece_bits, units - (pieces << piece_bits)),
    };
    let table = (units * unit).next_multiple_of(256);
    let offset_table = (table + units * 4 * words).next_multiple_of(OFFSET_BYTES);
    Ok(Heap {
        pointers: [
            request.base,
            request.base.wrapping_add(table as usize),
            request.base.wrapping_add(offset_table as usize),
            core::ptr::null_mut(),
        ],
        integers: [
            units | u64::from(offsets) << 32,
            options.least | u64::from(options.fragmentation) << 32,
            pieces | u64::from(piece_bits) << 32,
            options.split as u64 | u64::from(root_bits) << 8 | period << 32,
            first.max(behind),
            0,
            0,
        ],
    })
}

/// The largest binary heap of chunks, none smaller than `least`, that fits into
/// `units`: the size of its root as a power of two, and the units it takes.
///
/// Every level has as many units as the root (equation 1).
fn heap_shape(units: u64, least: u64) -> (u32, u64) {
    let least_bits = least.next_power_of_two().ilog2();
    // With more heaps than units there is none: the pool is one chunk.
    let most_bits = units.checked_ilog2().unwrap_or(0);
    let total = |root_bits: u32| u64::from(root_bits - least_bits + 1) << root_bits;
    (least_bits..=most_bits)
        .rev()
        .find(|&root_bits| total(root_bits) <= units)
        .map_or((0, 0), |root_bits| (root_bits, total(root_bits)))
}

impl Layout {
    /// Unpacks what `plan` packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        let low = |index: usize| integers[index] as u32;
        let high = |index: usize| (integers[index] >> 32) as u32;
        Self {
            units: low(0),
            offsets: high(0),
            least: low(1),
            fragmentation: high(1),
            pieces: low(2),
            piece_bits: high(2),
            split: match low(3) & 0xff {
                0 => Split::Tail,
                1 => Split::Uniform,
                _ => Split::Heap,
            },
            root_bits: low(3) >> 8,
            period: high(3),
            largest: low(4),
        }
    }

    /// The first unit at or after `unit` where a chunk starts when the heap is
    /// empty; `units` past the last.
    #[inline(always)]
    pub fn first_head(&self, unit: u32) -> u32 {
        let head = match self.split {
            Split::Heap => self.first_heap_head(unit),
            Split::Tail | Split::Uniform => {
                let inside = unit & ((1 << self.piece_bits) - 1);
                let piece = (unit >> self.piece_bits) + u32::from(inside != 0);
                if piece > self.pieces {
                    self.units
                } else {
                    piece << self.piece_bits
                }
            }
        };
        if head < self.units { head } else { self.units }
    }

    /// `first_head` for `Split::Heap`: heaps one after another, then the rest
    /// as one chunk.
    #[inline(always)]
    fn first_heap_head(&self, unit: u32) -> u32 {
        let heap = unit.checked_div(self.period).unwrap_or(self.offsets);
        if heap >= self.offsets {
            let end = self.offsets * self.period;
            return if unit <= end { end } else { self.units };
        }
        let inside = unit - heap * self.period;
        // Chunks of a level have half the units of those of the level before.
        let mask = (1 << (self.root_bits - (inside >> self.root_bits))) - 1;
        heap * self.period + ((inside + mask) & !mask)
    }

    /// The chunk that an offset points to at first: the root of its own binary
    /// heap, or a piece, as far from the others as can be.
    #[inline(always)]
    pub fn first_offset(&self, index: u32) -> u32 {
        let unit = match self.split {
            Split::Heap => index * self.period,
            Split::Tail | Split::Uniform => {
                let piece = u64::from(index) * u64::from(self.pieces);
                let piece = piece.checked_div(u64::from(self.offsets)).unwrap_or(0);
                (piece as u32) << self.piece_bits
            }
        };
        if unit < self.units { unit } else { 0 }
    }
}
