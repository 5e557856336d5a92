//! Writes the shipped graphs: `cargo run -p heapwood-graphs --example make_graphs`.

use std::path::Path;

use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_graphs::{Csr, CsrOptions, GraphError, save};

/// Each file with its kind and number of vertices; one for every format.
const GRAPHS: [(&str, Kind, u64); 6] = [
    ("triangulation.graph", Kind::Delaunay, 200),
    ("roads.gr", Kind::Road, 200),
    ("authors.col", Kind::CoAuthors, 120),
    ("grid.mtx", Kind::Mesh, 64),
    ("random.el", Kind::Uniform, 200),
    ("hubs.el.gz", Kind::Kronecker, 256),
];

fn main() -> Result<(), GraphError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for (name, kind, vertices) in GRAPHS {
        let parameters = Parameters {
            vertices,
            edges: kind.takes_edges().then_some(3 * vertices),
            seed: 1,
            ..Parameters::default()
        };
        let (graph, _) = Csr::build(generate(kind, parameters)?, CsrOptions::default());
        save(&graph, folder.join(name), None)?;
        let (vertices, hash) = (graph.vertices(), graph.graph_hash());
        println!("{name}: {vertices} vertices, graph {hash:016x}");
    }
    Ok(())
}
