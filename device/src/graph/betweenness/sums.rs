//! Sums along rows, in an order that the row alone defines.
//!
//! A row of at most `SHORT` entries is summed from the first to the last, by one lane. A longer one is
//! cut into chunks of `CHUNK` entries, and a warp sums a chunk: each of 32 partial sums has every 32nd
//! entry, and they are added in pairs, those 16 apart first. The sums of the chunks of a row are added in
//! the same way, by a later launch. A lane alone keeps to the same order.

use core::sync::atomic::Ordering::Relaxed;

use super::{CHUNK, Chunks, Paths, Scaled, word};
use crate::graph::chunks::Chunk;
use crate::graph::store::{Vertex, VertexId};
use crate::simt::reduce::all_xor64;
use crate::simt::{Warp, leader};

/// Entries that one lane sums, at the most.
const SHORT: u32 = 32;

/// Partial sums of a warp.
const PARTIAL: u32 = 32;

/// The sum of so many terms, in every lane. All lanes call this.
#[inline(always)]
fn sum_by_warp<W: Warp>(warp: W, count: u32, term: impl Fn(u32) -> Scaled) -> Scaled {
    let every = |first: u32| {
        let (mut sum, mut index) = (Scaled::ZERO, first);
        while index < count {
            sum = sum.plus(term(index));
            index += PARTIAL;
        }
        sum
    };
    if W::IS_SOLO {
        let mut sums = [Scaled::ZERO; PARTIAL as usize];
        let mut half = PARTIAL as usize;
        for (sum, first) in sums.iter_mut().zip(0..) {
            *sum = every(first);
        }
        while half > 1 {
            half /= 2;
            for index in 0..half {
                sums[index] = sums[index].plus(sums[index + half]);
            }
        }
        return sums[0];
    }
    let mut sum = every(warp.lane());
    let mut step = PARTIAL / 2;
    while step > 0 {
        let value = all_xor64(warp, sum.value().to_bits(), step);
        let scale = all_xor64(warp, sum.scale() as u64, step);
        sum = sum.plus(Scaled::new(f64::from_bits(value), scale as i64));
        step /= 2;
    }
    sum
}

/// The vertices of rows whose sums are made, and how.
pub trait Summed {
    /// The row that is summed.
    fn row(&self, vertex: VertexId) -> Vertex;

    /// The term of a neighbour: 0 if it has none.
    fn term(&self, neighbour: VertexId) -> Scaled;

    /// Takes the sum of a row. Each row has one lane that calls this in one launch.
    ///
    /// # Safety
    ///
    /// The vertex is one of the level, and this lane's.
    unsafe fn settle(&self, vertex: VertexId, sum: Scaled);
}

/// Sums the rows of a level, and the chunks of those that have several.
///
/// # Safety
///
/// The chunks are those of the level, and terms are known.
#[inline(always)]
pub unsafe fn sum_rows<W: Warp>(warp: W, paths: &Paths, chunks: Chunks, rows: &impl Summed) {
    let mut first = warp.warp() * W::LANES;
    while first < chunks.count {
        // SAFETY: chunks of the level, whose entries are vertices below their length.
        unsafe {
            let place = first + warp.lane();
            let chunk = chunks.get(place);
            let term = |chunk: &Chunk, index: u32| rows.term(VertexId::new(chunk.entry(index)));
            let mut sum = Scaled::ZERO;
            if chunk.length <= SHORT {
                let mut index = 0;
                while index < chunk.length {
                    sum = sum.plus(term(&chunk, index));
                    index += 1;
                }
            }
            let mut long = warp.ballot(W::FULL, chunk.length > SHORT);
            while long != 0 {
                let owner = leader(long);
                let shared = Chunk {
                    address: warp.shuffle64(W::FULL, chunk.address, owner),
                    length: warp.shuffle(W::FULL, chunk.length, owner),
                    vertex: 0,
                };
                let found = sum_by_warp(warp, shared.length, |index| term(&shared, index));
                if warp.lane() == owner {
                    sum = found;
                }
                long &= long - 1;
            }
            if chunk.length > 0 {
                let vertex = VertexId::new(chunk.vertex);
                if rows.row(vertex).degree <= CHUNK {
                    rows.settle(vertex, sum.normal());
                } else {
                    let at = (chunks.begin + place) as usize;
                    paths.partial.add(at).write(sum.normal());
                    // Relaxed: the next launch reads it.
                    paths.record::<{ word::DIVIDED }>(1).store(1, Relaxed);
                }
            }
        }
        first += warp.threads();
    }
}

/// Adds the sums of the chunks of rows that have several.
///
/// # Safety
///
/// The launch before has summed the chunks, which are those of the level.
#[inline(always)]
pub unsafe fn sum_divided_rows<W: Warp>(
    warp: W,
    paths: &Paths,
    chunks: Chunks,
    rows: &impl Summed,
) {
    let mut first = warp.warp() * W::LANES;
    while first < chunks.count {
        // SAFETY: chunks of the level; those of a row stand one behind the other.
        unsafe {
            let place = first + warp.lane();
            let chunk = chunks.get(place);
            let mut number = 0;
            if chunk.length > 0 {
                let row = rows.row(VertexId::new(chunk.vertex));
                if row.degree > CHUNK && row.address == chunk.address {
                    number = row.degree.div_ceil(CHUNK);
                }
            }
            let mut divided = warp.ballot(W::FULL, number > 0);
            while divided != 0 {
                let owner = leader(divided);
                let begin = chunks.begin + warp.shuffle(W::FULL, place, owner);
                let number = warp.shuffle(W::FULL, number, owner);
                let sum = sum_by_warp(warp, number, |index| {
                    *paths.partial.add((begin + index) as usize)
                });
                if warp.lane() == owner {
                    rows.settle(VertexId::new(chunk.vertex), sum.normal());
                }
                divided &= divided - 1;
            }
        }
        first += warp.threads();
    }
}
