//! Keys of batches, sorted by threads and by blocks of lanes.

use heapwood::backend::Cpu;
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::store::sort::Sorting;
use heapwood_tests::dirty::Dirty;
use heapwood_tests::graph::sort::{check, distributions};
use heapwood_tests::lockstep::LockstepBackend;

#[test]
fn threads_sort_every_distribution() {
    let backend = Dirty(Cpu::with_threads(2).expect("two workers"));
    for vertices in [1, 2, 100, 40_000, 1 << 20, 5_000_000, 1 << 30] {
        for count in [1, 5, 300, 30_000] {
            for (name, edges) in distributions(vertices, count, u64::from(vertices)) {
                println!("{name}");
                for sorting in Sorting::ALL {
                    check(&backend, sorting, vertices, true, &edges);
                    check(&backend, sorting, vertices, false, &edges);
                }
            }
        }
    }
}

#[test]
fn blocks_of_lanes_sort_every_distribution() {
    // A bucket has room for 1024 keys: more in one bin are split.
    let cases = [
        (1, 40, "uniform"),
        (100, 1_500, "hubs"),
        (1 << 20, 1_500, "one edge"),
    ];
    let wide = [(1 << 20, 1_100, "powers"), (1 << 30, 1_500, "one source")];
    for (seed, (vertices, count, chosen)) in (0..).zip(cases.into_iter().chain(wide)) {
        let backend = Dirty(LockstepBackend::new::<CfmMalloc>(4, 64, seed));
        let edges = distributions(vertices, count, u64::from(vertices));
        let (_, edges) = edges
            .into_iter()
            .find(|(name, _)| *name == chosen)
            .expect("a name");
        for sorting in Sorting::ALL {
            check(&backend, sorting, vertices, count % 3 == 0, &edges);
        }
    }
}
