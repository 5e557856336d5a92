//! The begin and the end of a sea: its first animals, its fingerprint, and freeing all of them.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::act::bear;
use super::{
    EMPTY, FIRST_STEP, FISH, MEALS, NO_BLOCK, SHARK, Sea, SeaArguments, bytes_of, purpose,
};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kernel::{Kernel, PlainKernel};
use crate::simt::Warp;
use crate::simt::rows::Rows;
use crate::workload::random::{draw, mix64};
use crate::workload::tally::{Tally, all_sum64};

/// Populates the cells, with animals that have no blocks yet.
pub struct AgentsSeed;

/// Frees all blocks.
pub struct AgentsClear;

/// Adds the fingerprint, the population and the bytes of its blocks to the counters.
pub struct AgentsDigest;

impl PlainKernel for AgentsSeed {
    type Arguments = SeaArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: SeaArguments) {
        // SAFETY: the kernel's contract.
        let sea = unsafe { Sea::new(arguments) };
        let rows = Rows::new(warp, sea.cells(), W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let cell = row + warp.lane();
            if cell < rows.end {
                let kind = sea.first_kind(cell);
                // SAFETY: the cell and its record are this lane's.
                unsafe {
                    sea.kinds.add(cell as usize).write(kind);
                    sea.blocks.add(cell as usize).write(NO_BLOCK);
                    if kind != EMPTY {
                        let (born, fed) = sea.first_age(cell, kind);
                        let lineage = mix64(u64::from(sea.seed) << 32 | u64::from(cell));
                        bear(sea.record(cell), kind, lineage, born, fed);
                    }
                }
            }
            row += rows.step;
        }
    }
}

impl Sea {
    /// The kind of the animal that a cell begins with.
    #[inline(always)]
    fn first_kind(&self, cell: u32) -> u8 {
        let random = draw(self.seed, purpose::POPULATION, 0, cell);
        if random < self.fish {
            FISH
        } else if random - self.fish < self.sharks {
            SHARK
        } else {
            EMPTY
        }
    }

    /// The steps of the last birth and the last meal of an animal that a cell begins with.
    #[inline(always)]
    fn first_age(&self, cell: u32, kind: u8) -> (u32, u32) {
        let ago = |purpose: u32, most: u32| {
            let random = draw(self.seed, purpose, 0, cell);
            let steps = (u64::from(random) * u64::from(most)) >> 32;
            (FIRST_STEP - 1).wrapping_sub(steps as u32)
        };
        if kind == SHARK {
            (
                ago(purpose::AGE, self.shark_age),
                ago(purpose::HUNGER, self.hunger),
            )
        } else {
            (ago(purpose::AGE, self.fish_age), 0)
        }
    }
}

impl Kernel for AgentsClear {
    type Arguments = SeaArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: SeaArguments) {
        // SAFETY: the kernel's contract.
        let sea = unsafe { Sea::new(arguments) };
        let mut tally = Tally::new(false);
        let rows = Rows::new(warp, sea.cells(), W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let cell = row + warp.lane();
            let (mut block, mut kind) = (A::Handle::NULL, EMPTY);
            // SAFETY: the cell is this lane's, and so is the block.
            unsafe {
                if cell < rows.end {
                    (block, kind) = (sea.block(cell), sea.kind(cell));
                    sea.settle(cell, EMPTY, A::Handle::NULL);
                }
                tally.free(warp, heap, block, u64::from(bytes_of(kind)));
            }
            row += rows.step;
        }
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, sea.counters) };
    }
}

impl Kernel for AgentsDigest {
    type Arguments = SeaArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: SeaArguments) {
        // SAFETY: the kernel's contract.
        let sea = unsafe { Sea::new(arguments) };
        let (mut hash, mut fish, mut sharks, mut granted) = (0u64, 0, 0, 0u64);
        let rows = Rows::new(warp, sea.cells(), W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let cell = row + warp.lane();
            if cell < rows.end {
                // SAFETY: no thread writes to cells and animals.
                unsafe {
                    let kind = sea.kind(cell);
                    if kind != EMPTY {
                        hash = hash.wrapping_add(sea.hash(warp, heap, cell, kind));
                        let block = sea.block::<A::Handle>(cell);
                        if !block.is_null() {
                            let bytes = heap.granted(block, u64::from(bytes_of(kind)));
                            granted = granted.wrapping_add(bytes);
                        }
                    }
                    fish += u64::from(kind == FISH);
                    sharks += u64::from(kind == SHARK);
                }
            }
            row += rows.step;
        }
        let mut word = sea.counters;
        for sum in [hash, fish, sharks, granted] {
            let sum = all_sum64(warp, sum);
            if warp.lane() == 0 {
                // SAFETY: the kernel's contract: `DIGEST_WORDS` words. Relaxed: the host reads them
                // after the launch.
                unsafe { (*word.cast::<AtomicU64>()).fetch_add(sum, Relaxed) };
            }
            word = word.wrapping_add(1);
        }
    }
}

impl Sea {
    /// The hash of a cell's animal.
    ///
    /// # Safety
    ///
    /// The cell has an animal of this kind, and no thread writes to either.
    #[inline(always)]
    unsafe fn hash<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        cell: u32,
        kind: u8,
    ) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let animal = self.animal(warp, heap, cell, self.block(cell));
            let mut hash = mix64((*animal).lineage ^ (u64::from(cell) << 2 | u64::from(kind)));
            hash = mix64(hash ^ (u64::from((*animal).born) << 32 | u64::from((*animal).fed)));
            if kind == SHARK {
                let meals = (&raw const (*animal).meals).cast::<u64>();
                for meal in 0..MEALS {
                    hash = mix64(hash ^ meals.add(meal).read());
                }
            }
            hash
        }
    }
}
