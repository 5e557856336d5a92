//! Events of a trace, and the launches that they are of.

/// A request or a free of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the launch; 0 in traces of hosts, which have no launches.
    pub launch: u32,
    /// The number of the warp in its launch, or of a host's thread.
    pub warp: u32,
    /// The number of the call in its warp. Lanes that call together have the same.
    pub order: u32,
    /// The lane, below 64.
    pub lane: u8,
    /// The clock, in units of [`Header::clock_hz`](crate::Header::clock_hz); 0 without one.
    pub clock: u64,
    /// The call and its outcome.
    pub operation: HeapOperation,
}

/// A call of an allocator and its outcome. A free of null is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapOperation {
    /// A request that got a block.
    Grant {
        /// Requested bytes.
        bytes: u64,
        /// The id of the block. Ids count from 0 in the order of grants.
        block: u64,
    },
    /// A request that got null.
    Refusal {
        /// Requested bytes.
        bytes: u64,
    },
    /// A free.
    Free {
        /// The id of the block.
        block: u64,
    },
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its number, which its events name.
    pub number: u32,
    /// The kernel, in at most 1,024 bytes.
    pub kernel: String,
    /// When it began, in nanoseconds of a clock of the host.
    pub begin_ns: u64,
    /// When it ended, by the same clock.
    pub end_ns: u64,
}

/// An element of a trace. A launch may precede its events or follow them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEntry {
    /// A request or a free.
    Event(Event),
    /// A launch.
    Launch(Launch),
}
