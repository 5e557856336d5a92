//! The files in `data/`: one for each format, as the generators make them.

use std::path::Path;

use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_graphs::{Csr, CsrOptions, Format, ReadOptions, load};

const ADVICE: &str = "run `cargo run -p heapwood-graphs --example make_graphs`";

#[test]
fn files_are_what_the_generators_make() {
    for (name, format, kind, vertices) in [
        ("triangulation.graph", Format::Metis, Kind::Delaunay, 200),
        ("roads.gr", Format::Gr, Kind::Road, 200),
        ("authors.col", Format::Col, Kind::CoAuthors, 120),
        ("grid.mtx", Format::MatrixMarket, Kind::Mesh, 64),
        ("random.el", Format::EdgeList, Kind::Uniform, 200),
        ("hubs.el.gz", Format::EdgeList, Kind::Kronecker, 256),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("data")
            .join(name);
        assert!(path.metadata().unwrap().len() < 10_000, "{name} is large");
        let loaded = load(&path, ReadOptions::default()).unwrap();
        assert_eq!(loaded.format, format, "{name}");
        let (read, statistics) = Csr::build(loaded.edges, CsrOptions::default());
        assert_eq!(statistics.duplicates, 0, "{name}");
        let parameters = Parameters {
            vertices,
            edges: kind.takes_edges().then_some(3 * vertices),
            seed: 1,
        };
        let made = generate(kind, parameters).unwrap();
        let (made, _) = Csr::build(made, CsrOptions::default());
        assert_eq!(read.offsets, made.offsets, "{name} is stale: {ADVICE}");
        assert_eq!(read.targets, made.targets, "{name} is stale: {ADVICE}");
    }
}
