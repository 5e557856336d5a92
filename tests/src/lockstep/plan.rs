//! The parameters of a run: the number of warps and their schedules. A plan is replayable: an
//! interleaving depends only on the plan and the kernel.

use super::random::Random;

/// How the scheduler chooses the lane that runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Any lane, after each atomic operation with a chance of one in `period`.
    Random {
        /// Atomic operations that a lane makes in a row, on average.
        period: u64,
    },
    /// The lane of the highest priority. Priorities are random; at each of a
    /// few random steps the lane that runs falls behind all others
    /// (Burckhardt and others 2010: finds a fault that needs `changes` changes
    /// of lane with a known probability).
    Priority {
        /// Steps at which the running lane falls behind.
        changes: u32,
        /// Steps among which these are drawn.
        horizon: u64,
    },
    /// As `Random`, but some lanes stand still for long in front of an atomic
    /// operation that is chosen at random, and again later.
    Stall {
        /// As for `Random`.
        period: u64,
        /// Lanes that stall, drawn from the first `among` of each warp.
        lanes: u32,
        /// See `lanes`.
        among: u32,
        /// Atomic operations of a lane among which the place is drawn.
        horizon: u64,
        /// Steps of other lanes that a stall lasts.
        length: u64,
    },
}

/// The stores that a load may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The last store.
    Sequential,
    /// Any store that C11 allows: `super::memory`.
    Weak,
}

/// A run of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Warps in the grid.
    pub warps: u32,
    /// Warps in a block, a divisor of `warps`.
    pub block_warps: u32,
    /// Multiprocessors that the warps are spread over.
    pub processors: u32,
    /// The kind of schedule.
    pub policy: Policy,
    /// The memory.
    pub memory: Model,
    /// Which schedule of that kind.
    pub seed: u64,
    /// Steps (atomic operations, collectives, turns of a spin) of all lanes
    /// together after which the run is given up as a livelock.
    pub step_limit: u64,
}

impl Plan {
    /// A plan of this seed under `policy`.
    pub fn new(warps: u32, policy: Policy, seed: u64) -> Self {
        Self {
            warps,
            block_warps: 1,
            processors: 4,
            policy,
            memory: Model::Sequential,
            seed,
            step_limit: 20_000_000,
        }
    }

    /// The same plan over weak memory.
    pub fn weak(self) -> Self {
        Self {
            memory: Model::Weak,
            ..self
        }
    }

    /// A plan whose policy, too, is drawn from the seed. `horizon` is roughly
    /// the number of atomic operations that a lane makes, and `among` the lanes
    /// of a warp that take part.
    pub fn varied(warps: u32, among: u32, horizon: u64, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x7061_6e5f);
        let period = random.choose(&[1, 2, 8, 64]);
        let policy = match random.below(4) {
            0 => Policy::Random { period },
            1 => Policy::Priority {
                changes: 1 + random.below(6) as u32,
                horizon: horizon * u64::from(among * warps),
            },
            _ => Policy::Stall {
                period,
                lanes: 1 + random.below(3) as u32,
                among,
                horizon,
                length: horizon * random.choose(&[1, 10, 100]),
            },
        };
        Self::new(warps, policy, seed)
    }
}
