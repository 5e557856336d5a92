//! A radix sort of keys, least significant digit first.
//!
//! The unit is a warp with its scratch memory, which holds a counter for each
//! value of a digit of up to 8 bits. A pass is three launches over `tiles`
//! segments of the keys:
//!
//! 1. `SortCount` counts the digits of each tile;
//! 2. `SortOffsets` turns the counts of each value into positions among all tiles;
//! 3. `SortScatter` writes each key where its value, its tile and its position in
//!    the tile say.
//!
//! Only the bits that ids have are sorted: 40 for a million vertices, in 5
//! passes. A pass reads the keys twice and writes them once, 24 bytes a key,
//! and moves 16 bytes for each value and tile. The first pass makes the keys from edges as it
//! goes. With few keys it is latency that counts, so loads are made in groups that do not
//! wait for each other.
//!
//! Digits of 10 bits need 4 passes, and each takes three times as long with many keys: a
//! tile then writes to 1024 places, and so many sectors that are written in part do not stay
//! in the L2 cache of a GPU until they are full.
//!
//! Invariant: keys with equal digits keep their order, within a tile because
//! its rows are taken in turn and lanes are ranked, between tiles by the sums.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use crate::arguments;
use crate::graph::store::keys::Form;
use crate::kernel::PlainKernel;
use crate::simt::{Warp, rank};

/// The most bits of a digit. Its counters fit the scratch memory.
pub const DIGIT_BITS: u32 = 8;
/// Rows of keys or counters that are requested together, so that their latencies
/// overlap. A tile has a multiple of this.
const ROWS: u32 = 4;

arguments! {
    /// A pass.
    pub struct SortArguments {
        pointers {
            /// Edges in the first pass, keys in the others; `count` words.
            input: u64,
            /// The keys in the order of this digit and those below.
            output: u64,
            /// A word for each value of the digit and each tile; those of a
            /// value lie together.
            counts: u32,
            /// A word for each value of the digit.
            totals: u32,
            /// Words that the first pass clears.
            header: u64,
        }
        integers {
            /// Words of the input.
            count: u32,
            /// Vertices of the graph.
            vertices: u32,
            /// The form of the words.
            flags: u32,
            /// Keys of a tile, a multiple of 128.
            tile: u32,
            /// Tiles.
            tiles: u32,
            /// The lowest bit of the digit.
            shift: u32,
            /// Bits of the digit.
            bits: u32,
            /// Words of the header.
            header_words: u32,
        }
    }
}

impl SortArguments {
    #[inline(always)]
    fn form(&self) -> Form {
        Form {
            vertices: self.vertices,
            count: self.count,
            flags: self.flags,
        }
    }

    /// The values of the digit.
    #[inline(always)]
    fn values(&self) -> u32 {
        1 << self.bits
    }

    /// The digit of a key.
    #[inline(always)]
    fn digit(&self, key: u64) -> u32 {
        (key >> self.shift) as u32 & (self.values() - 1)
    }

    /// The count of a value in a tile.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds; `value` is below `values()`, and `tile` below `tiles`.
    #[inline(always)]
    unsafe fn count_at(&self, value: u32, tile: u32) -> *mut u32 {
        // SAFETY: the caller's promise; there is a word for each value and tile.
        unsafe {
            let index = u64::from(value) * u64::from(self.tiles) + u64::from(tile);
            self.counts.add(index as usize)
        }
    }

    /// The words of `ROWS` rows of keys; that of the first row is `index`.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    unsafe fn words<W: Warp>(&self, index: u32) -> [u64; ROWS as usize] {
        // SAFETY: the caller's promise.
        unsafe {
            let form = self.form();
            core::array::from_fn(|row| form.word(self.input, index + row as u32 * W::LANES))
        }
    }

    /// Calls `visit` with the keys of `ROWS` rows, whose words these are. Not a
    /// loop, so that the words stay in registers.
    #[inline(always)]
    fn visit<W: Warp>(
        &self,
        words: [u64; ROWS as usize],
        index: u32,
        mut visit: impl FnMut(Option<u64>),
    ) {
        let form = self.form();
        visit(form.key_of(words[0], index));
        visit(form.key_of(words[1], index + W::LANES));
        visit(form.key_of(words[2], index + 2 * W::LANES));
        visit(form.key_of(words[3], index + 3 * W::LANES));
    }
}

