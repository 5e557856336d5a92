//! The structure of a circular heap at rest, read by other code than its own.
//!
//! - Live chunks, followed from unit 0, partition the pool; those in use are
//!   exactly the live blocks.
//! - No entry inside a chunk says free or used, and absorbed ones lead forward.
//! - From the first unit of each region the links lead to the first live chunk
//!   that starts in the region, if there is one.
//! - The index says of each unit whether it is free: by its bit, unless the version
//!   of its span is odd, which means that the span lies in a block.
//! - A note with the version of its span is an upper bound of what the bits show.
//!
//! Of the allocators with the published walk, which have no regions, the first two.

use std::collections::BTreeSet;

use super::bench::Traits;
use super::ledger::Block;
use super::plain;
use heapwood_device::allocator::Heap;

const NONE: u32 = 0;
const FREE: u32 = 1;
const USED: u32 = 2;
const ABSORBED: u32 = 3;

/// An entry of the table of headers.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The unit where the next chunk starts.
    pub next: u32,
    /// Locked, free, used or absorbed.
    pub state: u32,
}

/// The traits of a circular allocator with state and link in one word.
pub fn fused() -> Traits {
    Traits {
        inspect: inspect::<1>,
        ..plain()
    }
}

/// The traits of one with state and link in two words.
pub fn two_words() -> Traits {
    Traits {
        inspect: inspect::<2>,
        ..plain()
    }
}

/// The traits of one with the published walk, whose table has `WORDS` words per unit.
pub fn published<const WORDS: usize>() -> Traits {
    Traits {
        inspect: |heap, live| check_chunks(&table::<WORDS>(heap), live),
        ..plain()
    }
}

/// Checks a heap whose table has `WORDS` words per unit.
pub fn inspect<const WORDS: usize>(heap: &Heap, live: &[Block]) {
    let table = table::<WORDS>(heap);
    check_chunks(&table, live);
    let region_units = 1 << (heap.integers[1] >> 32);
    let heads = heads(&table);
    check_anchors(&table, &heads, region_units);
    check_index(heap, &table, &heads);
}

/// The table of headers, which has `WORDS` words a unit: 1, with the state in the
/// two low bits, or 2, state and link.
pub fn table<const WORDS: usize>(heap: &Heap) -> Vec<Entry> {
    let words = heap.pointers[1].cast::<u32>();
    (0..heap.integers[0] as u32 as usize)
        .map(|unit| {
            // SAFETY: the table has `WORDS` words for each unit, and no thread
            // runs that could write to it.
            let word = |index: usize| unsafe { words.add(WORDS * unit + index).read() };
            if WORDS == 1 {
                Entry {
                    next: word(0) >> 2,
                    state: word(0) & 3,
                }
            } else {
                Entry {
                    next: word(1),
                    state: word(0),
                }
            }
        })
        .collect()
}

fn check_chunks(table: &[Entry], live: &[Block]) {
    let heads = heads(table);
    let used: BTreeSet<u64> = heads
        .iter()
        .filter(|&&head| table[head as usize].state == USED)
        .map(|&head| u64::from(head))
        .collect();
    let blocks: BTreeSet<u64> = live.iter().map(|block| block.bits).collect();
    assert_eq!(used, blocks, "chunks in use and live blocks");
    check_insides(table, &heads);
}

/// Checks the index of free units, which lies behind all other tables.
fn check_index(heap: &Heap, table: &[Entry], heads: &[u32]) {
    let units = table.len();
    let span_units = 1_usize << (heap.integers[6] as u32);
    let at = (heap.integers[6] >> 32) as usize * 64;
    let map = heap.pointers[0].wrapping_add(at);
    let mut free = vec![false; units];
    for &head in heads {
        let entry = table[head as usize];
        free[head as usize..entry.next as usize].fill(entry.state == FREE);
    }
    let bit = |unit: usize| {
        // SAFETY: the map has a bit for each unit, and no thread runs.
        let word = unsafe { map.cast::<u32>().add(unit / 32).read() };
        word >> (unit % 32) & 1 == 1
    };
    let spans = map
        .wrapping_add(units.div_ceil(512) * 64)
        .cast::<[u64; 4]>();
    for (span, free) in free.chunks(span_units).enumerate() {
        // SAFETY: the spans have four words each behind the map.
        let [version, prefix, longest, suffix] = unsafe { spans.add(span).read() };
        let first = span * span_units;
        let is_block = version & 1 == 1;
        for (unit, &is_free) in (first..).zip(free) {
            let said = !is_block && bit(unit);
            assert_eq!(said, is_free, "unit {unit} of span {span}, {version}");
        }
        let runs = free.split(|is_free| !is_free).map(<[bool]>::len);
        let ends = |is_free: &&bool| **is_free;
        let bounds = [
            (prefix, free.iter().take_while(ends).count()),
            (longest, runs.max().unwrap_or(0)),
            (suffix, free.iter().rev().take_while(ends).count()),
        ];
        for (note, length) in bounds {
            let counts = note >> 21 == version << 21 >> 21;
            let bound = note & ((1 << 21) - 1);
            assert!(
                !counts || bound >= length as u64,
                "span {span}: {bound} noted, {length} free"
            );
        }
    }
}

/// The live chunks' first units, by following links from unit 0.
pub fn heads(table: &[Entry]) -> Vec<u32> {
    let (mut heads, mut unit) = (Vec::new(), 0);
    while (unit as usize) < table.len() {
        let entry = table[unit as usize];
        assert!(
            entry.state == FREE || entry.state == USED,
            "unit {unit}: {entry:?} is reached from unit 0"
        );
        assert!(entry.next > unit, "unit {unit}: {entry:?} leads back");
        heads.push(unit);
        unit = entry.next;
    }
    assert_eq!(
        unit as usize,
        table.len(),
        "the last chunk ends with the pool"
    );
    heads
}

fn check_insides(table: &[Entry], heads: &[u32]) {
    for (unit, entry) in (0..).zip(table) {
        if heads.binary_search(&unit).is_ok() {
            continue;
        }
        let inside = entry.state == NONE || entry.state == ABSORBED;
        assert!(inside, "unit {unit}: {entry:?} inside a chunk");
        if entry.state == ABSORBED {
            let forward = entry.next > unit && entry.next as usize <= table.len();
            assert!(forward, "unit {unit}: {entry:?}");
        }
    }
}

fn check_anchors(table: &[Entry], heads: &[u32], region_units: u32) {
    for anchor in (0..table.len() as u32).step_by(region_units as usize) {
        let end = (anchor + region_units).min(table.len() as u32);
        let first = heads[heads.partition_point(|&head| head < anchor)..]
            .first()
            .copied()
            .filter(|&head| head < end);
        let mut unit = anchor;
        while unit < end && table[unit as usize].state == ABSORBED {
            unit = table[unit as usize].next;
        }
        match first {
            Some(first) => assert_eq!(unit, first, "region of unit {anchor} leads past its chunk"),
            None => assert!(unit >= end, "region of unit {anchor} leads to unit {unit}"),
        }
    }
}
