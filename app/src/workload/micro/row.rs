//! The result of a case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BLOCK_THREADS, Case, Draws, HeapState, Microbenchmark, TURNS};
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::workload::Status;
use crate::workload::cases::BenchRow;

/// The result of a case; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The workload.
    pub workload: Microbenchmark,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The heap.
    pub heap: HeapState,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads launched for the workload.
    pub threads: u32,
    /// Blocks of 256 threads.
    pub blocks: u32,
    /// Bytes of a request; null for mixed sizes.
    pub bytes: Option<u64>,
    /// Blocks that a lane keeps (`alloc-cycle-dealloc`).
    pub kept: Option<u32>,
    /// What is drawn, and how often (`probability`).
    pub draws: Option<Draws>,
    /// Blocks that a thread allocates and frees, one after the other (`turns`).
    pub turns: Option<u32>,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub error: Option<String>,
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Option<Samples>,
    /// The kernel that allocates and frees, in milliseconds.
    pub kernel_ms: Option<Samples>,
    /// The kernel that allocates, in milliseconds.
    pub alloc_ms: Option<Samples>,
    /// The kernel that frees, in milliseconds.
    pub free_ms: Option<Samples>,
    /// Requests in the timed rounds that were not served.
    pub nulls: Option<u64>,
    /// Blocks that were allocated in the round that counts, which is not timed, where
    /// a kernel frees while others allocate.
    pub counted_allocations: Option<u64>,
    /// Blocks that were freed in that round.
    pub counted_frees: Option<u64>,
    /// Requests that were not served in that round; where there is none, in all the
    /// timed ones.
    pub counted_nulls: Option<u64>,
    /// Those among them during which a free was under way: memory may have come free
    /// a moment later.
    pub overlapping_nulls: Option<u64>,
    /// Blocks with wrong contents in the round that verifies; null if there was none, or no block
    /// in it.
    pub corrupt: Option<u64>,
    /// Machine and program.
    pub meta: Meta,
}

impl Row {
    /// The row of a case of which nothing is known yet.
    pub fn new(case: &Case, spec: &Spec, info: &DeviceInfo) -> Self {
        let cycles = case.workload == Microbenchmark::AllocCycleDealloc;
        let draws = case.workload == Microbenchmark::Probability;
        let turns = case.workload == Microbenchmark::Turns;
        Self {
            workload: case.workload,
            allocator: spec.label(),
            parameters: spec.parameters(),
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            heap: case.heap,
            pool_bytes: case.pool_bytes,
            threads: case.threads,
            blocks: case.threads.div_ceil(BLOCK_THREADS),
            bytes: (case.bytes != 0).then_some(case.bytes),
            kept: cycles.then_some(case.kept),
            draws: draws.then_some(case.draws.unwrap_or_default()),
            turns: turns.then_some(case.turns.unwrap_or(TURNS)),
            status: Status::Ok,
            error: None,
            init_ms: None,
            kernel_ms: None,
            alloc_ms: None,
            free_ms: None,
            nulls: None,
            counted_allocations: None,
            counted_frees: None,
            counted_nulls: None,
            overlapping_nulls: None,
            corrupt: None,
            meta: Meta::new(info).over(spec, info),
        }
    }
}

impl BenchRow for Row {
    fn status(&self) -> Status {
        self.status
    }

    fn ended(mut self, status: Status, why: impl ToString) -> Self {
        self.status = status;
        self.error = Some(why.to_string());
        self
    }
}