/// The counters of a digit's values, in the warp's scratch memory.
#[derive(Clone, Copy)]
struct Counters(*mut u32);

impl Counters {
    /// Those of a warp. Asked for once a kernel, for it is a call.
    #[inline(always)]
    fn of<W: Warp>(warp: W) -> Self {
        Self(warp.scratch().cast())
    }

    /// The counter of a value.
    ///
    /// # Safety
    ///
    /// The counters are the warp's, and the value has `DIGIT_BITS` bits.
    #[inline(always)]
    unsafe fn at(self, value: u32) -> *mut u32 {
        // SAFETY: the caller's promise; scratch memory has that many words.
        unsafe { self.0.add(value as usize) }
    }
}

/// Counts the digits of each tile.
pub struct SortCount;

impl PlainKernel for SortCount {
    type Arguments = SortArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let mut word = warp.thread();
        while word < sort.header_words {
            // SAFETY: below the number of words.
            unsafe { sort.header.add(word as usize).write(0) };
            word += warp.threads();
        }
        let counters = Counters::of(warp);
        let mut tile = warp.warp();
        while tile < sort.tiles {
            let mut value = warp.lane();
            while value < sort.values() {
                // SAFETY: the scratch memory is the warp's.
                unsafe { counters.at(value).write(0) };
                value += W::LANES;
            }
            warp.sync(W::FULL);
            let mut row = 0;
            while row < sort.tile {
                let index = tile * sort.tile + row + warp.lane();
                // SAFETY: the kernel's contract.
                let words = unsafe { sort.words::<W>(index) };
                sort.visit::<W>(words, index, |key| {
                    let Some(key) = key else { return };
                    // SAFETY: in scratch memory, which other lanes access in
                    // the same way between the two `sync`.
                    let counter = unsafe { &*counters.at(sort.digit(key)).cast::<SharedU32>() };
                    counter.fetch_add(1, Relaxed);
                });
                row += ROWS * W::LANES;
            }
            warp.sync(W::FULL);
            let mut value = warp.lane();
            while value < sort.values() {
                // SAFETY: the `sync` above orders this behind the counting.
                unsafe { *sort.count_at(value, tile) = *counters.at(value) };
                value += W::LANES;
            }
            warp.sync(W::FULL);
            tile += warp.warps();
        }
    }
}

/// Turns the counts of each value into sums over the tiles before.
pub struct SortOffsets;

impl PlainKernel for SortOffsets {
    type Arguments = SortArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let mut value = warp.warp();
        while value < sort.values() {
            let mut sum = 0_u32;
            let mut first = warp.lane();
            while first - warp.lane() < sort.tiles {
                let tile = |row: u32| first + row * W::LANES;
                let counts: [u32; ROWS as usize] = core::array::from_fn(|row| {
                    if tile(row as u32) < sort.tiles {
                        // SAFETY: only this lane accesses the word.
                        unsafe { *sort.count_at(value, tile(row as u32)) }
                    } else {
                        0
                    }
                });
                let mut write_offset = |count: u32, row: u32| {
                    let end = sum.wrapping_add(warp.all_inclusive_sum(count));
                    if tile(row) < sort.tiles {
                        // SAFETY: as above.
                        unsafe { *sort.count_at(value, tile(row)) = end.wrapping_sub(count) };
                    }
                    sum = warp.shuffle(W::FULL, end, W::LANES - 1);
                };
                write_offset(counts[0], 0);
                write_offset(counts[1], 1);
                write_offset(counts[2], 2);
                write_offset(counts[3], 3);
                first += ROWS * W::LANES;
            }
            if warp.lane() == 0 {
                // SAFETY: there is a word for each value.
                unsafe { sort.totals.add(value as usize).write(sum) };
            }
            value += warp.warps();
        }
    }
}

/// Writes the keys to their positions.
pub struct SortScatter;

