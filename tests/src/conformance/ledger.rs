//! An independent record of the live blocks, and of those that were freed.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use heapwood_device::simt::Warp;

use crate::lockstep;

/// The thread that made a call, and the launch in which it did so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The warp.
    pub warp: u32,
    /// The lane of the warp.
    pub lane: u32,
    /// Launches before this one since the heap was made.
    pub launch: u64,
    /// Whether the lanes of the warp made the call together.
    pub coalesced: bool,
}

impl Caller {
    /// The thread of `warp`, in a launch.
    pub fn of<W: Warp>(warp: W, launch: u64, coalesced: bool) -> Self {
        Self {
            warp: warp.warp(),
            lane: warp.lane(),
            launch,
            coalesced,
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            warp, lane, launch, ..
        } = self;
        let together = if self.coalesced { " (coalesced)" } else { "" };
        write!(f, "warp {warp} lane {lane} in launch {launch}{together}")
    }
}

/// A live block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The handle's bits.
    pub bits: u64,
    /// The address.
    pub address: usize,
    /// Bytes that were asked for.
    pub bytes: u64,
    /// Bytes that were granted.
    pub granted: u64,
    /// The seed of its contents.
    pub seed: u64,
    /// The caller that requested it.
    pub requested_by: Caller,
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            bits,
            address,
            bytes,
            granted,
            requested_by,
            ..
        } = self;
        write!(
            f,
            "block {bits:#x} at {address:#x} of {bytes} bytes ({granted} granted), requested by \
             {requested_by}"
        )
    }
}

/// A block that was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The block.
    pub block: Block,
    /// The caller that freed it.
    pub by: Caller,
}

impl fmt::Display for Freed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} and freed by {}", self.block, self.by)
    }
}

#[derive(Debug, Default)]
struct Blocks {
    /// By address.
    live: BTreeMap<usize, Block>,
    /// In the order in which they were struck out.
    freed: Vec<Freed>,
}

/// The blocks of a heap since it was empty.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Blocks>);

impl Ledger {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        // A thread that panics fails the test anyway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a block that was just allocated; gives a live block that it
    /// overlaps instead, if there is one.
    pub fn enter(&self, block: Block) -> Option<Block> {
        let live = &mut self.blocks().live;
        let end = block.address + block.granted as usize;
        let before = live.range(..end).next_back().map(|(_, block)| *block);
        let overlaps = |other: &Block| other.address + other.granted as usize > block.address;
        if let Some(other) = before.filter(overlaps) {
            return Some(other);
        }
        live.insert(block.address, block);
        None
    }

    /// Strikes a block out, before `by` frees it.
    pub fn strike(&self, block: &Block, by: Caller) {
        let mut blocks = self.blocks();
        let known = blocks.live.remove(&block.address);
        assert_eq!(known, Some(*block), "a block that is not in the ledger");
        blocks.freed.push(Freed { block: *block, by });
    }

    /// All live blocks, by address.
    pub fn live(&self) -> Vec<Block> {
        self.blocks().live.values().copied().collect()
    }

    /// The live block that this byte belongs to.
    pub fn live_at(&self, address: usize) -> Option<Block> {
        let blocks = self.blocks();
        let (_, block) = blocks.live.range(..=address).next_back()?;
        block.memory().contains(&address).then_some(*block)
    }

    /// The block that was freed last of those that this byte belonged to.
    pub fn freed_at(&self, address: usize) -> Option<Freed> {
        let blocks = self.blocks();
        let mut freed = blocks.freed.iter().rev();
        let holds = |freed: &&Freed| freed.block.memory().contains(&address);
        freed.find(holds).copied()
    }

    /// Freed blocks without a byte that was granted again, be it to a block that was freed later or
    /// in `memory`. The ranges of `memory` are sorted by address and do not overlap. The order is
    /// that of the frees.
    pub fn freed_outside(&self, memory: &[Range<usize>]) -> Vec<Freed> {
        let is_outside = |freed: &Freed| {
            let block = freed.block.memory();
            let behind = memory.partition_point(|range| range.end <= block.start);
            memory
                .get(behind)
                .is_none_or(|range| range.start >= block.end)
        };
        let (mut later, mut lost) = (BTreeMap::new(), Vec::new());
        for freed in self.blocks().freed.iter().rev() {
            let was_granted = unite(&mut later, freed.block.memory());
            if !was_granted && is_outside(freed) {
                lost.push(*freed);
            }
        }
        lost.reverse();
        lost
    }

