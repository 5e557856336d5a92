//! The weak memory of runs in lockstep, on the shapes that its literature is
//! written in: what must be seen, what may be seen and is, and what never is.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use cuda_std::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst},
    fence,
};
use heapwood_device::simt::Warp;
use heapwood_tests::lockstep::{self, Lockstep, Plan, Policy};

/// The lanes of a shape: they do something, and lane `n` leaves what it saw.
type Seen = Vec<Vec<u32>>;

const SEEDS: u64 = 600;

/// Which outcomes a shape of `lanes` lanes of different warps has. Each is what
/// the lanes saw, one behind the other.
fn outcomes(lanes: u32, shape: impl Fn(&[AtomicU32; 4], u32) -> Vec<u32>) -> BTreeSet<Vec<u32>> {
    let mut all = BTreeSet::new();
    for seed in 0..SEEDS {
        let words = [const { AtomicU32::new(0) }; 4];
        let seen: RefCell<Seen> = RefCell::new(vec![Vec::new(); lanes as usize]);
        let plan = Plan::new(lanes, Policy::Random { period: 2 }, seed).weak();
        lockstep::run(plan, |warp| {
            if warp.lane() == 0 {
                let saw = shape(&words, warp.warp());
                seen.borrow_mut()[warp.warp() as usize] = saw;
            }
        })
        .unwrap();
        all.insert(seen.into_inner().concat());
    }
    all
}

/// Message passing: a datum, then a flag.
fn passing(store: Ordering, load: Ordering) -> BTreeSet<Vec<u32>> {
    outcomes(2, |[data, flag, ..], lane| {
        if lane == 0 {
            data.store(1, Relaxed);
            flag.store(1, store);
            Vec::new()
        } else {
            vec![flag.load(load), data.load(Relaxed)]
        }
    })
}

#[test]
fn a_release_and_an_acquire_pass_a_message() {
    assert!(!passing(Release, Acquire).contains(&vec![1, 0]));
    assert!(passing(Release, Acquire).contains(&vec![1, 1]));
    for (store, load) in [(Relaxed, Acquire), (Release, Relaxed), (Relaxed, Relaxed)] {
        assert!(passing(store, load).contains(&vec![1, 0]));
    }
}

#[test]
fn fences_pass_a_message() {
    let passing = |first: bool, second: bool| {
        outcomes(2, |[data, flag, ..], lane| {
            if lane == 0 {
                data.store(1, Relaxed);
                if first {
                    fence(Release);
                }
                flag.store(1, Relaxed);
                Vec::new()
            } else {
                let flag = flag.load(Relaxed);
                if second {
                    fence(Acquire);
                }
                vec![flag, data.load(Relaxed)]
            }
        })
    };
    assert!(!passing(true, true).contains(&vec![1, 0]));
    assert!(passing(true, false).contains(&vec![1, 0]));
    assert!(passing(false, true).contains(&vec![1, 0]));
}

/// Store buffering: each stores one word and reads the other.
fn buffering(store: Ordering, load: Ordering, between: Option<Ordering>) -> BTreeSet<Vec<u32>> {
    outcomes(2, |words, lane| {
        let lane = lane as usize;
        words[lane].store(1, store);
        if let Some(order) = between {
            fence(order);
        }
        vec![words[1 - lane].load(load)]
    })
}

#[test]
fn only_sequential_fences_keep_stores_from_being_buffered() {
    let both_miss = vec![0, 0];
    assert!(buffering(Relaxed, Relaxed, None).contains(&both_miss));
    assert!(buffering(Release, Acquire, None).contains(&both_miss));
    assert!(buffering(Relaxed, Relaxed, Some(AcqRel)).contains(&both_miss));
    assert!(!buffering(Relaxed, Relaxed, Some(SeqCst)).contains(&both_miss));
    assert!(!buffering(SeqCst, SeqCst, None).contains(&both_miss));
}

