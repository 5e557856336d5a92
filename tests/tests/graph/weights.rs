//! Weighted graphs on threads and on warps in lockstep.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Layout, Options, Store};
use heapwood::size::Pool;
use heapwood_device::allocators::{CfMalloc, CfmMalloc};
use heapwood_graphs::{Csr, CsrOptions, EdgeList, WeightKind, Weights};
use heapwood_tests::dirty::threads;
use heapwood_tests::gpu::specs;
use heapwood_tests::graph::vertex_updates::vertices_come_and_go;
use heapwood_tests::graph::weighted::Weighted;

use super::updates::lanes;

#[test]
fn weights_follow_their_edges() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(specs()) {
        for part in 0..2 {
            Weighted::new(seed * 5 + part * 8).run(&backend, &spec);
        }
    }
}

/// A search counts edges whatever they weigh, also where it has left levels.
#[test]
fn depths_are_edges_of_weighted_graphs() {
    let vertices = 2500;
    for (kind, word) in [
        (WeightKind::Integer, 7),
        (WeightKind::Real, 0.25_f32.to_bits()),
    ] {
        let edges: Vec<_> = (1..vertices).map(|v| [v - 1, v]).collect();
        let list = EdgeList {
            vertices,
            weights: Some(Weights {
                kind,
                words: vec![word; edges.len()],
            }),
            edges,
            directed: false,
        };
        let (rows, _) = Csr::build(list, CsrOptions::default());
        for layout in Layout::ALL {
            // In lanes: where one is alone, a search keeps its levels.
            in_lockstep(3, |backend, spec| {
                let options = Options {
                    spec: spec.clone(),
                    pool: Pool::Bytes(4 << 20),
                    layout,
                    ..Options::default()
                };
                let store = Store::new(backend, options, &rows, None).expect("a pool");
                let found = store.search(0).expect("there is memory");
                assert!(found.depths.into_iter().eq(0..vertices), "{kind:?}");
            });
        }
    }
}

#[test]
fn rows_of_hubs_keep_their_weights() {
    let backend = threads(2);
    for seed in 0..16 {
        let batches = Weighted {
            vertices: 3000,
            batches: 6,
            largest: 20_000,
            pool: 64 << 20,
            ..Weighted::new(seed)
        };
        batches.run(&backend, &Spec::parse("cfmmalloc").expect("an allocator"));
    }
}

#[test]
fn lanes_keep_weights_and_find_paths() {
    for seed in 0..16 {
        let batches = Weighted {
            vertices: 60,
            batches: 5,
            largest: 150,
            pool: 2 << 20,
            ..Weighted::new(seed)
        };
        in_lockstep(seed, |backend, spec| batches.run(backend, spec));
    }
}

#[test]
fn weights_go_with_their_vertices() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(specs()) {
        for part in 0..4 {
            let graph = Weighted {
                batches: 24,
                ..Weighted::new(seed * 5 + part * 4)
            };
            vertices_come_and_go(&graph, &backend, &spec);
        }
    }
}

#[test]
fn lanes_delete_vertices_with_their_weights() {
    for seed in 0..16 {
        let graph = Weighted {
            vertices: 40,
            batches: 6,
            largest: 100,
            pool: 2 << 20,
            ..Weighted::new(seed)
        };
        in_lockstep(seed, |backend, spec| {
            vertices_come_and_go(&graph, backend, spec)
        });
    }
}

/// Runs over one of two allocators by turns, on warps in lockstep.
fn in_lockstep(seed: u64, run: impl Fn(&dyn Backend, &Spec)) {
    let spec = |name| Spec::parse(name).expect("an allocator");
    match seed % 2 {
        0 => run(&lanes::<CfmMalloc>(3, seed), &spec("cfmmalloc")),
        _ => run(&lanes::<CfMalloc>(2, seed), &spec("cfmalloc")),
    }
}
