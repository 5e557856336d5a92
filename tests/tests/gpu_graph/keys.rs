//! The sort of a batch's keys by itself.

use heapwood::backend::Backend;
use heapwood_device::graph::store::sort::Sorting;
use heapwood_tests::graph::sort::{self, distributions};

use super::Scale;

pub fn every_distribution_of_keys_is_sorted(backend: &dyn Backend, scale: Scale) {
    // Vertices whose keys have rests of 32 bits and of more, and few of them.
    for vertices in [100, 1_000_000, 1 << 30] {
        for count in [1, 300, scale.largest_sort] {
            for (name, edges) in distributions(vertices, count, u64::from(vertices)) {
                for sorting in Sorting::ALL {
                    // Tiles are for few keys: their work grows with the square.
                    if sorting == Sorting::Bins || Sorting::of(2 * count as u32) == sorting {
                        let directed = count % 3 == 0;
                        let time = sort::check(backend, sorting, vertices, directed, &edges);
                        println!(
                            "{name}, {vertices} vertices, {count} edges, {sorting:?}: {time:?}"
                        );
                    }
                }
            }
        }
    }
}
