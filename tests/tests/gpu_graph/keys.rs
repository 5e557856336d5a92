//! The sort of a batch's keys by itself.

use heapwood::backend::Backend;
use heapwood_tests::graph::sort::{self, distributions};

use super::Scale;

pub fn every_distribution_of_keys_is_sorted(backend: &dyn Backend, scale: Scale) {
    // Vertices whose keys have rests of 32 bits and of more, and few of them.
    for vertices in [100, 1_000_000, 1 << 30] {
        for count in [1, 300, scale.largest_sort] {
            for (name, edges) in distributions(vertices, count, u64::from(vertices)) {
                let time = sort::check(backend, vertices, count % 3 == 0, &edges);
                println!("{name}, {vertices} vertices, {count} edges: {time:?}");
            }
        }
    }
}
