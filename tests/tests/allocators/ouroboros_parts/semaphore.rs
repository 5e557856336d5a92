//! The bulk semaphore.

use std::sync::atomic::{
    AtomicU32,
    Ordering::{Relaxed, SeqCst},
};

use heapwood_device::allocators::ouroboros::semaphore::{Fields, Semaphore};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine};
use heapwood_tests::lockstep::Random;

use super::everywhere;

/// The words of a semaphore, at 0.
pub struct Words {
    resources: cuda_std::atomic::AtomicU64,
    expected: cuda_std::atomic::AtomicU32,
}

impl Words {
    pub fn new() -> Self {
        Self {
            resources: cuda_std::atomic::AtomicU64::new(0),
            expected: cuda_std::atomic::AtomicU32::new(0),
        }
    }

    pub fn semaphore(&self) -> Semaphore<'_> {
        Semaphore {
            resources: &self.resources,
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
    // Bundles that were not yet allocated, and what all threads hold.
    let stock = AtomicU32::new(bundles);
    let held = AtomicU32::new(0);
    let allocated = AtomicU32::new(0);
    let refused = AtomicU32::new(0);
    let check = |all| assert!(all <= bundles << BUNDLE_BITS, "{all} of {bundles} bundles");
    machine.launch(&|warp| {
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
            // Takes the available resources first, and gets the rest by waiting or allocating.
            own = semaphore.take(n);
            check(held.fetch_add(own, SeqCst) + own);
            let left = n - own;
            if left == 0 {
                continue;
            }
            let waited = semaphore.wait(warp, left, BUNDLE_BITS, || stock.load(SeqCst) > 0);
            own += waited.granted;
            check(held.fetch_add(waited.granted, SeqCst) + waited.granted);
            let left = left - waited.granted;
            if waited.allocates {
                let mut got = 0;
                for _ in 0..Semaphore::bundles_for(left, BUNDLE_BITS) {
                    warp.back_off();
                    let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                    got += u32::from(took.is_ok()) << BUNDLE_BITS;
                }
                allocated.fetch_add(got, SeqCst);
                let ours = if got < left { got } else { left };
                own += ours;
                held.fetch_add(ours, SeqCst);
                semaphore.arrived(left, BUNDLE_BITS, got - ours);
            }
            refused.fetch_add(u32::from(own < n), SeqCst);
        }
        if own > 0 {
            held.fetch_sub(own, SeqCst);
            semaphore.signal(own);
        }
    });
    let expected = Fields {
        count: allocated.load(SeqCst),
        expected: 0,
        reserved: 0,
    };
    assert_eq!(semaphore.read(), expected);
    assert_eq!(held.load(SeqCst), 0);
    // All resources can be taken once, and no more.
    assert_eq!(semaphore.take_all(), allocated.load(SeqCst));
    assert_eq!(semaphore.take(1), 0);
}

#[test]
fn the_semaphore_gives_no_more_than_there_is() {
    everywhere(150, semaphore, semaphore);
}

/// `Semaphore::take_if_any` reads first: it takes the available resources, and leaves a count of
/// zero unchanged. If each look lowered the count, a signal could not end the deficit.
#[test]
fn looking_first_deepens_no_deficit() {
    let words = Words::new();
    let semaphore = words.semaphore();
    assert_eq!(semaphore.take(3), 0);
    let deficit = words.resources.load(Relaxed);
    assert_eq!(semaphore.take_if_any(5), 0);
    assert_eq!(words.resources.load(Relaxed), deficit);
    semaphore.signal(2);
    assert_eq!(semaphore.take_if_any(5), 2);
    assert_eq!(semaphore.take_if_any(1), 0);
}

/// All lanes request more than there is, at once: most must be refused, and none may wait for ever
/// for promised resources.
#[test]
#[cfg_attr(miri, ignore = "switches stacks")]
fn waiting_ends_when_nothing_comes() {
    for seed in 0..200 {
        let words = Words::new();
        let semaphore = words.semaphore();
        let served = AtomicU32::new(0);
        let stock = AtomicU32::new(seed % 3);
        Coroutines::new(u64::from(seed)).launch(&|warp| {
            let waited = semaphore.wait(warp, 3, 3, || true);
            let mut taken = waited.granted == 3;
            let left = 3 - waited.granted;
            if waited.allocates {
                warp.back_off();
                let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                taken = took.is_ok();
                semaphore.arrived(left, 3, if taken { 8 - left } else { 0 });
            }
            if !taken {
                semaphore.signal(waited.granted);
            }
            served.fetch_add(u32::from(taken), SeqCst);
        });
        // The remaining resources arrived after the last refusal.
        let left = semaphore.read();
        let bundles = seed % 3;
        assert!(served.load(SeqCst) >= bundles);
        assert_eq!(3 * served.load(SeqCst) + left.count, 8 * bundles);
        assert_eq!((left.expected, left.reserved), (0, 0));
    }
}

/// A request that fails hides nothing, however long its thread stands still: what others
/// add is there at once, and a few of what one wants are granted.
#[test]
fn a_request_that_fails_hides_nothing() {
    let words = Words::new();
    let semaphore = words.semaphore();
    for round in 0..3 {
        assert_eq!(semaphore.take(7), 0);
        assert_eq!(semaphore.take(1), 0);
        semaphore.signal(5);
        assert_eq!(semaphore.read().count, 5, "{round}");
        assert!(!semaphore.take_together(6));
        assert_eq!(semaphore.take(9), 5);
        assert_eq!(semaphore.read().count, 0);
        semaphore.signal(40);
        assert!(semaphore.take_together(40));
        assert_eq!(semaphore.left(), 0);
    }
}

/// However many requests fail, their deficit does not wrap.
#[test]
fn a_deficit_is_taken_away() {
    let words = Words::new();
    let semaphore = words.semaphore();
    for _ in 0..200 {
        assert_eq!(semaphore.take(1 << 25), 0);
    }
    semaphore.signal(3);
    assert_eq!(semaphore.take(1 << 25), 3);
}

/// Threads take and add small counts of scarce resources, so that deficits come and go all the
/// time. No resource is lost and none is made.
fn deficits<M: Machine>(machine: &M, seed: u32) {
    let words = Words::new();
    let semaphore = words.semaphore();
    semaphore.signal(20);
    machine.launch(&|warp| {
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(warp.thread()));
        for _ in 0..M::TURNS {
            let got = semaphore.take(1 + random.below(6) as u32);
            if random.one_in(3) {
                warp.back_off();
            }
            semaphore.signal(got);
        }
    });
    assert_eq!(semaphore.read().count, 20);
    assert_eq!(semaphore.take_all(), 20);
}

#[test]
fn deficits_swallow_nothing() {
    everywhere(150, deficits, deficits);
}
