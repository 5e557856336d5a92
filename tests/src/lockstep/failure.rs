//! Faults of a kernel that runs in lockstep, by lane and place.

use std::fmt;
use std::panic::Location;

use super::Plan;

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// `Warp::ballot`.
    Ballot,
    /// `Warp::sync`.
    Sync,
    /// `Warp::sync_block`, of all lanes of a block's warps.
    SyncBlock,
    /// `Warp::shuffle`.
    Shuffle,
    /// `Warp::all_shuffle_up`.
    ShuffleUp,
    /// `Warp::all_shuffle_xor`.
    ShuffleXor,
}

/// Where a lane waits: the operation, its lanes and the line of source.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The operation.
    pub collective: Collective,
    /// The lanes that it needs.
    pub mask: u32,
    /// The call.
    pub location: &'static Location<'static>,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        // The compiler may keep several copies of one location.
        self.collective == other.collective
            && self.mask == other.mask
            && (std::ptr::eq(self.location, other.location) || self.location == other.location)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{:?} of lanes {:#010x} at {}",
            self.collective, self.mask, self.location
        )
    }
}

/// A lane, by warp and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId {
    /// The warp.
    pub warp: u32,
    /// The lane of the warp.
    pub lane: u32,
}

impl fmt::Display for LaneId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "warp {} lane {}", self.warp, self.lane)
    }
}

/// A fault of a kernel in lockstep.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A lane waits for one that has ended.
    #[error("{waiting} waits in {place}, but lane {ended} has ended")]
    Ended {
        /// The lane that waits.
        waiting: LaneId,
        /// Where it waits.
        place: Place,
        /// The lane that it waits for.
        ended: u32,
    },
    /// Two lanes wait for each other at different places.
    #[error("{first} waits in {first_place} and {second} in {second_place}")]
    Diverged {
        /// The lane that came first.
        first: LaneId,
        /// Where it waits.
        first_place: Place,
        /// The lane that came second.
        second: LaneId,
        /// Where it waits.
        second_place: Place,
    },
    /// A lane calls a collective that it is not part of.
    #[error("{lane} is not among the lanes of {place}")]
    Outsider {
        /// The lane.
        lane: LaneId,
        /// The call.
        place: Place,
    },
    /// A lane shuffles from one that is not in the mask.
    #[error("{lane} reads from lane {source_lane} in {place}")]
    BadSource {
        /// The lane.
        lane: LaneId,
        /// The lane that it reads from.
        source_lane: u32,
        /// The call.
        place: Place,
    },
    /// Every lane that has not ended waits.
    #[error("all lanes wait: {}", .waiting.iter().map(|(lane, place)| format!("{lane} in {place}")).collect::<Vec<_>>().join("; "))]
    Deadlock {
        /// The lanes and where they wait.
        waiting: Vec<(LaneId, Place)>,
    },
    /// The step limit was reached: a livelock, or too low a limit.
    #[error("no end after {steps} steps; {lane} ran last, {waiting} lanes wait in collectives")]
    StepLimit {
        /// The limit.
        steps: u64,
        /// The lane that ran last.
        lane: LaneId,
        /// Lanes that wait in collectives.
        waiting: usize,
    },
    /// Two lanes access the same memory, at least one of them with a plain
    /// access and one of them to write, and nothing orders the two.
    #[error("{first} at {first_site} and {second} at {second_site} race")]
    Race {
        /// The address that the second accesses.
        address: usize,
        /// The lane that came first.
        first: LaneId,
        /// Its access.
        first_site: &'static Location<'static>,
        /// The lane that came second.
        second: LaneId,
        /// Its access.
        second_site: &'static Location<'static>,
    },
    /// A lane accesses an address where there is no memory.
    #[error("{lane} at {site} accesses no memory")]
    Wild {
        /// The lane.
        lane: LaneId,
        /// The access.
        site: &'static Location<'static>,
    },
    /// A lane panicked.
    #[error("{lane} panicked: {message}")]
    Panicked {
        /// The lane.
        lane: LaneId,
        /// The panic's message.
        message: String,
    },
}

/// A fault, with the plan that shows it again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{fault} (replay with {plan:?})")]
pub struct LockstepError {
    /// The fault.
    pub fault: Fault,
    /// The plan that was run.
    pub plan: Box<Plan>,
}
