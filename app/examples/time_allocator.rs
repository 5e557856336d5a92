//! Times an allocator: 10,000 threads that each ask for 256 bytes and free them again.
//! `cargo run --release -p heapwood --example time_allocator -- ouroboros-p-va`.

use std::error::Error;

use heapwood::allocators::{DEFAULT, Spec};
use heapwood::backend::Options;
use heapwood::samples::Samples;
use heapwood::workload::micro::{Case, HeapState, Microbenchmark, Plan, measure};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let spec = Spec::parse(name.as_deref().unwrap_or(DEFAULT))?;
    let (options, _) = Options::default().decide()?;
    let case = Case {
        workload: Microbenchmark::Threads,
        allocator: spec.to_string(),
        heap: HeapState::Warm,
        pool_bytes: 64 << 20,
        threads: 10_000,
        bytes: 256,
        kept: 0,
        draws: None,
        turns: None,
        plan: Plan {
            warmup: 1,
            runs: 10,
            budget_s: 10.0,
            verify: true,
        },
        backend: options.clone(),
    };
    let row = measure(&*options.open()?, &spec, &case);
    let median = |samples: &Option<Samples>| samples.as_ref().map_or(f64::NAN, |all| all.median);
    println!(
        "{spec} on the {}: {}, malloc {:.3} ms, free {:.3} ms",
        row.device,
        row.status.name(),
        median(&row.alloc_ms),
        median(&row.free_ms)
    );
    Ok(())
}
