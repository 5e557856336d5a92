//! An independent record of the live blocks.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::lockstep;

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
    /// What its contents follow from.
    pub seed: u64,
}

/// The live blocks, by address.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<BTreeMap<usize, Block>>);

impl Ledger {
    fn blocks(&self) -> MutexGuard<'_, BTreeMap<usize, Block>> {
        // A thread that panics fails the test anyway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a block that was just allocated; gives a live block that it
    /// overlaps instead, if there is one.
    pub fn enter(&self, block: Block) -> Option<Block> {
        let mut blocks = self.blocks();
        let end = block.address + block.granted as usize;
        let before = blocks.range(..end).next_back().map(|(_, block)| *block);
        let overlaps = |other: &Block| other.address + other.granted as usize > block.address;
        if let Some(other) = before.filter(overlaps) {
            return Some(other);
        }
        blocks.insert(block.address, block);
        None
    }

    /// Strikes a block out, before it is freed.
    pub fn strike(&self, block: &Block) {
        let known = self.blocks().remove(&block.address);
        assert_eq!(known, Some(*block), "a block that is not in the ledger");
    }

    /// All live blocks, by address.
    pub fn live(&self) -> Vec<Block> {
        self.blocks().values().copied().collect()
    }

    /// Forgets all blocks.
    pub fn clear(&self) {
        self.blocks().clear();
    }
}

/// Bytes at either end of a block that are written and verified, at most.
const ENDS: u64 = 4096;

fn byte(seed: u64, index: u64) -> u8 {
    // Zeros are frequent, as in real data.
    let word = (seed ^ index >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if index & 4 == 0 {
        0
    } else {
        (word >> (8 * (index & 3) + 16)) as u8
    }
}

fn indices(bytes: u64) -> impl Iterator<Item = u64> {
    (0..bytes.min(ENDS)).chain(bytes.saturating_sub(ENDS).max(ENDS.min(bytes))..bytes)
}

impl Block {
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
        for index in indices(self.bytes) {
            // SAFETY: inside the block.
            unsafe {
                start
                    .add(index as usize)
                    .write_volatile(byte(self.seed, index))
            };
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
        indices(self.bytes).all(|index| {
            // SAFETY: inside the block.
            unsafe { start.add(index as usize).read_volatile() == byte(self.seed, index) }
        })
    }
}
