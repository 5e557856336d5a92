//! The bulk semaphore.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocators::ouroboros::semaphore::{Fields, Semaphore};
use heapwood_device::warp::Warp;
use heapwood_tests::conformance::{Coroutines, Machine};
use heapwood_tests::lockstep::Random;

use super::everywhere;

/// The words of a semaphore, at 0.
pub struct Words {
    permits: cuda_std::atomic::AtomicU64,
    expected: cuda_std::atomic::AtomicU32,
}

impl Words {
    pub fn new() -> Self {
        Self {
            permits: cuda_std::atomic::AtomicU64::new(0),
            expected: cuda_std::atomic::AtomicU32::new(0),
        }
    }

    pub fn semaphore(&self) -> Semaphore<'_> {
        Semaphore {
            permits: &self.permits,
            expected: &self.expected,
        }
    }
}

/// Threads take and give back bundles of a limited supply. Never more is taken
/// than there is, everybody returns, and at the end the word says what is left.
fn semaphore<M: Machine>(machine: &M, seed: u32) {
    const BUNDLE_BITS: u32 = 2;
    let mut random = Random::new(u64::from(seed));
    let bundles = 1 + random.below(12) as u32;
    let words = Words::new();
    let semaphore = words.semaphore();
    // Bundles that were not yet brought, and what all threads hold.
    let stock = AtomicU32::new(bundles);
    let held = AtomicU32::new(0);
    let brought = AtomicU32::new(0);
    let refused = AtomicU32::new(0);
    machine.launch(|warp| {
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(warp.thread()));
        let mut own = 0;
        for _ in 0..M::TURNS {
            if own > 0 && random.one_in(2) {
                held.fetch_sub(own, SeqCst);
                semaphore.signal(own);
                own = 0;
                continue;
            }
            if own > 0 {
                continue;
            }
            let n = 1 + random.below(9) as u32;
            let mut taken = semaphore.try_take(n);
            if !taken {
                taken = semaphore.wait(warp, n, BUNDLE_BITS);
                if !taken {
                    let wanted = Semaphore::bundles_for(n, BUNDLE_BITS);
                    let mut got = 0;
                    for _ in 0..wanted {
                        warp.back_off();
                        let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                        got += u32::from(took.is_ok()) << BUNDLE_BITS;
                    }
                    brought.fetch_add(got, SeqCst);
                    taken = got >= n;
                    let rest = if taken { got - n } else { got };
                    if taken {
                        held.fetch_add(n, SeqCst);
                    }
                    semaphore.arrived(n, BUNDLE_BITS, rest);
                    if taken {
                        own = n;
                        continue;
                    }
                }
            }
            if taken {
                let all = held.fetch_add(n, SeqCst) + n;
                assert!(
                    all <= bundles << BUNDLE_BITS,
                    "{all} taken of {bundles} bundles"
                );
                own = n;
            } else {
                refused.fetch_add(1, SeqCst);
            }
        }
        if own > 0 {
            held.fetch_sub(own, SeqCst);
            semaphore.signal(own);
        }
    });
    let expected = Fields {
        count: brought.load(SeqCst) as i32,
        expected: 0,
        reserved: 0,
    };
    assert_eq!(semaphore.read(), expected);
    assert_eq!(held.load(SeqCst), 0);
    // What is there can be had, once more and no further.
    assert_eq!(semaphore.take_all(), brought.load(SeqCst));
    assert!(!semaphore.try_take(1));
}

#[test]
fn the_semaphore_gives_no_more_than_there_is() {
    everywhere(150, semaphore, semaphore);
}

/// Everyone wants more than there is, at once: all but a few must be refused,
/// and none may wait for ever for what was promised.
#[test]
fn waiting_ends_when_nothing_comes() {
    for seed in 0..200 {
        let words = Words::new();
        let semaphore = words.semaphore();
        let served = AtomicU32::new(0);
        let stock = AtomicU32::new(seed % 3);
        Coroutines::new(u64::from(seed)).launch(|warp| {
            let mut taken = semaphore.wait(warp, 3, 3);
            if !taken {
                warp.back_off();
                let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                taken = took.is_ok();
                semaphore.arrived(3, 3, if taken { 5 } else { 0 });
            }
            served.fetch_add(u32::from(taken), SeqCst);
        });
        // What is left arrived after the last of the others was refused.
        let left = semaphore.read();
        let bundles = seed % 3;
        assert!(served.load(SeqCst) >= bundles);
        assert_eq!(3 * served.load(SeqCst) + left.count as u32, 8 * bundles);
        assert_eq!((left.expected, left.reserved), (0, 0));
    }
}
