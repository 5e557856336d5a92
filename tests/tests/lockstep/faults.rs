//! Reports of a run in lockstep: each fault, with lane and place, instead of a hang.

use cuda_std::atomic::{AtomicU32, Ordering::Relaxed};
use heapwood_device::simt::Warp;
use heapwood_tests::lockstep::{self, Collective, Fault, Lockstep, Plan, Policy};

const RANDOM: Policy = Policy::Random { period: 2 };

fn fault(plan: Plan, kernel: impl Fn(Lockstep)) -> Fault {
    lockstep::run(plan, kernel).unwrap_err().fault
}

#[test]
fn an_ended_lane_is_reported() {
    for seed in 0..20 {
        let fault = fault(Plan::varied(2, 32, 10, seed), |warp| {
            if warp.warp() == 0 || warp.lane() != 5 {
                warp.sync(u32::MAX);
            }
        });
        let Fault::Ended {
            waiting,
            place,
            ended: 5,
        } = fault
        else {
            panic!("{fault}");
        };
        assert_eq!((waiting.warp, place.collective), (1, Collective::Sync));
        assert!(place.location.file().ends_with("lockstep/faults.rs"));
    }
}

#[test]
fn lanes_that_wait_for_each_other_elsewhere_are_reported() {
    for seed in 0..20 {
        let fault = fault(Plan::varied(1, 32, 10, seed), |warp| {
            if warp.lane() < 16 {
                warp.sync(u32::MAX);
            } else {
                warp.ballot(u32::MAX, true);
            }
        });
        assert!(matches!(fault, Fault::Diverged { .. }), "{fault}");
    }
}

#[test]
fn masks_that_disagree_are_reported() {
    for seed in 0..20 {
        let fault = fault(Plan::varied(1, 32, 10, seed), |warp| {
            let mask = if warp.lane() == 3 { 0xff } else { u32::MAX };
            if warp.lane() < 8 {
                warp.ballot(mask, true);
            }
        });
        let reported = matches!(fault, Fault::Diverged { .. } | Fault::Ended { .. });
        assert!(reported, "{fault}");
    }
}

#[test]
fn lanes_that_do_not_come_to_a_barrier_are_reported() {
    for seed in 0..20 {
        let plan = Plan {
            block_warps: 2,
            ..Plan::varied(4, 32, 10, seed)
        };
        let ended = fault(plan, |warp| {
            if warp.warp() != 3 || warp.lane() != 7 {
                warp.sync_block();
            }
        });
        let Fault::Ended { waiting, place, .. } = ended else {
            panic!("{ended}");
        };
        assert_eq!(place.collective, Collective::SyncBlock);
        assert!(waiting.warp >= 2, "of the same block: {ended}");
        let apart = fault(plan, |warp| {
            if warp.warp() == 1 {
                warp.sync_block();
            }
            warp.sync_block();
        });
        assert!(matches!(apart, Fault::Diverged { .. }), "{apart}");
    }
}

#[test]
fn a_lane_outside_its_mask_is_reported() {
    let outsider = fault(Plan::new(1, RANDOM, 1), |warp| warp.sync(0xffff));
    assert!(matches!(outsider, Fault::Outsider { .. }), "{outsider}");
    let source = fault(Plan::new(1, RANDOM, 1), |warp| {
        warp.shuffle(1 << warp.lane(), 0, (warp.lane() + 1) % 32);
    });
    assert!(matches!(source, Fault::BadSource { .. }), "{source}");
}

#[test]
fn a_circle_of_waits_is_a_deadlock() {
    // Lane 0 waits for 1, 1 for 2, 2 for 3 and 3 for 0: no two wait for each
    // other.
    let fault = fault(Plan::new(1, RANDOM, 1), |warp| {
        let lane = warp.lane();
        if lane < 4 {
            warp.sync(1 << lane | 1 << ((lane + 1) % 4));
        } else {
            warp.sync(1 << lane);
        }
    });
    let Fault::Deadlock { waiting } = &fault else {
        panic!("{fault}");
    };
    assert_eq!(waiting.len(), 4);
}

#[test]
fn a_spin_without_end_reaches_the_step_limit() {
    let mut plan = Plan::new(1, RANDOM, 1);
    plan.step_limit = 10_000;
    let never = AtomicU32::new(0);
    let fault = fault(plan, |warp| {
        while never.load(Relaxed) == 0 {
            warp.back_off();
        }
    });
    assert!(matches!(fault, Fault::StepLimit { .. }), "{fault}");
}

#[test]
fn a_panic_names_the_lane_and_the_plan() {
    let plan = Plan::new(2, RANDOM, 77);
    let error = lockstep::run(plan, |warp| {
        assert!(warp.thread() != 40, "deliberately");
        warp.sync(u32::MAX);
    })
    .unwrap_err();
    assert_eq!(*error.plan, plan);
    let text = error.to_string();
    assert!(
        text.contains("warp 1 lane 8 panicked: deliberately"),
        "{text}"
    );
    assert!(text.contains("seed: 77"), "{text}");
}