    /// Forgets all blocks.
    pub fn clear(&self) {
        *self.blocks() = Blocks::default();
    }
}

/// Adds a range to a union of ranges, begin to end; whether it overlaps one of them.
fn unite(union: &mut BTreeMap<usize, usize>, mut range: Range<usize>) -> bool {
    let mut overlaps = false;
    while let Some((&start, &end)) = union.range(..range.end).next_back() {
        if end <= range.start {
            break;
        }
        overlaps = true;
        union.remove(&start);
        range = range.start.min(start)..range.end.max(end);
    }
    union.insert(range.start, range.end);
    overlaps
}

/// Bytes at either end of a block that are written and verified, at most.
const ENDS: u64 = 4096;

/// The contents of eight bytes of a block, by their number.
fn eight(seed: u64, number: u64) -> [u8; 8] {
    // Zeros are frequent, as in real data.
    let word = (seed ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word >> 16 << 32).to_le_bytes()
}

/// The bytes of a block that are written and verified, in parts that [`eight`] has the contents of:
/// where each begins, the number of its eight, and which of these it is.
fn parts(bytes: u64) -> impl Iterator<Item = (u64, u64, Range<usize>)> {
    let first = 0..bytes.min(ENDS);
    let last = bytes.saturating_sub(ENDS).max(first.end)..bytes;
    [first, last].into_iter().flat_map(|range| {
        (range.start / 8..range.end.div_ceil(8)).map(move |number| {
            let part = range.start.max(8 * number)..range.end.min(8 * number + 8);
            let within = (part.start - 8 * number) as usize..(part.end - 8 * number) as usize;
            (part.start, number, within)
        })
    })
}

impl Block {
    /// The memory that was granted.
    pub fn memory(&self) -> Range<usize> {
        self.address..self.address + self.granted as usize
    }

    /// The bytes at either end that are written and verified: where they lie, and
    /// how many.
    fn ends(&self) -> [(usize, usize); 2] {
        let bytes = self.bytes as usize;
        let first = bytes.min(ENDS as usize);
        let last = (bytes - first).min(ENDS as usize);
        let behind = (bytes - last).next_multiple_of(16);
        [(self.address, first), (self.address + behind, last)]
    }

    /// Writes contents that follow from the seed.
    ///
    /// # Safety
    ///
    /// The block is live and the caller's.
    #[track_caller]
    pub unsafe fn fill(&self) {
        for (address, bytes) in self.ends() {
            lockstep::writes(address, bytes);
        }
        let start = self.address as *mut u8;
        for (at, number, within) in parts(self.bytes) {
            let contents = eight(self.seed, number);
            // SAFETY: inside the block.
            unsafe {
                let at = start.add(at as usize);
                if within.len() == 8 {
                    at.cast::<[u8; 8]>().write_volatile(contents);
                } else {
                    for (offset, &byte) in contents[within].iter().enumerate() {
                        at.add(offset).write_volatile(byte);
                    }
                }
            }
        }
    }

    /// Whether the contents are as `fill` wrote them.
    ///
    /// # Safety
    ///
    /// As for `fill`.
    #[track_caller]
    pub unsafe fn is_intact(&self) -> bool {
        for (address, bytes) in self.ends() {
            lockstep::reads(address, bytes);
        }
        let start = self.address as *const u8;
        parts(self.bytes).all(|(at, number, within)| {
            let contents = eight(self.seed, number);
            // SAFETY: inside the block.
            unsafe {
                let at = start.add(at as usize);
                if within.len() == 8 {
                    return at.cast::<[u8; 8]>().read_volatile() == contents;
                }
                let mut bytes = contents[within].iter().enumerate();
                bytes.all(|(offset, &byte)| at.add(offset).read_volatile() == byte)
            }
        })
    }
}
