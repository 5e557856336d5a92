//! Threads of the launches that planners make. A kernel takes any number, so that no
//! result shows one that is far too small.

use std::ptr::null_mut;

use heapwood_device::graph::batch::{Batch, Change, UpdateSpace};
use heapwood_device::graph::bfs::plan::SearchSpace;
use heapwood_device::graph::pagerank::plan::{RankOptions, RankSpace};
use heapwood_device::graph::pagerank::{SLOTS, SUM_WORDS};
use heapwood_device::graph::store::load::LoadArguments;
use heapwood_device::graph::store::plan::{Csr, Graph, Layout, Shape, Weighting};
use heapwood_device::launch::{Grid, KernelId, PlannedLaunch};

fn graph(directed: bool, provides: bool) -> Graph {
    let shape = Shape {
        vertices: 3000,
        limit: 3000,
        directed,
        handle_bytes: 4,
        weighting: Weighting::None,
        provides,
        layout: Layout::Contiguous,
    };
    Graph::new(shape, null_mut())
}

fn grids(launches: &[PlannedLaunch]) -> Vec<(KernelId, Grid)> {
    let grid = |launch: &PlannedLaunch| (launch.call.kernel(), launch.grid);
    launches.iter().map(grid).collect()
}

fn batch() -> Batch {
    Batch::new(null_mut(), 2500, Change::Insert)
}

#[test]
fn each_tile_of_a_batch_is_sorted_and_compared() {
    let batch = batch();
    // 5,000 keys: five tiles to sort, 157 rows of keys to merge, 79 tiles of 64 to compare.
    let sorted = [
        (KernelId::SortTiles, Grid::Blocks(5)),
        (KernelId::MergeTiles, Grid::Blocks(157)),
    ];
    let compared = [
        (KernelId::Classify, Grid::Strided(79 * 32)),
        (KernelId::Compact, Grid::Strided(79 * 32)),
    ];
    let provided = [
        (KernelId::Demand, Grid::Persistent),
        (KernelId::Provide, Grid::Persistent),
    ];
    let applied = [
        (KernelId::GraphPrepare, Grid::Persistent),
        (KernelId::Relocate, Grid::Persistent),
        (KernelId::Commit, Grid::Persistent),
        (KernelId::FreeBlocks, Grid::Persistent),
    ];
    for provides in [false, true] {
        let graph = graph(false, provides);
        let space = UpdateSpace::new(&graph.shape, batch.count).unwrap();
        let launches = grids(&graph.update(&batch, &space, null_mut()));
        assert_eq!(launches[..2], sorted);
        assert_eq!(launches[2..4], compared);
        let rest = &launches[4..];
        if provides {
            assert_eq!(*rest, [&provided[..], &applied[..]].concat());
        } else {
            assert_eq!(*rest, applied);
        }
    }
}

#[test]
fn many_keys_are_sorted_by_bins() {
    let graph = graph(false, false);
    // 40,000 keys: five tiles of 8,192 and one to list. A key has two numbers of 12 bits; the greatest
    // is 3000 << 12, and bins of 17 bits are the first that are at least 64. Those bits are split by 8
    // at a time, if a bin has more than 1024 keys.
    let batch = Batch {
        count: 20_000,
        ..batch()
    };
    let expected = [
        (KernelId::SortClear, Grid::Strided(39 * 512)),
        (KernelId::SortHistogram, Grid::Blocks(20)),
        (KernelId::NarrowPartition, Grid::Blocks(6)),
        (KernelId::NarrowSplit, Grid::Blocks(6)),
        (KernelId::NarrowSplit, Grid::Blocks(6)),
        (KernelId::NarrowSplit, Grid::Blocks(6)),
        (KernelId::NarrowBuckets, Grid::Blocks(94)),
    ];
    let space = UpdateSpace::new(&graph.shape, batch.count).unwrap();
    let launches = grids(&graph.update(&batch, &space, null_mut()));
    assert_eq!(launches[..7], expected);
}

