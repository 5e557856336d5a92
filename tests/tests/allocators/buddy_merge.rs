//! The merging of buddies: under many schedules and over weak memory, two that are freed at the
//! same time become one block, once. Other threads may allocate at that time, and no queue loses a
//! block.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::allocator::{Allocator, Observe, Occupancy, Request};
use heapwood_device::allocators::BuddyAlloc;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Bench, Block, Failure, Kernel, Machine, Traits, case, plain};
use heapwood_tests::lockstep::{self, Lockstep, Plan, Random};

const UNIT: u64 = 16;

/// Three warps with a new schedule for each launch. Only lanes that perform operations stall.
struct ThreeWarps {
    launches: AtomicU64,
}

impl ThreeWarps {
    fn new(seed: u64) -> Self {
        let launches = AtomicU64::new(seed << 8);
        Self { launches }
    }
}

impl Machine for ThreeWarps {
    type Warp = Lockstep;
    const THREADS: u32 = 96;
    const PROCESSORS: u32 = 4;
    const TURNS: u32 = 12;
    const REPEATS: u32 = 1;

    fn try_launch(&self, kernel: Kernel<'_, Lockstep>) -> Result<(), Failure> {
        let seed = self.launches.fetch_add(1, Relaxed);
        let plan = Plan::varied(3, 2, 40, seed).weak();
        lockstep::run(plan, kernel)?;
        Ok(())
    }

    fn count_atomics(&self, _kernel: Kernel<'_, Lockstep>) -> u64 {
        unreachable!("nothing is counted")
    }
}

/// The actor that a lane is: the first two lanes of each warp are.
fn actor(warp: Lockstep) -> Option<usize> {
    let actor = warp.warp() * 2 + warp.lane();
    (warp.lane() < 2).then_some(actor as usize)
}

const ACTORS: usize = 6;

/// Requests blocks until one is refused.
fn fill(bench: &Bench<ThreeWarps>, bytes: u64) -> Vec<Block> {
    bench.alone(|warp| std::iter::from_fn(|| bench.obtain(warp, bytes, false)).collect())
}

/// Checks that a request merges all free blocks, so that the heap is as it was when it was empty.
fn is_whole(bench: &Bench<ThreeWarps>, fresh: Occupancy) {
    let most = bench.max_block();
    let block = bench.alone(|warp| bench.obtain(warp, most, false));
    let block = block.expect("a block of all that there is");
    bench.alone(|warp| bench.retire(warp, block, false));
    assert_eq!(bench.occupancy(), fresh);
}

/// Frees blocks by all lanes at the same time.
fn retire_by_all(bench: &Bench<ThreeWarps>, blocks: &[Block]) {
    bench.launch(&|warp| {
        let Some(actor) = actor(warp) else { return };
        for block in blocks.iter().skip(actor).step_by(ACTORS) {
            bench.retire(warp, *block, false);
        }
    });
}

/// A bench over a pool that has so many units at least, and few more.
fn bench<'a>(machine: &'a ThreeWarps, traits: &'a Traits, units: u64) -> Bench<'a, ThreeWarps> {
    let mut bytes = units * UNIT;
    while BuddyAlloc::setup(&request(bytes)).map_or(0, |heap| heap.integers[0]) < units {
        bytes += 64;
    }
    Bench::new::<BuddyAlloc>(case(bytes, &[("unit", "16")]), machine, traits)
}

fn request(pool_bytes: u64) -> Request<'static> {
    Request {
        base: std::ptr::null_mut(),
        pool_bytes,
        processors: 4,
        parameters: &[("unit", "16")],
        observe: Observe::GUARDS,
    }
}

/// Buddies and their buddies' parents, freed by as many lanes at the same time.
#[test]
fn buddies_that_are_freed_at_once_are_merged_once() {
    for seed in 0..300 {
        let (machine, traits) = (ThreeWarps::new(seed), plain());
        let bench = bench(&machine, &traits, 8);
        let fresh = bench.occupancy();
        let mut blocks = fill(&bench, UNIT);
        assert_eq!(blocks.len() as u64 * UNIT, fresh.free_bytes);
        Random::new(seed).shuffle(&mut blocks);
        retire_by_all(&bench, &blocks);
        is_whole(&bench, fresh);
    }
}