impl SortScatter {
    /// Puts into scratch memory where the keys of each value in a tile go.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `SortCount` and `SortOffsets` have run, `tile` is below
    /// `tiles`, the counters are the warp's, and all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn write_offsets<W: Warp>(warp: W, counters: Counters, sort: &SortArguments, tile: u32) {
        let mut sum = 0_u32;
        let mut first = warp.lane();
        while first - warp.lane() < sort.values() {
            let value = |row: u32| first + row * W::LANES;
            let words: [(u32, u32); ROWS as usize] = core::array::from_fn(|row| {
                let value = value(row as u32);
                if value < sort.values() {
                    // SAFETY: there is a word for each value, and one for each
                    // value and tile.
                    unsafe {
                        (
                            *sort.totals.add(value as usize),
                            *sort.count_at(value, tile),
                        )
                    }
                } else {
                    (0, 0)
                }
            });
            let mut write_offset = |(total, before): (u32, u32), row: u32| {
                let end = sum.wrapping_add(warp.all_inclusive_sum(total));
                if value(row) < sort.values() {
                    let position = end.wrapping_sub(total).wrapping_add(before);
                    // SAFETY: scratch memory has a word for each value.
                    unsafe { *counters.at(value(row)) = position };
                }
                sum = warp.shuffle(W::FULL, end, W::LANES - 1);
            };
            write_offset(words[0], 0);
            write_offset(words[1], 1);
            write_offset(words[2], 2);
            write_offset(words[3], 3);
            first += ROWS * W::LANES;
        }
        warp.sync(W::FULL);
    }
}

impl SortScatter {
    /// Writes a row of keys to their positions; `same` are the lanes that have a key with
    /// the digit of this lane's. All lanes call this.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, the counters are the warp's and hold offsets, and all lanes
    /// of the warp make the call.
    #[inline(always)]
    unsafe fn put<W: Warp>(
        warp: W,
        counters: Counters,
        sort: &SortArguments,
        key: Option<u64>,
        same: u32,
    ) {
        // SAFETY: the caller's promise. A digit has a counter; the lanes read it before the first
        // `sync`, and one of those with the digit writes it before the second. Every key has a
        // position of its own among the keys.
        unsafe {
            let digit = sort.digit(key.unwrap_or(0));
            let before = rank(same, warp.lane());
            let position = *counters.at(digit);
            warp.sync(W::FULL);
            if let Some(key) = key {
                if before == 0 {
                    *counters.at(digit) = position + same.count_ones();
                }
                sort.output.add((position + before) as usize).write(key);
            }
            warp.sync(W::FULL);
        }
    }
}

impl PlainKernel for SortScatter {
    type Arguments = SortArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let counters = Counters::of(warp);
        let mut tile = warp.warp();
        while tile < sort.tiles {
            // SAFETY: the launches before have written counts and totals; the tile is
            // below `tiles`.
            unsafe { Self::write_offsets(warp, counters, &sort, tile) };
            let first = tile * sort.tile + warp.lane();
            // SAFETY: the kernel's contract.
            let mut next = unsafe { sort.words::<W>(first) };
            let mut row = 0;
            while row < sort.tile {
                let (words, index) = (next, first + row);
                row += ROWS * W::LANES;
                // Requested now, so that they are there when these are done.
                if row < sort.tile {
                    // SAFETY: as above.
                    next = unsafe { sort.words::<W>(first + row) };
                }
                let form = sort.form();
                let keys: [Option<u64>; ROWS as usize] = core::array::from_fn(|row| {
                    form.key_of(words[row], index + row as u32 * W::LANES)
                });
                // All before the first is written, so that they do not wait for each other.
                let same = keys.map(|key| {
                    let digit = key.map_or(u32::MAX, |key| sort.digit(key));
                    warp.match_any(W::FULL, digit)
                });
                // SAFETY: the kernel's contract; the counters are this warp's, with the offsets
                // that `write_offsets` has left.
                unsafe {
                    Self::put(warp, counters, &sort, keys[0], same[0]);
                    Self::put(warp, counters, &sort, keys[1], same[1]);
                    Self::put(warp, counters, &sort, keys[2], same[2]);
                    Self::put(warp, counters, &sort, keys[3], same[3]);
                }
            }
            tile += warp.warps();
        }
    }
}
