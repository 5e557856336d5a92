//! Results of a warp in lockstep, and the replay of a plan.

use std::cell::{Cell, RefCell};

use cuda_std::atomic::{AtomicU32, Ordering::Relaxed};
use heapwood_device::simt::{Block, SCRATCH_BYTES, Warp, leader, rank};
use heapwood_tests::lockstep::{self, Lockstep, Plan, Policy, Random};

const RANDOM: Policy = Policy::Random { period: 2 };

/// Runs `kernel` and collects what each thread returns.
fn collect<T: Copy + Default>(plan: Plan, kernel: impl Fn(Lockstep) -> T) -> Vec<T> {
    let results = RefCell::new(vec![T::default(); plan.warps as usize * 32]);
    lockstep::run(plan, |warp| {
        let result = kernel(warp);
        results.borrow_mut()[warp.thread() as usize] = result;
    })
    .unwrap();
    results.into_inner()
}

#[test]
fn indices_cover_the_grid() {
    let places = collect(Plan::new(3, RANDOM, 1), |warp| {
        assert_eq!((warp.warps(), warp.threads()), (3, 96));
        (warp.warp(), warp.lane())
    });
    let expected: Vec<_> = (0..96).map(|thread| (thread / 32, thread % 32)).collect();
    assert_eq!(places, expected);
}

#[test]
fn sums_of_a_block_are_those_of_its_threads() {
    for seed in 0..20 {
        let plan = Plan {
            block_warps: 3,
            ..Plan::varied(6, 32, 20, seed)
        };
        let sums = collect(plan.weak(), |warp| {
            let block = Block::of(warp);
            assert_eq!((block.blocks(), block.threads()), (2, 96));
            assert_eq!(
                block.range(100),
                match block.thread() {
                    thread if thread < 50 => (2 * thread, 2 * thread + 2),
                    _ => (100, 100),
                }
            );
            // SAFETY: a word for each warp, in the block's memory.
            let sum = unsafe { block.all_exclusive_sum(warp.thread(), block.shared().cast()) };
            (block.index(), sum)
        });
        for (thread, &(block, sum)) in (0..).zip(&sums) {
            let first = thread / 96 * 96;
            let expected = ((first..thread).sum(), (first..first + 96).sum::<u32>());
            assert_eq!((block, sum), (thread / 96, expected), "thread {thread}");
        }
    }
}

#[test]
fn reductions_and_scans_equal_scalar_ones() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let values: Vec<u64> = (0..64).map(|_| random.bits()).collect();
        let results = collect(Plan::varied(2, 32, 20, seed), |warp| {
            let wide = values[warp.thread() as usize];
            let narrow = wide as u32;
            (
                warp.all_min(narrow),
                warp.all_max(narrow),
                warp.all_min64(wide),
                warp.all_inclusive_sum(narrow),
            )
        });
        for (thread, result) in results.iter().enumerate() {
            let warp = &values[thread / 32 * 32..][..32];
            let narrow = || warp.iter().map(|&value| value as u32);
            assert_eq!(Some(result.0), narrow().min());
            assert_eq!(Some(result.1), narrow().max());
            assert_eq!(Some(&result.2), warp.iter().min());
            let below = narrow().take(thread % 32 + 1);
            assert_eq!(result.3, below.fold(0, u32::wrapping_add));
        }
    }
}

#[test]
fn shuffles_and_ballots_under_a_mask() {
    for seed in 0..50 {
        // Odd lanes and even ones go separate ways.
        let results = collect(Plan::varied(1, 32, 10, seed), |warp| {
            let odd = warp.lane() & 1;
            let mask = if odd == 1 { 0xaaaa_aaaa } else { 0x5555_5555 };
            if odd == 1 {
                warp.sync(mask);
            }
            let ballot = warp.ballot(mask, warp.lane() < 8);
            let wide = warp.shuffle64(mask, u64::from(warp.lane()) << 33, 4 + odd);
            (ballot, wide)
        });
        for (lane, result) in (0..).zip(results) {
            let mask = if lane & 1 == 1 { 0xaa } else { 0x55 };
            assert_eq!(result, (mask, (4 + (lane & 1)) << 33));
        }
    }
}

