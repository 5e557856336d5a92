//! Workloads that go in steps and request and free blocks in each: what they have in common.
//!
//! A [`Stepped`] is the options of such a workload. [`Workload::run`] begins it over an allocator,
//! takes its steps, and measures them. In the end it frees all blocks and makes sure that none is
//! left.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::workload::agents::Agents;
//! use heapwood::workload::steps::Workload;
//!
//! let workload = Workload {
//!     stepped: Agents { width: 64, height: 48, ..Agents::default() },
//!     steps: 20,
//!     spec: Spec::parse("cfmalloc")?,
//!     pool: Pool::Auto,
//!     verify: true,
//!     draws: false,
//! };
//! let measured = workload.run(&Cpu::new()?, || ())?;
//! assert_eq!(measured.step_ms.samples.len(), 20);
//! assert_eq!(measured.counts.refused, 0);
//! assert!(measured.result.fish + measured.result.sharks > 0);
//! # Ok::<(), heapwood::Error>(())
//! ```

mod measure;
mod picture;

use std::fmt::Debug;

use heapwood_results::steps::StepsResult;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Launch, Memory};
use crate::heap::DeviceHeap;
use crate::size::Pool;

pub use measure::StepsMeasurement;
pub use picture::Picture;

/// The options of a workload that goes in steps.
pub trait Stepped: Clone + Debug + Serialize + DeserializeOwned {
    /// The result of a run.
    type Result: StepsResult;
    /// A run in device memory.
    type Run<'b>: Run<Result = Self::Result>;

    /// Makes sure that the options fit each other.
    ///
    /// # Errors
    ///
    /// The reason in a line that begins with the name of an option.
    fn check(&self) -> Result<(), String>;

    /// The most bytes that blocks have at a time, or an estimate of that.
    fn most_bytes(&self) -> u64;

    /// A run over this heap, whose kernels count in the words of a tally at `tally`.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    fn begin<'b>(
        &self,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<Self::Run<'b>, BackendError>;

    /// The fingerprint after so many steps, by a sequential program that has no heap.
    fn reference(&self, steps: u32) -> u64;

    /// The blocks between steps.
    const BETWEEN_STEPS: BetweenSteps;
    /// Whether work is lost where a block is refused. If so, a refusal is an error.
    const NEEDS_ALL: bool;
}

/// The blocks and the heap between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetweenSteps {
    /// A step leaves blocks to the next one.
    Keeps,
    /// A step frees all blocks that it requests. The heap of an allocator that cannot free is made
    /// empty before each step.
    FreesAll,
    /// A step frees all blocks, and begins with an empty heap as the first one does. So do its parts.
    Restarts,
}

/// Launches of a step. Where a step begins with an empty heap, each of its parts does.
pub struct StepPart {
    /// Those whose time is the step's.
    pub timed: Vec<Launch>,
    /// Those behind them whose time is not.
    pub untimed: Vec<Launch>,
}

impl StepPart {
    /// A step whose launches are all part of its time.
    pub fn all(timed: Vec<Launch>) -> Vec<Self> {
        let untimed = Vec::new();
        vec![Self { timed, untimed }]
    }
}

/// Work without an allocator.
pub struct Baseline {
    /// Its launches, in this order.
    pub launches: Vec<Launch>,
    /// A word to which each run adds the fingerprint of a step.
    pub hash: Memory,
}

/// Where steps have led to.
pub struct Reached<R> {
    /// The fingerprint of what the steps so far have left.
    pub hash: u64,
    /// Bytes of the blocks that they have left, as granted.
    pub granted_bytes: u64,
    /// The rest of the result.
    pub result: R,
}

/// A run of a workload in device memory: its launches, in this order.
pub trait Run {
    /// As [`Stepped::Result`].
    type Result;

    /// Those before the first step; perhaps none.
    fn first(&self) -> Vec<Launch>;

    /// A step, from 1 on. If it `is_clocked`, kernels take the time in the allocator.
    fn step(&self, step: u32, is_clocked: bool) -> Vec<StepPart>;

    /// The same work as a step's without an allocator, if there is such work.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    fn baseline(&self) -> Result<Option<Baseline>, BackendError>;

    /// Freeing all blocks; perhaps nothing.
    fn clear(&self) -> Vec<Launch>;

    /// Where the steps so far have led to.
    ///
    /// # Errors
    ///
    /// Faults of the backend; [`Error::Verification`] if they have left what cannot be.
    fn reached(&self) -> Result<Reached<Self::Result>, Error>;

    /// A picture of what they have left.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    fn picture(&self) -> Result<Picture, BackendError>;
}

/// A workload over an allocator.
pub struct Workload<S> {
    /// The workload.
    pub stepped: S,
    /// Steps, at least one.
    pub steps: u32,
    /// The allocator.
    pub spec: Spec,
    /// Its memory; a multiple is one of [`Stepped::most_bytes`].
    pub pool: Pool,
    /// Whether the sequential reference is asked, too.
    pub verify: bool,
    /// Whether a picture is drawn.
    pub draws: bool,
}
