//! The generators' graphs never change: the files in `data/`, one for each format, and larger
//! graphs by their hashes, by which results name them.

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
            ..Parameters::default()
        };
        let made = generate(kind, parameters).unwrap();
        let (made, _) = Csr::build(made, CsrOptions::default());
        assert_eq!(read.offsets, made.offsets, "{name} is stale: {ADVICE}");
        assert_eq!(read.targets, made.targets, "{name} is stale: {ADVICE}");
    }
}

#[test]
fn a_seed_gives_the_same_graph_everywhere() {
    for (kind, hash) in [
        (Kind::Delaunay, 0x6f75_26a9_e002_7f14),
        (Kind::Geometric, 0xb8ba_66e6_10f9_fc29),
        (Kind::Road, 0x0ffd_f5c1_dc4b_974a),
        (Kind::CoAuthors, 0x9a1a_e618_5144_2e87),
        (Kind::Mesh, 0xfd2b_b124_1a59_201b),
        (Kind::Kkt, 0xa61f_78e0_5476_bf12),
        (Kind::Dual, 0xeefe_f7aa_1db0_71f4),
        (Kind::Kronecker, 0x1609_a699_99dd_eab8),
        (Kind::Uniform, 0xfaef_c4e1_bead_77c8),
    ] {
        let parameters = Parameters {
            vertices: 20_000,
            edges: None,
            seed: 1,
            ..Parameters::default()
        };
        let list = generate(kind, parameters).unwrap();
        let (graph, _) = Csr::build(list, CsrOptions::default());
        assert_eq!(graph.graph_hash(), hash, "{}", kind.name());
    }
}

#[test]
fn a_seed_gives_the_same_weights_everywhere() {
    for (kind, weight_range, lengths, hash) in [
        (Kind::Uniform, Some((1, 100)), false, 0x2233_7649_5e6b_1f26),
        (
            Kind::Mesh,
            Some((0, u32::MAX)),
            false,
            0x7c20_01ca_bc7f_ff77,
        ),
        (Kind::Road, None, true, 0x72f9_05fd_fc77_fe31),
    ] {
        let parameters = Parameters {
            vertices: 20_000,
            seed: 1,
            weight_range,
            lengths,
            ..Parameters::default()
        };
        let list = generate(kind, parameters).unwrap();
        let (graph, _) = Csr::build(list, CsrOptions::default());
        assert_eq!(graph.graph_hash(), hash, "{}", kind.name());
    }
}
