//! That null is evidence of a full heap, for allocators that say so: histories of
//! calls under schedules in which lanes stall in the middle of theirs. The checker
//! itself is tried on an allocator that takes a stalled lane for a full heap.

use std::ops::Range;

use heapwood_device::allocator::{Allocator, Handle, Heap, Request, SetupError};
use heapwood_device::allocators::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
use heapwood_device::simt::Warp;

use cuda_std::atomic::AtomicU32;
use cuda_std::atomic::Ordering::{Acquire, Relaxed, Release};
use heapwood_tests::conformance::history::{Attack, Findings, Fit, attack};

/// A heap of a few slots; a block takes one or two. A request for two holds the first while it
/// looks at the second.
///
/// With `HASTY` a slot that another thread holds counts as taken.
#[derive(Clone, Copy)]
struct Slots<const HASTY: bool> {
    memory: *mut u8,
}

const SLOTS: u32 = 6;
const SLOT_BYTES: u64 = 64;

const FREE: u32 = 0;
const HELD: u32 = 1;
const USED: u32 = 2;

impl<const HASTY: bool> Slots<HASTY> {
    fn state(&self, slot: u32) -> &AtomicU32 {
        let offset = u64::from(SLOTS) * SLOT_BYTES + u64::from(slot) * 4;
        // SAFETY: `setup` has placed a word for each slot behind the slots.
        unsafe { &*self.memory.add(offset as usize).cast() }
    }

    fn length(&self, slot: u32) -> &AtomicU32 {
        self.state(SLOTS + slot)
    }

    fn hold(&self, slot: u32) -> bool {
        self.state(slot).compare_exchange(FREE, HELD, Acquire) == FREE
    }
}

impl<const HASTY: bool> Allocator for Slots<HASTY> {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = !HASTY;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let mut heap = Heap {
            pointers: [std::ptr::null_mut(); 4],
            integers: Default::default(),
        };
        heap.pointers[0] = request.base;
        Ok(heap)
    }

    unsafe fn new(heap: Heap) -> Self {
        Self {
            memory: heap.pointers[0],
        }
    }

    fn max_block(_heap: &Heap) -> u64 {
        2 * SLOT_BYTES
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            for slot in 0..SLOTS {
                self.state(slot).store(FREE, Relaxed);
            }
        }
    }

    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = if bytes > SLOT_BYTES { 2 } else { 1 };
        loop {
            let mut sure = true;
            for first in 0..=SLOTS - wanted {
                if !self.hold(first) {
                    sure &= self.state(first).load(Relaxed) == USED;
                    continue;
                }
                if wanted == 2 && !self.hold(first + 1) {
                    sure &= self.state(first + 1).load(Relaxed) == USED;
                    self.state(first).store(FREE, Release);
                    continue;
                }
                self.length(first).store(wanted, Relaxed);
                for slot in first..first + wanted {
                    self.state(slot).store(USED, Relaxed);
                }
                return first;
            }
            if sure || HASTY {
                return u32::NULL;
            }
            warp.back_off();
        }
    }

    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        let length = self.length(block).load(Relaxed);
        for slot in block..block + length {
            self.state(slot).store(FREE, Release);
        }
    }

    fn address(self, block: u32) -> *mut u8 {
        self.memory
            .wrapping_add(block as usize * SLOT_BYTES as usize)
    }

    fn contains(self, block: u32) -> bool {
        block < SLOTS
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        u64::from(self.length(block).load(Relaxed)) * SLOT_BYTES
    }
}

/// All memory of the blocks, in units of `unit` bytes.
fn runs(heap: &Heap, bytes: u64, unit: usize) -> Fit {
    let start = heap.pointers[0] as usize;
    let memory = start..start + bytes as usize;
    Fit::Run { memory, unit }
}

fn attack_slots<const HASTY: bool>(seeds: Range<u64>, fit: Option<Fit>) -> Findings {
    let load = Attack {
        pool_bytes: 1024,
        parameters: &[],
        parts: &[1, 2, 2],
        lanes: 4,
        turns: 16,
        coalesced: 0,
    };
    attack::<Slots<HASTY>>(load, seeds, |pool| {
        let all = runs(
            pool.heap(),
            u64::from(SLOTS) * SLOT_BYTES,
            SLOT_BYTES as usize,
        );
        fit.clone().unwrap_or(all)
    })
}

#[test]
fn a_hasty_refusal_is_found() {
    let found = attack_slots::<true>(0..300, None);
    assert!(found.wrong.len() > 20, "{found:?}");
    let found = attack_slots::<true>(0..300, Some(Fit::SameBlock));
    assert!(found.wrong.len() > 10, "{found:?}");
}

#[test]
fn a_patient_refusal_is_right() {
    for fit in [None, Some(Fit::SameBlock)] {
        let found = attack_slots::<false>(0..300, fit);
        assert!(found.refusals > 100, "{found:?}");
        assert!(found.wrong.is_empty(), "{:?}", found.wrong);
    }
}

const PARAMETERS: &[&[(&str, &str)]] = &[
    &[],
    &[("region", "64")],
    &[("region", "256"), ("split", "uniform")],
    &[("region", "1024"), ("frag", "1.5")],
    &[("region", "512"), ("split", "heap")],
];

fn circular<A: Allocator<Handle = u32>>(unit: usize) {
    for parameters in PARAMETERS {
        for (parts, coalesced) in [(&[64, 16, 8, 5], 0), (&[40, 9, 3, 2], 2)] {
            let load = Attack {
                pool_bytes: 12_000,
                parameters,
                parts,
                lanes: 6,
                turns: 14,
                coalesced,
            };
            let found = attack::<A>(load, 0..150, |pool| {
                runs(pool.heap(), A::max_block(pool.heap()), unit)
            });
            println!("{load:?}: {} refusals", found.refusals);
            assert!(
                found.wrong.is_empty(),
                "{load:?}: {} of {} refusals are wrong, the first {:?}",
                found.wrong.len(),
                found.refusals,
                found.wrong[0]
            );
            assert!(found.refusals > 20, "{load:?}: {} refusals", found.refusals);
        }
    }
}

#[test]
fn cmalloc_refuses_with_evidence() {
    circular::<CMalloc>(32);
}

#[test]
fn cfmalloc_refuses_with_evidence() {
    circular::<CfMalloc>(16);
}

#[test]
fn cmmalloc_refuses_with_evidence() {
    circular::<CmMalloc>(32);
}

#[test]
fn cfmmalloc_refuses_with_evidence() {
    circular::<CfmMalloc>(16);
}
