//! The memory that a graph takes of its pool, at the end and round by round.

use heapwood_results::graph::{MemoryReport, RoundMemory};

use crate::graph::MemoryUse;
use crate::workload::graph::Run;

/// The memory of a run.
pub(super) fn memory_report(run: &Run) -> MemoryReport {
    let granted = |bytes| run.memory.tells_granted.then_some(bytes);
    MemoryReport {
        payload_bytes: run.memory.payload_bytes,
        loaded_bytes: granted(run.loaded_memory.allocated_bytes),
        allocated_bytes: granted(run.memory.allocated_bytes),
        high_water_bytes: granted(run.memory.high_water_bytes),
        loaded_memory_per_csr: run.loaded_memory.memory_per_csr,
        memory_per_csr: run.memory.memory_per_csr,
        internal_fragmentation: run.memory.internal_fragmentation(),
        external_fragmentation: run.external_fragmentation,
        rounds: (run.round_memory.len() > 1).then(|| round_memory(run)),
    }
}

/// The memory of several rounds.
fn round_memory(run: &Run) -> RoundMemory {
    let list = |of: fn(&MemoryUse) -> u64| run.round_memory.iter().map(of).collect();
    let granted = |of| run.memory.tells_granted.then(|| list(of));
    RoundMemory {
        payload_bytes: list(|memory| memory.payload_bytes),
        allocated_bytes: granted(|memory| memory.allocated_bytes),
        high_water_bytes: granted(|memory| memory.high_water_bytes),
    }
}
