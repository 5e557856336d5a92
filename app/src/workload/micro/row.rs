//! The row of a case.

use super::{BLOCK_THREADS, Case, Microbenchmark, Row, TURNS};
use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::workload::{BenchRow, Status};

/// The row of a case before anything is measured.
pub(super) fn new(case: &Case, info: &DeviceInfo) -> Row {
    let spec = &case.allocator;
    let cycles = case.workload == Microbenchmark::AllocCycleDealloc;
    let draws = case.workload == Microbenchmark::Probability;
    let turns = case.workload == Microbenchmark::Turns;
    Row {
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
        internal_fragmentation: None,
        external_fragmentation: None,
        corrupt: None,
        meta: meta::over(meta::of_device(info), spec, info),
    }
}

impl BenchRow for Row {
    fn status(&self) -> Status {
        self.status
    }

    fn ending(&mut self) -> (&mut Status, &mut Option<String>, &mut Meta) {
        (&mut self.status, &mut self.error, &mut self.meta)
    }
}
