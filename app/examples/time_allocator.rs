//! Times an allocator: 10,000 threads that each ask for 256 bytes and free them again.
//! `cargo run --release -p heapwood --example time_allocator -- ouroboros-p-va`.

use std::error::Error;

use heapwood::allocators::DEFAULT;
use heapwood::prelude::*;
use heapwood::samples::Samples;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let name = name.as_deref().unwrap_or(DEFAULT);
    let backend = backend::open()?;
    if let Some(reason) = &backend.fallback {
        eprintln!("on the CPU: {reason}");
    }
    let row = Microbenchmark::threads(10_000)
        .bytes(256)
        .run(&*backend, name)?;
    let median = |samples: &Option<Samples>| samples.as_ref().map_or(f64::NAN, |all| all.median);
    println!(
        "{name} on the {}: {}, malloc {:.3} ms, free {:.3} ms",
        row.device,
        row.status.name(),
        median(&row.alloc_ms),
        median(&row.free_ms)
    );
    Ok(())
}