#[test]
fn a_read_modify_write_is_not_buffered() {
    // Of two that each write one word and look at the other by a
    // read-modify-write, one sees the other.
    let seen = outcomes(2, |words, lane| {
        words[0].fetch_or(1 << lane, AcqRel);
        vec![words[0].fetch_add(0, AcqRel)]
    });
    assert!(seen.iter().all(|seen| seen.contains(&3)), "{seen:?}");
}

/// Independent reads of independent writes.
fn independent(order: Ordering, between: Option<Ordering>) -> bool {
    let seen = outcomes(4, |words, lane| {
        let lane = lane as usize;
        if lane < 2 {
            words[lane].store(1, Release);
            return Vec::new();
        }
        let first = words[lane - 2].load(order);
        if let Some(order) = between {
            fence(order);
        }
        vec![first, words[3 - lane].load(order)]
    });
    // The two readers disagree on which write came first.
    seen.contains(&vec![1, 0, 1, 0])
}

#[test]
fn readers_agree_on_the_order_of_writes_with_sequential_fences_alone() {
    assert!(independent(Acquire, None));
    assert!(independent(Acquire, Some(AcqRel)));
    assert!(!independent(Relaxed, Some(SeqCst)));
    assert!(!independent(SeqCst, None));
}

#[test]
fn a_word_is_coherent() {
    let seen = outcomes(2, |[word, ..], lane| {
        if lane == 0 {
            word.store(1, Relaxed);
            word.store(2, Relaxed);
            vec![word.load(Relaxed)]
        } else {
            vec![word.load(Relaxed), word.load(Relaxed), word.load(Relaxed)]
        }
    });
    for seen in &seen {
        assert!(
            seen.is_sorted_by(|a, b| a <= b || *a == seen[0]),
            "{seen:?}"
        );
        assert!(seen[1..].is_sorted(), "{seen:?}");
        assert_eq!(seen[0], 2);
    }
    // Every order that coherence leaves.
    assert_eq!(seen.len(), 10);
}

#[test]
fn coherence_travels_with_a_message() {
    // After the acquire, no load returns a store older than one that was read before the release.
    let seen = outcomes(3, |[word, flag, ..], lane| match lane {
        0 => {
            word.store(1, Relaxed);
            Vec::new()
        }
        1 => {
            let first = word.load(Relaxed);
            flag.store(1, Release);
            vec![first]
        }
        _ => vec![flag.load(Acquire), word.load(Relaxed)],
    });
    assert!(!seen.contains(&vec![1, 1, 0]));
    assert!(seen.contains(&vec![1, 0, 0]));
}

#[test]
fn a_release_sequence_goes_through_read_modify_writes_only() {
    let sequence = |by_store: bool| {
        outcomes(3, |[data, flag, ..], lane| match lane {
            0 => {
                data.store(1, Relaxed);
                flag.store(1, Release);
                Vec::new()
            }
            1 if by_store => {
                if flag.load(Relaxed) == 1 {
                    flag.store(2, Relaxed);
                }
                Vec::new()
            }
            1 => {
                flag.compare_exchange(1, 2, Relaxed);
                Vec::new()
            }
            _ => vec![flag.load(Acquire), data.load(Relaxed)],
        })
    };
    assert!(!sequence(false).contains(&vec![2, 0]));
    assert!(sequence(false).contains(&vec![2, 1]));
    assert!(sequence(true).contains(&vec![2, 0]));
}

#[test]
fn stores_to_two_words_may_be_ordered_crosswise() {
    let crosswise = |order: Ordering, between: Option<Ordering>| {
        let mut found = false;
        for seed in 0..SEEDS {
            let words = [const { AtomicU32::new(0) }; 2];
            let plan = Plan::new(2, Policy::Random { period: 2 }, seed).weak();
            lockstep::run(plan, |warp| {
                let lane = warp.warp() as usize;
                if warp.lane() == 0 {
                    words[lane].store(1, order);
                    if let Some(order) = between {
                        fence(order);
                    }
                    words[1 - lane].store(2, order);
                }
            })
            .unwrap();
            found |= words.iter().all(|word| word.load(Relaxed) == 1);
        }
        found
    };
    assert!(crosswise(Relaxed, None));
    assert!(crosswise(Release, None));
    assert!(!crosswise(Relaxed, Some(SeqCst)));
}