#[test]
fn a_thread_clears_each_sum_of_an_iteration() {
    let graph = graph(true, false);
    let options = RankOptions::default();
    let space = RankSpace::new(&graph.shape, 9000, options.limit);
    let words = space.sum_words(options.limit) as u32;
    // Those of the start, and those of each iteration.
    assert_eq!(words, 201 * space.sum_words(0) as u32);
    let expected = [
        (KernelId::RankClear, Grid::Strided(words)),
        (KernelId::RankStart, Grid::Ranges(3000)),
    ];
    assert_eq!(
        grids(&graph.rank_start(&options, &space, null_mut())),
        expected
    );
}

#[test]
fn a_graph_is_loaded_in_two_parts() {
    let csr = Csr {
        offsets: null_mut(),
        targets: null_mut(),
        weights: null_mut(),
        entries: 9000,
    };
    let launches = graph(true, false).load(0, csr, null_mut());
    let [hubs, others] = [0, 1].map(|part: usize| LoadArguments::from(launches[part].call.args()));
    // Degrees of the vertices that each loads.
    assert_eq!((hubs.below, others.least), (u32::MAX, 0));
    assert!(hubs.least > 0 && hubs.least == others.below);
}

#[test]
fn memory_of_a_load_is_made_ready_after_the_blocks_of_hubs_and_before_pages() {
    let csr = Csr {
        offsets: null_mut(),
        targets: null_mut(),
        weights: null_mut(),
        entries: 9000,
    };
    let ahead = [
        (KernelId::LoadDemand, Grid::Persistent),
        (KernelId::Provide, Grid::Persistent),
    ];
    let mut graph = graph(true, true);
    let load = (KernelId::Load, Grid::Strided(3000));
    let copy = (KernelId::CopyIn, Grid::Strided(9000));
    let expected = [load, ahead[0], ahead[1], load, copy];
    assert_eq!(grids(&graph.load(0, csr, null_mut())), expected);
    graph.shape.layout = Layout::Linked;
    let load = (KernelId::LinkedLoad, Grid::Strided(3000));
    let expected = [ahead[0], ahead[1], load, load];
    assert_eq!(grids(&graph.load(0, csr, null_mut())), expected);
}

#[test]
fn one_step_in_eight_searches_narrow_frontiers() {
    let graph = graph(false, false);
    let space = SearchSpace::new(3000, 9000);
    let start = graph.search_start(&space, null_mut(), 5);
    let steps = (1..=17).map(|step| graph.search_step(&space, null_mut(), step));
    let launches: Vec<_> = [start].into_iter().chain(steps).collect();
    for (step, launch) in grids(&launches).into_iter().enumerate() {
        let expected = match step {
            0 => (KernelId::SearchStart, Grid::Strided(3000)),
            1 | 9 | 17 => (KernelId::SearchNarrow, Grid::Blocks(1)),
            _ => (KernelId::SearchStep, Grid::Strided(3000)),
        };
        assert_eq!(launch, expected, "step {step}");
    }
}

/// An over-relaxed step may lead away from ranks that were close enough.
#[test]
fn ranks_are_done_after_a_plain_step() {
    let space = RankSpace::new(&graph(false, false).shape, 9000, 3);
    let done_after = |factors: [f64; 3]| {
        // The sums of the start, then of iterations that have changed nothing.
        let mut sums = vec![0; space.sum_words(3)];
        for (iteration, factor) in (1..).zip(factors) {
            sums[iteration * SUM_WORDS as usize + 2 * SLOTS as usize] = factor.to_bits();
        }
        let state = space.state(&sums, 1e-6);
        state.converged.then_some(state.iterations)
    };
    assert_eq!(done_after([1.0, 1.0, 1.0]), Some(1));
    assert_eq!(done_after([1.2, 1.3, 1.0]), Some(3));
    assert_eq!(done_after([1.2, 1.3, 1.3]), None);
}
