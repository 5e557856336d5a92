//! Faults that the weak memory of runs in lockstep reports: unordered plain accesses, and accesses
//! outside of memory.

use std::cell::Cell;

use cuda_std::atomic::{
    AtomicU32,
    Ordering::{self, AcqRel, Acquire, Relaxed, Release},
};
use cuda_std::mem;
use heapwood_device::simt::Warp;
use heapwood_tests::lockstep::{self, Fault, Plan, Policy};

const SEEDS: u64 = 600;

/// The race that a shape of plain accesses to one word has under some seed.
fn race(shape: impl Fn(*mut u32, &AtomicU32, u32)) -> Option<Fault> {
    (0..SEEDS).find_map(|seed| {
        let (data, flag) = (Cell::new(0), AtomicU32::new(0));
        let plan = Plan::new(2, Policy::Random { period: 2 }, seed).weak();
        let result = lockstep::run(plan, |warp| {
            if warp.lane() == 0 {
                shape(data.as_ptr(), &flag, warp.warp());
            }
        });
        result.err().map(|error| error.fault)
    })
}

#[test]
fn plain_accesses_that_nothing_orders_race() {
    let passing = |store: Ordering, load: Ordering| {
        race(|data, flag, lane| {
            // SAFETY: the cell outlives the run.
            unsafe {
                if lane == 0 {
                    mem::write(data, 1);
                    flag.store(1, store);
                } else if flag.load(load) == 1 {
                    assert_eq!(mem::read(data), 1);
                }
            }
        })
    };
    assert_eq!(passing(Release, Acquire), None);
    for (store, load) in [(Relaxed, Acquire), (Release, Relaxed)] {
        let Some(Fault::Race {
            first,
            first_site,
            second,
            second_site,
            ..
        }) = passing(store, load)
        else {
            panic!("no race");
        };
        assert_eq!((first.warp, second.warp), (0, 1));
        assert!(first_site.file().ends_with("lockstep/races.rs"));
        assert_eq!(first_site.line() + 3, second_site.line());
    }
}

#[test]
fn writes_after_reads_and_atomics_race_too() {
    // A reader says that it is done, and the memory is written again.
    let reused = |store: Ordering, load: Ordering| {
        race(|data, flag, lane| {
            // SAFETY: as above.
            unsafe {
                if lane == 0 {
                    mem::read(data);
                    flag.store(1, store);
                } else if flag.load(load) == 1 {
                    mem::write(data, 2);
                }
            }
        })
    };
    assert_eq!(reused(Release, Acquire), None);
    assert!(matches!(reused(Release, Relaxed), Some(Fault::Race { .. })));
    assert!(matches!(reused(Relaxed, Acquire), Some(Fault::Race { .. })));
    // The same where the word is first atomic, and then payload.
    let payload = |load: Ordering| {
        race(|data, flag, lane| {
            // SAFETY: as above; aligned.
            let word = unsafe { &*data.cast::<AtomicU32>() };
            if lane == 0 {
                word.store(1, Relaxed);
                flag.fetch_add(1, AcqRel);
            } else if flag.load(load) == 1 {
                // SAFETY: as above.
                unsafe { mem::write(data, 2) };
            }
        })
    };
    assert_eq!(payload(Acquire), None);
    assert!(matches!(payload(Relaxed), Some(Fault::Race { .. })));
}

#[test]
fn an_access_outside_memory_is_reported() {
    let nowhere = std::ptr::without_provenance::<AtomicU32>(1 << 46);
    let plan = Plan::new(1, Policy::Random { period: 2 }, 1).weak();
    let fault = lockstep::run(plan, |warp| {
        if warp.lane() == 3 {
            // SAFETY: the run ends in front of the access.
            unsafe { &*nowhere }.load(Relaxed);
        }
    });
    let fault = fault.unwrap_err().fault;
    assert!(matches!(fault, Fault::Wild { lane, .. } if lane.lane == 3));
}
