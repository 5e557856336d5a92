//! The host's pool, and other programs on a CPU.

use heapwood_results::benches::{EmbreeRow, GraphCrateRow, KdtreeRayRow};
use heapwood_results::host_pool::HostPoolRow;
use heapwood_results::{Meta, Samples, Status, display};
use serde_json::Value;

use super::adder::{Adder, Row};
use super::{each, rows_have};
use crate::error::PageFault;
use crate::{Command, Section, Unit};

/// Adds a row of the host's pool.
pub fn add_host_pool(adder: &mut Adder, pool: HostPoolRow) {
    let size = match pool.bytes {
        Some(bytes) => display(bytes),
        None => "mixed sizes".to_owned(),
    };
    let mut command = Command::new("bench host-pool")
        .list("--patterns", pool.pattern.name())
        .list("--threads", pool.threads);
    if let Some(bytes) = pool.bytes {
        command = command.list("--bytes", bytes);
    }
    let row = Row {
        section: Section::HostPool,
        allocator: &pool.source,
        device: "",
        meta: &pool.meta,
        status: pool.status,
        error: pool.error.as_deref(),
        command,
        memory: None,
        hash: None,
    };
    let place = format!("{}, {} threads, {size}", pool.pattern.name(), pool.threads);
    let ms = |ns: u64| Samples::new(vec![ns as f64 * 1e-6]);
    let allocate = pool.allocate.and_then(|latency| ms(latency.p50_ns));
    let deallocate = pool.deallocate.and_then(|latency| ms(latency.p50_ns));
    let tail = pool.allocate.and_then(|latency| ms(latency.p99_ns));
    for (name, ms) in [
        ("allocate, median", allocate),
        ("allocate, 99th percentile", tail),
        ("deallocate, median", deallocate),
    ] {
        let case = format!("{name}: {place}");
        adder.quantity(&row, case, Unit::Milliseconds, ms, Vec::new());
    }
}

/// Adds rows of a benchmark beside another program.
pub fn add(adder: &mut Adder, rows: Vec<Value>) -> Result<(), PageFault> {
    if rows_have(&rows, "is_robust") {
        each(rows, |row: EmbreeRow| {
            let mode = if row.is_robust { ", robust" } else { "" };
            let case = format!("rays of {}{mode}", row.scene);
            let times = [("heapwood", &row.ours_ms), ("Embree", &row.theirs_ms)];
            beside(adder, (&row.cpu, &row.meta), "embree", &case, times);
        })
    } else if rows_have(&rows, "algorithm") {
        each(rows, |row: GraphCrateRow| {
            let case = format!("{} of {}", row.algorithm, row.graph);
            let times = [("heapwood", &row.ours_ms), ("crate graph", &row.theirs_ms)];
            let origin = (&row.origin.machine.cpu, &row.origin.meta);
            beside(adder, origin, "graph_crate", &case, times);
        })
    } else {
        each(rows, |row: KdtreeRayRow| {
            let case = format!("tree of {}", row.scene);
            let times = [
                ("heapwood", &row.ours_ms),
                ("crate kdtree-ray", &row.theirs_ms),
            ];
            beside(adder, (&row.cpu, &row.meta), "kdtree_ray", &case, times);
        })
    }
}

/// Adds both sides of a case, measured on a CPU by a program of this name in app/benches.
fn beside(
    adder: &mut Adder,
    (cpu, meta): (&String, &Meta),
    program: &str,
    case: &str,
    times: [(&str, &Samples); 2],
) {
    for (program_name, ms) in times {
        let row = Row {
            section: Section::Others,
            allocator: program_name,
            device: cpu,
            meta,
            status: Status::Ok,
            error: None,
            command: Command::benchmark(program),
            memory: None,
            hash: None,
        };
        adder.time(&row, case.to_owned(), Some(ms), Vec::new());
    }
}
