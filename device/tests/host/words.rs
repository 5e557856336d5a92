//! Capacities, results that are read from headers, names and messages.

use heapwood_device::graph::batch::UpdateError;
use heapwood_device::graph::pagerank::plan::Method;
use heapwood_device::kdtree::node::LIMIT;
use heapwood_device::kdtree::plan::{
    BuildError, Limits, Options, RESULT_BYTES, Statistics, outcome,
};
use heapwood_device::kdtree::workspace::header::{DONE, Failure, Statistic, Word, statistic, word};
use heapwood_device::launch::KernelId;

#[test]
fn capacities_of_a_build_follow_from_its_triangles() {
    let mut options = Options::default();
    // Twelve levels of large nodes: 1,000,000 * 12 * 3 / 256 / 2 chunks, and 64.
    let chunks = 70_312 + 64;
    let expected = Limits {
        nodes: 10_001_024,
        references: 8_001_024,
        tasks: 1_000_000 + 3 * chunks + 1024,
        large_nodes: chunks / 8 + 64,
        chunks,
    };
    // A limit of 34 levels is the usual one.
    options.max_depth = Some(34);
    assert_eq!(Limits::for_triangles(1_000_000, &options), expected);
    options.alloc_per_split = true;
    let allocating = Limits {
        tasks: 5_000_512 + 3 * chunks,
        ..expected
    };
    assert_eq!(Limits::for_triangles(1_000_000, &options), allocating);
    options.alloc_per_split = false;
    for (depth, nodes, references) in [(37, 16_001_024, 9_001_024), (47, 32_001_024, 13_001_024)] {
        options.max_depth = Some(depth);
        let deep = Limits {
            nodes,
            references,
            ..expected
        };
        assert_eq!(Limits::for_triangles(1_000_000, &options), deep);
    }
}

#[test]
fn capacities_are_doubled_until_nodes_and_references_are_at_their_limit() {
    let limits = Limits {
        nodes: 10,
        references: LIMIT / 2 + 1,
        tasks: u32::MAX,
        large_nodes: 3,
        chunks: 5,
    };
    let doubled = Limits {
        nodes: 20,
        references: LIMIT,
        tasks: LIMIT,
        large_nodes: 6,
        chunks: 10,
    };
    assert_eq!(limits.doubled(), Some(doubled));
    let (nodes, references) = (LIMIT, LIMIT);
    assert!(Limits { nodes, ..limits }.doubled().is_some());
    assert!(Limits { nodes, ..doubled }.doubled().is_none());
    assert!(
        Limits {
            references,
            ..limits
        }
        .doubled()
        .is_some()
    );
}

/// The header that a build leaves.
struct Header([u8; RESULT_BYTES]);

impl Header {
    fn new(state: u32) -> Self {
        let mut header = Self([0; RESULT_BYTES]);
        header.put(word::STATE, state);
        header
    }

    fn put(&mut self, word: Word, value: u32) {
        self.0[4 * word.index()..][..4].copy_from_slice(&value.to_ne_bytes());
    }

    fn put_long(&mut self, statistic: Statistic, value: u64) {
        self.0[4 * statistic.index()..][..8].copy_from_slice(&value.to_ne_bytes());
    }
}

#[test]
fn statistics_are_means_over_the_requests() {
    let mut header = Header::new(DONE);
    header.put(word::NODES, 7);
    // 5, 5, 15 and 15 bytes; half of them were not used.
    for (statistic, value) in [
        (statistic::ALLOCATIONS, 4),
        (statistic::FREES, 3),
        (statistic::BYTES, 40),
        (statistic::SQUARES, 500),
        (statistic::WASTE, 2 << 32),
        (statistic::LIVE, 16),
        (statistic::PEAK, 48),
    ] {
        header.put_long(statistic, value);
    }
    let result = outcome(&header.0).unwrap();
    assert_eq!(result.nodes, 7);
    let expected = Statistics {
        allocations: 4,
        frees: 3,
        mean_bytes: 10.0,
        deviation_bytes: 5.0,
        internal_fragmentation: 0.5,
        live_bytes: 16,
        peak_bytes: 48,
    };
    assert_eq!(result.statistics, expected);
}

#[test]
fn failures_say_what_they_are() {
    for (failure, message) in [
        (Failure::OutOfMemory, "cannot serve a request of 96 bytes"),
        (Failure::NodeLimit, "more nodes than"),
        (Failure::ReferenceLimit, "more leaf references than"),
        (Failure::TaskLimit, "more tasks than"),
        (Failure::Overwritten, "granted memory in use"),
        (Failure::BadCoordinate, "beyond 1e18"),
        (Failure::Explodes, "than the bound on duplication allows"),
    ] {
        let mut header = Header::new(failure as u32);
        header.put_long(statistic::FAILED, 96);
        let error = outcome(&header.0).unwrap_err().to_string();
        assert!(error.starts_with("k-d tree: ") && error.contains(message));
    }
    let incomplete = outcome(&Header::new(0).0).unwrap_err();
    assert_eq!(incomplete, BuildError::Incomplete);
    assert!(incomplete.to_string().contains("did not end"));
    let refused = UpdateError::OutOfMemory { bytes: 96 }.to_string();
    assert!(refused.contains("refused a block of 96 bytes"));
}

#[test]
fn kernels_and_methods_have_their_names() {
    assert_eq!(
        KernelId::Init.entry(Some("awmalloc")),
        "heap__init__awmalloc"
    );
    assert_eq!(KernelId::Render.entry(None), "render__render");
    assert_eq!(Method::ALL.map(Method::name), ["power", "accelerated"]);
    for (kernels, over_heap) in [(KernelId::OVER_HEAP, true), (KernelId::PLAIN, false)] {
        assert!(
            kernels
                .iter()
                .all(|kernel| kernel.is_over_heap() == over_heap)
        );
    }
}
