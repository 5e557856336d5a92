//! Rows of microbenchmarks.

use heapwood_results::display;
use heapwood_results::micro::{MicroRow, Microbenchmark};

use super::adder::{Adder, Row, scale};
use crate::{Command, Section};

/// The pool of benchmarks, unless another is asked for: no case names it.
const DEFAULT_POOL: u64 = 2 << 30;

/// Adds the kernels of a row: each is a case.
pub fn add(adder: &mut Adder, micro: MicroRow) {
    let name = micro.workload.name();
    let heap = micro.heap.name();
    let size = match micro.bytes {
        Some(bytes) => format!("{bytes} B"),
        None => "mixed sizes".to_owned(),
    };
    let command = command(&micro);
    let pool = Some(micro.pool_bytes).filter(|&bytes| bytes != DEFAULT_POOL);
    let more = [
        pool.map(|bytes| format!("{} pool", display(bytes))),
        micro.kept.map(|kept| format!("{kept} kept")),
        micro.turns.map(|turns| format!("{turns} turns")),
        micro
            .draws
            .map(|draws| format!("{} launches", draws.launches)),
    ];
    let more: String = more
        .iter()
        .flatten()
        .map(|more| format!(", {more}"))
        .collect();
    let row = Row {
        section: Section::Micro,
        allocator: &micro.allocator,
        device: &micro.device,
        meta: &micro.meta,
        status: micro.status,
        error: micro.error.as_deref(),
        command: command.list("--allocators", &micro.allocator),
        memory: None,
        hash: None,
    };
    let kernels = [
        ("malloc", &micro.alloc_ms),
        ("free", &micro.free_ms),
        ("malloc and free", &micro.kernel_ms),
    ];
    let mut is_empty = true;
    for (kernel, ms) in kernels {
        if ms.is_none() {
            continue;
        }
        is_empty = false;
        let begin = format!("{name} {kernel}, {heap}");
        let threads = micro.threads;
        let mut scales = vec![scale("threads", threads, format!("{begin}, {size}{more}"))];
        if let Some(bytes) = micro.bytes {
            let curve = format!("{begin}, {threads} threads{more}");
            scales.push(scale("bytes", bytes as f64, curve));
        }
        let case = format!("{begin}, {threads} x {size}{more}");
        adder.time(&row, case, ms.as_ref(), scales);
    }
    if is_empty {
        let kernel = match micro.workload.is_one_kernel() {
            true => "malloc and free",
            false => "malloc",
        };
        let case = format!("{name} {kernel}, {heap}, {} x {size}{more}", micro.threads);
        adder.time(&row, case, None, Vec::new());
    }
}

/// The command of a row.
fn command(micro: &MicroRow) -> Command {
    let workload = match micro.workload {
        // It has a range in place of sizes; `threads` measures the same.
        Microbenchmark::Sizes => Microbenchmark::Threads,
        other => other,
    };
    let mut command = Command::new("bench")
        .word(workload.name())
        .word(format!("--heap={}", micro.heap.name()))
        .word(format!("--pool={}", micro.pool_bytes));
    if let Some(kept) = micro.kept {
        command = command.list("--kept", kept);
    }
    if let Some(turns) = micro.turns {
        command = command.word(format!("--turns={turns}"));
    }
    if let Some(draws) = micro.draws {
        command = command
            .word(format!("--launches={}", draws.launches))
            .word(format!("--p-alloc={}", draws.p_alloc))
            .word(format!("--p-free={}", draws.p_free));
    }
    command = match micro.workload.is_by_warps() {
        true => command.list("--blocks", micro.blocks),
        false => command.list("--threads", micro.threads),
    };
    if micro.workload == Microbenchmark::Mixed {
        return command;
    }
    match micro.bytes {
        Some(bytes) => command.list("--bytes", bytes),
        None => command.word("--mixed"),
    }
}
