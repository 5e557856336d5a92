//! Weighted graphs: batches that change weights, vertices that come and go, and shortest paths.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood_tests::graph::forms::keeping;
use heapwood_tests::graph::vertex_updates::vertices_come_and_go;
use heapwood_tests::graph::weighted::Weighted;

use super::Scale;

/// Weights and shortest paths are those of a model, in every form.
pub fn weights_follow_their_edges(backend: &dyn Backend, scale: Scale) {
    in_every_form(scale, |graph, spec| graph.run(backend, spec));
}

/// The same when vertices come and go.
pub fn weights_go_with_their_vertices(backend: &dyn Backend, scale: Scale) {
    in_every_form(scale, |graph, spec| {
        vertices_come_and_go(graph, backend, spec);
    });
}

/// Runs over all allocators, in all layouts and directions, and two of four pairs of a kind and a rule
/// each.
fn in_every_form(scale: Scale, run: impl Fn(&Weighted, &Spec)) {
    for (number, spec) in (0..).zip(keeping(scale.crowd)) {
        for part in 0..8 {
            let seed = 2 * part + number % 2;
            let graph = Weighted {
                vertices: scale.vertices,
                batches: scale.batches.min(4) as u32,
                largest: scale.largest,
                pool: scale.weighted_pool,
                ..Weighted::new(seed)
            };
            run(&graph, &spec);
        }
    }
}
