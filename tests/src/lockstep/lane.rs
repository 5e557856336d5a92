//! A lane of a warp in lockstep, as device code sees it.

use std::panic::Location;

use heapwood_device::simt::Warp;

use super::failure::{Collective, Place};
use super::plan::Plan;
use super::{suspend, with_machine};

/// A lane of a warp of 32. All lanes are coroutines of one host thread.
///
/// The value holds no pointer: it is good during its run, on the coroutine that
/// got it, and any other use panics.
#[derive(Clone, Copy, Debug)]
pub struct Lockstep {
    warp: u32,
    lane: u32,
    warps: u32,
    block_warps: u32,
    processors: u32,
}

impl Lockstep {
    pub(super) fn new(index: u32, plan: &Plan) -> Self {
        Self {
            warp: index / 32,
            lane: index % 32,
            warps: plan.warps,
            block_warps: plan.block_warps,
            processors: plan.processors,
        }
    }

    fn check(self, current: u32) {
        assert_eq!(
            current,
            self.warp * 32 + self.lane,
            "a lane was used by another"
        );
    }

    fn collective(
        self,
        collective: Collective,
        location: &'static Location<'static>,
        mask: u32,
        value: u32,
        operand: u32,
    ) -> u32 {
        let place = Place {
            collective,
            mask,
            location,
        };
        let waits = with_machine(|machine| {
            self.check(machine.current());
            machine.arrive(place, value, operand)
        });
        if waits {
            suspend();
        }
        with_machine(|machine| machine.result())
    }
}

// SAFETY: the machine makes each lane of each warp once, exchanges the values of collectives
// among exactly the lanes that they name, and gives each warp scratch memory of its own.
unsafe impl Warp for Lockstep {
    const LANES: u32 = 32;

    fn lane(self) -> u32 {
        self.lane
    }

    fn warp(self) -> u32 {
        self.warp
    }

    fn warps(self) -> u32 {
        self.warps
    }

    fn processor(self) -> u32 {
        self.warp % self.processors
    }

    #[track_caller]
    fn converge(self) -> u32 {
        let location = Location::caller();
        with_machine(|machine| {
            self.check(machine.current());
            machine.converge(location);
        });
        suspend();
        with_machine(|machine| machine.result())
    }

    #[track_caller]
    fn ballot(self, mask: u32, predicate: bool) -> u32 {
        let location = Location::caller();
        self.collective(Collective::Ballot, location, mask, u32::from(predicate), 0)
    }

    #[track_caller]
    fn sync(self, mask: u32) {
        self.collective(Collective::Sync, Location::caller(), mask, 0, 0);
    }

    #[track_caller]
    fn shuffle(self, mask: u32, value: u32, lane: u32) -> u32 {
        let location = Location::caller();
        self.collective(Collective::Shuffle, location, mask, value, lane)
    }

    #[track_caller]
    fn all_shuffle_up(self, value: u32, delta: u32) -> u32 {
        let location = Location::caller();
        self.collective(Collective::ShuffleUp, location, Self::FULL, value, delta)
    }

    #[track_caller]
    fn all_shuffle_xor(self, value: u32, lanes: u32) -> u32 {
        let location = Location::caller();
        self.collective(Collective::ShuffleXor, location, Self::FULL, value, lanes)
    }

    fn back_off(self) {
        with_machine(|machine| {
            self.check(machine.current());
            machine.at_back_off();
        });
        suspend();
    }

    fn warps_in_block(self) -> u32 {
        self.block_warps
    }

    #[track_caller]
    fn sync_block(self) {
        let location = Location::caller();
        self.collective(Collective::SyncBlock, location, Self::FULL, 0, 0);
    }

    fn shared(self) -> *mut u8 {
        with_machine(|machine| machine.shared(self.warp / self.block_warps))
    }

    fn scratch(self) -> *mut u8 {
        with_machine(|machine| machine.scratch(self.warp))
    }
}
