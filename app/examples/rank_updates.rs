//! Keeps a graph over an allocator, inserts edges, and ranks its vertices before and after:
//! `cargo run --release -p heapwood --example rank_updates`.

use std::error::Error;

use heapwood::backend::Cpu;
use heapwood::graph::{Change, Options, RankOptions, Store};
use heapwood::graphs::generate::{Kind, Parameters, generate};
use heapwood::graphs::{Csr, CsrOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let edges = generate(
        Kind::Kronecker,
        Parameters {
            vertices: 1 << 16,
            edges: Some(1 << 19),
            seed: 1,
            ..Parameters::default()
        },
    )?;
    let (rows, _) = Csr::build(edges, CsrOptions::default());
    let backend = Cpu::new()?;
    let mut graph = Store::new(&backend, Options::default(), &rows, None)?;
    let before = graph.pagerank(&RankOptions::default(), None)?;

    // Vertex 0 becomes a neighbour of every 4096th.
    let batch: Vec<[u32; 2]> = (4096..rows.vertices())
        .step_by(4096)
        .map(|v| [0, v])
        .collect();
    let update = graph.update_counting_triangles(&batch, Change::Insert)?;
    println!(
        "{} of {} edges are new, which makes {} triangles",
        update.counts.applied,
        batch.len(),
        update.triangles.unwrap_or_default()
    );
    // From the ranks before, which takes fewer iterations.
    let after = graph.pagerank(&RankOptions::default(), Some(&before.ranks))?;
    println!(
        "vertex 0 had rank {:.6} ({} iterations), and has {:.6} ({})",
        before.ranks[0], before.state.iterations, after.ranks[0], after.state.iterations
    );
    Ok(())
}