#[test]
fn nothing_comes_between_a_read_modify_write_and_what_it_read() {
    let seen = outcomes(3, |[word, ..], lane| {
        if lane == 2 {
            word.store(100, Relaxed);
        } else {
            word.fetch_add(1, Relaxed);
        }
        Vec::new()
    });
    assert_eq!(seen.len(), 1);
    for seed in 0..SEEDS {
        let word = AtomicU64::new(0);
        let plan = Plan::new(4, Policy::Random { period: 2 }, seed).weak();
        lockstep::run(plan, |_| {
            word.fetch_add(1, Relaxed);
        })
        .unwrap();
        assert_eq!(word.load(Relaxed), 128);
    }
}

/// Lane 0 stores, all lanes meet, lane 1 loads.
fn across_lanes(meet: impl Fn(Lockstep)) -> bool {
    (0..SEEDS).any(|seed| {
        let word = AtomicU32::new(0);
        let stale = Cell::new(false);
        let plan = Plan::new(1, Policy::Random { period: 2 }, seed).weak();
        lockstep::run(plan, |warp| {
            if warp.lane() == 0 {
                word.store(1, Relaxed);
            }
            meet(warp);
            if warp.lane() == 1 && word.load(Relaxed) == 0 {
                stale.set(true);
            }
        })
        .unwrap();
        stale.get()
    })
}

#[test]
fn sync_orders_its_lanes_and_shuffles_and_votes_do_not() {
    assert!(!across_lanes(|warp| warp.sync(u32::MAX)));
    assert!(across_lanes(|warp| {
        warp.shuffle(u32::MAX, 0, 0);
    }));
    assert!(across_lanes(|warp| {
        warp.ballot(u32::MAX, true);
    }));
    assert!(across_lanes(|warp| {
        // A barrier of others.
        let mask = if warp.lane() == 1 { 2 } else { !2 };
        warp.sync(mask);
        warp.shuffle(u32::MAX, 0, 0);
    }));
}

#[test]
fn a_spin_sees_the_store_it_waits_for() {
    for seed in 0..50 {
        let word = AtomicU32::new(0);
        lockstep::run(Plan::varied(2, 32, 10, seed).weak(), |warp| {
            while word.load(Acquire) != warp.thread() {
                warp.back_off();
            }
            word.store(warp.thread() + 1, Release);
        })
        .unwrap();
    }
}

#[test]
fn a_weak_run_replays() {
    let run = |seed| {
        let words = [const { AtomicU32::new(0) }; 4];
        let trace = RefCell::new(Vec::new());
        let plan = Plan::varied(2, 32, 10, seed).weak();
        let outcome = lockstep::run(plan, |warp| {
            let mut random = lockstep::Random::new(u64::from(warp.thread()));
            for turn in 0..6 {
                let word = &words[random.below(4) as usize];
                let value = if random.one_in(2) {
                    word.load(Relaxed)
                } else {
                    word.swap(turn, AcqRel)
                };
                trace.borrow_mut().push(value);
                word.store(turn, Relaxed);
            }
        });
        (outcome.unwrap(), trace.into_inner())
    };
    for seed in 0..20 {
        assert_eq!(run(seed), run(seed));
    }
}

#[test]
fn a_read_modify_write_may_come_before_a_store_that_was_made() {
    let seen = outcomes(2, |[data, flag, ..], lane| {
        if lane == 0 {
            data.store(1, Relaxed);
            flag.fetch_add(1, Relaxed);
            Vec::new()
        } else {
            let flag = flag.load(Relaxed);
            vec![flag, data.fetch_add(2, Relaxed)]
        }
    });
    assert!(seen.contains(&vec![1, 0]) && seen.contains(&vec![1, 1]));
}
