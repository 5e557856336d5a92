//! Many threads at once, whose blocks change hands.

use std::sync::Mutex;

use cuda_std::atomic::{AtomicU32, Ordering::AcqRel};
use heapwood_device::allocator::Handle;
use heapwood_device::simt::Warp;

use crate::conformance::bench::Bench;
use crate::conformance::ledger::Block;
use crate::conformance::machine::Machine;
use crate::lockstep::Random;

/// A thread frees what another one allocated.
pub fn freed_by_others<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let share = bench.max_block() / u64::from(M::THREADS) / 2;
    for repeat in 0..M::REPEATS {
        bench.reset();
        bench.launch(&|warp| {
            for part in [2, 8, 16] {
                bench.obtain(warp, share / part, false);
            }
        });
        let mut live = bench.ledger.live();
        assert!(!live.is_empty(), "{:?}: nothing served", bench.case);
        Random::new(u64::from(repeat)).shuffle(&mut live);
        bench.retire_all(&live);
        if bench.properties.frees {
            bench.check_all_free();
        }
    }
}

/// Coalesced requests of equal sizes and of different ones, by all lanes or by
/// some; every block stands alone, however it is freed.
pub fn coalesced<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let share = (bench.max_block() / u64::from(M::THREADS) / 4).min(600);
    for repeat in 0..M::REPEATS {
        for kind in 0..4 {
            bench.reset();
            let served = Mutex::new(vec![None; M::THREADS as usize]);
            bench.launch(&|warp| {
                let mut random = Random::new(u64::from(repeat << 16 | warp.thread()));
                let (bytes, present) = match kind {
                    0 => (share, true),
                    1 => (random.below(share), true),
                    2 => (share, random.one_in(2)),
                    _ => (random.below(2) * random.below(share), random.one_in(2)),
                };
                if present {
                    let block = bench.obtain(warp, bytes, true);
                    served.lock().expect("no panic in here")[warp.thread() as usize] = block;
                }
            });
            bench.check_at_rest();
            let served = served.into_inner().expect("no panic in here");
            bench.launch(&|warp| {
                let mut random = Random::new(u64::from(repeat << 8 | warp.thread()));
                let together = kind < 2 || random.one_in(2);
                match served[warp.thread() as usize] {
                    Some(block) => bench.retire(warp, block, together),
                    // SAFETY: null is no block.
                    None => unsafe {
                        bench.pool.allocator().free_coalesced(warp, H::NULL);
                    },
                }
            });
            if bench.properties.frees {
                bench.check_all_free();
            }
        }
    }
}

/// Where a block changes hands.
#[derive(Debug, Default)]
pub struct Slot {
    block: Mutex<Option<Block>>,
    /// The atomic that orders accesses when a block changes its owner, as the contract requires.
    order: AtomicU32,
}

impl Slot {
    /// Leaves a block and takes what was there.
    pub fn exchange(&self, block: Option<Block>) -> Option<Block> {
        self.order.fetch_add(0, AcqRel);
        // Never held across an atomic operation, where another lane of this host
        // thread might run.
        let other = std::mem::replace(&mut *self.block.lock().expect("no panic in here"), block);
        self.order.fetch_add(0, AcqRel);
        other
    }
}

/// One thread of a random mix.
fn mix<M: Machine, H: Handle>(bench: &Bench<M, H>, warp: M::Warp, slots: &[Slot], seed: u64) {
    let mut random = Random::new(seed << 32 | u64::from(warp.thread()));
    let most = bench.max_block();
    for _ in 0..M::TURNS {
        let slot = &slots[random.below(slots.len() as u64) as usize];
        let (together, apart) = (random.one_in(3), random.one_in(3));
        if let Some(block) = slot.exchange(None) {
            bench.retire(warp, block, together);
            continue;
        }
        let bytes = match random.below(16) {
            0 => random.below(most / 3),
            1..4 => random.below(most / 40 + 64),
            _ => random.below(most / 400 + 64),
        };
        if let Some(block) = bench.obtain(warp, bytes, apart)
            && let Some(other) = slot.exchange(Some(block))
        {
            bench.retire(warp, other, false);
        }
    }
}

/// Requests and releases of all sizes by all threads, in a heap that is full
/// most of the time; afterwards it is whole again.
pub fn concurrent<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.frees || bench.properties.may_overwrite {
        return;
    }
    for repeat in 0..M::REPEATS {
        let slots: Vec<_> = (0..100).map(|_| Slot::default()).collect();
        for round in 0..3 {
            let seed = u64::from(repeat * 3 + round);
            bench.launch(&|warp| mix(bench, warp, &slots, seed));
            bench.check_at_rest();
        }
        let live = bench.ledger.live();
        bench.retire_all(&live);
        bench.check_all_free();
    }
}
