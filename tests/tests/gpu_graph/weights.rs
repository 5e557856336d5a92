//! Weighted graphs: batches that change weights, and shortest paths.

use heapwood::backend::Backend;
use heapwood_tests::graph::forms::keeping;
use heapwood_tests::graph::weighted::Weighted;

use super::Scale;

/// Weights and shortest paths are those of a model, in every form.
pub fn weights_follow_their_edges(backend: &dyn Backend, scale: Scale) {
    for (number, spec) in (0..).zip(keeping(scale.crowd)) {
        // Layouts and directions, and two of four pairs of a kind and a rule each.
        for part in 0..8 {
            let seed = 2 * part + number % 2;
            let batches = Weighted {
                vertices: scale.vertices,
                batches: scale.batches.min(4) as u32,
                largest: scale.largest,
                pool: scale.weighted_pool,
                ..Weighted::new(seed)
            };
            batches.run(backend, &spec);
        }
    }
}