#[test]
fn converge_gives_consistent_groups() {
    let (mut whole, mut partial) = (0, 0);
    for seed in 0..200 {
        let groups = collect(Plan::varied(2, 32, 10, seed), |warp| {
            if warp.lane() >= 20 {
                return 0;
            }
            let mask = warp.converge();
            // Every lane of the group has the same mask, or this is a fault.
            assert_eq!(warp.ballot(mask, true), mask);
            let first = warp.shuffle(mask, warp.lane(), leader(mask));
            assert_eq!(first, leader(mask));
            assert!(rank(mask, warp.lane()) < 20);
            mask
        });
        for (thread, &mask) in groups.iter().enumerate() {
            let lane = thread % 32;
            assert_eq!(mask >> lane & 1 == 1, lane < 20);
            assert_eq!(mask >> 20, 0);
            if mask == 0xf_ffff {
                whole += 1;
            } else {
                partial += 1;
            }
        }
    }
    assert!(whole > 500 && partial > 500, "{whole} {partial}");
}

#[test]
fn lanes_at_different_places_do_not_converge() {
    for seed in 0..50 {
        collect(Plan::varied(1, 32, 10, seed), |warp| {
            if warp.lane() < 16 {
                assert_eq!(warp.converge() >> 16, 0);
            } else {
                assert_eq!(warp.converge() as u16, 0);
            }
        });
    }
}

#[test]
fn scratch_is_shared_by_a_warp_alone() {
    let sums = collect(Plan::new(4, RANDOM, 3), |warp| {
        let words = warp.scratch().cast::<u32>();
        assert!((words as usize).is_multiple_of(16) && SCRATCH_BYTES >= 128);
        // SAFETY: 32 words lie in the scratch memory, one a lane, and `sync`
        // stands between the writes and the reads.
        unsafe {
            words.add(warp.lane() as usize).write(warp.thread());
            warp.sync(u32::MAX);
            (0..32).map(|lane| words.add(lane).read()).sum::<u32>()
        }
    });
    for (thread, sum) in (0..).zip(sums) {
        let warp = thread / 32;
        assert_eq!(sum, (warp * 32..warp * 32 + 32).sum::<u32>());
    }
}

#[test]
fn a_missing_sync_shows() {
    let wrong = (0..20).filter(|&seed| {
        let stale = Cell::new(false);
        lockstep::run(Plan::new(1, RANDOM, seed), |warp| {
            let word = warp.scratch().cast::<u32>();
            // SAFETY: a word of the scratch memory.
            unsafe {
                if warp.lane() == 7 {
                    word.write(1);
                }
                stale.set(stale.get() | (word.read() != 1));
            }
        })
        .unwrap();
        stale.get()
    });
    assert!(wrong.count() > 10);
}

#[test]
fn schedules_find_lost_updates() {
    let priority = Policy::Priority {
        changes: 4,
        horizon: 64,
    };
    let stall = Policy::Stall {
        period: 8,
        lanes: 2,
        among: 32,
        horizon: 2,
        length: 100,
    };
    for policy in [RANDOM, priority, stall] {
        let lost = (0..100).filter(|&seed| {
            let word = AtomicU32::new(0);
            lockstep::run(Plan::new(1, policy, seed), |_| {
                let value = word.load(Relaxed);
                word.store(value + 1, Relaxed);
            })
            .unwrap();
            word.load(Relaxed) < 32
        });
        assert!(lost.count() > 50, "{policy:?}");
    }
}

#[test]
fn a_plan_replays() {
    let kernel = |word: &AtomicU32, warp: Lockstep| {
        for _ in 0..5 {
            let mask = warp.converge();
            if warp.ballot(mask, word.fetch_add(1, Relaxed) & 1 == 1) == 0 {
                warp.back_off();
            }
        }
        warp.sync(u32::MAX);
    };
    let mut fingerprints = Vec::new();
    for seed in 0..40 {
        let plan = Plan::varied(3, 32, 10, seed);
        let [first, second] = [(); 2].map(|()| {
            let word = AtomicU32::new(0);
            lockstep::run(plan, |warp| kernel(&word, warp)).unwrap()
        });
        assert_eq!(first, second);
        fingerprints.push(first.fingerprint);
    }
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 40);
}

#[test]
fn a_spin_ends_under_every_policy() {
    for seed in 0..100 {
        let word = AtomicU32::new(0);
        lockstep::run(Plan::varied(2, 32, 10, seed), |warp| {
            // Each thread waits for the one before it, in its warp or another.
            while word.load(Relaxed) != warp.thread() {
                warp.back_off();
            }
            word.store(warp.thread() + 1, Relaxed);
        })
        .unwrap();
    }
}