/// More groups than names: of those that share a name, all but one are merged by who frees, and
/// that one before a block of all that there is can be had.
#[test]
fn groups_that_share_a_name_are_merged() {
    for seed in 0..12 {
        let (machine, traits) = (ThreeWarps::new(seed), plain());
        let bench = bench(&machine, &traits, 1500);
        let fresh = bench.occupancy();
        let mut blocks = fill(&bench, UNIT);
        assert_eq!(blocks.len() as u64 * UNIT, fresh.free_bytes);
        if seed % 2 == 0 {
            Random::new(seed).shuffle(&mut blocks);
        }
        retire_by_all(&bench, &blocks);
        is_whole(&bench, fresh);
    }
}

/// While four lanes free buddies, two allocate: a block of one level or the other is theirs
/// alone, and a refusal comes in time.
#[test]
fn a_block_that_is_being_merged_is_not_granted_twice() {
    for seed in 0..300 {
        let (machine, traits) = (ThreeWarps::new(seed), plain());
        let bench = bench(&machine, &traits, 8);
        let fresh = bench.occupancy();
        let mut random = Random::new(seed);
        let mut blocks = fill(&bench, UNIT);
        random.shuffle(&mut blocks);
        let asked = [UNIT, 2 * UNIT, 4 * UNIT].map(|_| UNIT << random.below(3));
        let got = Mutex::new(Vec::new());
        bench.launch(&|warp| {
            let Some(actor) = actor(warp) else { return };
            if actor % 3 == 2 {
                for bytes in asked {
                    let block = bench.obtain(warp, bytes, false);
                    got.lock().expect("no panic in here").extend(block);
                }
                return;
            }
            let freed = actor - actor / 3;
            for block in blocks.iter().skip(freed).step_by(4) {
                bench.retire(warp, *block, false);
            }
        });
        let got = got.into_inner().expect("no panic in here");
        bench.check_at_rest();
        bench.retire_all(&got);
        is_whole(&bench, fresh);
    }
}

/// The roots of a pool that is no power of two are used whole, and are not merged with what
/// lies behind the pool.
#[test]
fn all_roots_are_used() {
    for units in [1, 2, 3, 5, 7, 31, 33, 63, 100] {
        let (machine, traits) = (ThreeWarps::new(units), plain());
        let bench = bench(&machine, &traits, units);
        let fresh = bench.occupancy();
        assert_eq!(fresh.used_bytes, 0);
        assert_eq!(fresh.free_bytes, bench.pool.heap().integers[0] * UNIT);
        for bytes in [UNIT, 2 * UNIT, 8 * UNIT] {
            let blocks = fill(&bench, bytes);
            let granted: u64 = blocks.iter().map(|block| block.granted).sum();
            assert_eq!(granted, fresh.free_bytes / bytes * bytes, "{units} {bytes}");
            bench.retire_all(&blocks);
            is_whole(&bench, fresh);
        }
    }
}

/// Groups that go round in the queues: lanes that allocate and free blocks of few sizes, by
/// turns, so that groups are taken, emptied, listed again and captured by merges.
#[test]
fn no_group_is_lost_in_a_queue() {
    for seed in 0..200 {
        let (machine, traits) = (ThreeWarps::new(seed), plain());
        let bench = bench(&machine, &traits, 70 + seed % 60);
        let fresh = bench.occupancy();
        bench.launch(&|warp| {
            let Some(actor) = actor(warp) else { return };
            let mut random = Random::new(seed << 8 | actor as u64);
            let mut live = Vec::new();
            for _ in 0..24 {
                if random.one_in(3) && !live.is_empty() {
                    let block = live.swap_remove(random.below(live.len() as u64) as usize);
                    bench.retire(warp, block, random.one_in(2));
                } else {
                    let bytes = UNIT << random.below(4);
                    live.extend(bench.obtain(warp, bytes, random.one_in(2)));
                }
            }
            for block in live {
                bench.retire(warp, block, false);
            }
        });
        is_whole(&bench, fresh);
        let blocks = fill(&bench, UNIT);
        assert_eq!(blocks.len() as u64 * UNIT, fresh.free_bytes, "seed {seed}");
    }
}
