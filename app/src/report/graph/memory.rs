//! What a graph takes of its pool, at the end and round by round.

use heapwood_results::graph::{MemoryReport, RoundMemory};

use crate::workload::graph::Run;

/// The memory of a run.
pub(super) fn memory_report(run: &Run) -> MemoryReport {
    MemoryReport {
        payload_bytes: run.memory.payload_bytes,
        loaded_bytes: run.loaded_bytes,
        allocated_bytes: run.memory.allocated_bytes,
        high_water_bytes: run.memory.high_water_bytes,
        internal_fragmentation: run.memory.internal_fragmentation(),
        external_fragmentation: run.external_fragmentation,
        rounds: (run.round_memory.len() > 1).then(|| round_memory(run)),
    }
}

/// The memory of several rounds.
fn round_memory(run: &Run) -> RoundMemory {
    let rounds = run.round_memory.iter();
    RoundMemory {
        payload_bytes: rounds.clone().map(|memory| memory.payload_bytes).collect(),
        allocated_bytes: rounds
            .clone()
            .map(|memory| memory.allocated_bytes)
            .collect(),
        high_water_bytes: rounds.map(|memory| memory.high_water_bytes).collect(),
    }
}
