//! The work that the README compares allocators at: a microbenchmark, the tree of a scene,
//! and a batch of edges of a graph.

use super::bench::{self, allocators};
use super::outcome::Outcome;
use super::results::{Meta, Results};
use super::{graph, kdtree};
use crate::Result;

/// Requests of a launch, and bytes of each.
pub const REQUESTS: (u32, u64) = (100_000, 1024);
/// Edges of a batch.
pub const EDGES: u64 = 1_000_000;

/// The times of one allocator.
pub struct Times<'r> {
    /// The allocator.
    pub allocator: &'r str,
    /// [`REQUESTS`] on a warm heap.
    pub malloc: Outcome,
    /// The blocks of these requests, freed.
    pub free: Outcome,
    /// The build of the tree.
    pub tree: Outcome,
    /// The slowest batch of [`EDGES`].
    pub batch: Outcome,
}

/// All allocators, and where their times come from.
pub struct Work<'r> {
    /// In the order of the microbenchmarks.
    pub times: Vec<Times<'r>>,
    /// Machines and programs.
    pub metas: Vec<&'r Meta>,
}

impl<'r> Work<'r> {
    /// The times of all allocators over this scene and this graph.
    pub fn of(results: &'r Results, scene: &str, graph: &str) -> Result<Self> {
        let mut metas = Vec::new();
        let mut times = Vec::new();
        for allocator in allocators(results) {
            let mut malloc_or_free =
                |kernel| match bench::warm_threads(results, kernel, allocator, REQUESTS) {
                    Some((kind, case)) => {
                        metas.push(&case.meta);
                        kind.outcome_of(case)
                    }
                    None => Err("-".to_owned()),
                };
            times.push(Times {
                allocator,
                malloc: malloc_or_free("malloc"),
                free: malloc_or_free("free"),
                tree: kdtree::build(results, scene, allocator, &mut metas),
                batch: graph::slowest(results, graph, allocator, EDGES, &mut metas)?,
            });
        }
        Ok(Self { times, metas })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::fixtures;
    use super::super::results::Status;
    use super::*;

    /// Allocators with their times for malloc, and for the tree of the scene `s`.
    pub fn results(times: &[(&str, f64, f64)]) -> Results {
        let mut results = Results::default();
        for (allocator, malloc, tree) in times {
            let case = format!(
                r#"{{"workload": "threads", "allocator": "{allocator}", "parameters": {{}},
                    "heap": "warm", "threads": 100000, "bytes": 1024, "status": "ok",
                    "alloc_ms": {{"median": {malloc}}}, "meta": {{"gpu": "G"}}}}"#
            );
            let tree = format!(
                r#"{{"scene": "s", "triangles": 12, "allocator": "{allocator}",
                    "options": {{"alloc_per_split": false}}, "build_ms": {{"median": {tree}}},
                    "nodes": 5, "leaves": 3, "max_depth": 2, "references_per_triangle": 1.25,
                    "sah_cost": 7.0, "tree_hash": "a", "meta": {{"gpu": "G"}}}}"#
            );
            let case = fixtures::case(&case);
            results.bench.push(case);
            let tree = fixtures::tree(&tree);
            results.kdtree.push(tree);
        }
        results
    }

    #[test]
    fn work_without_a_time_says_why() {
        let mut results = results(&[("cmalloc", 0.5, 20.0)]);
        results.bench[0].status = Status::Oom;
        let work = Work::of(&results, "s", "g").expect("work");
        assert_eq!(work.times[0].malloc, Err("oom".to_owned()));
        assert_eq!(work.times[0].tree, Ok(20.0));
        assert_eq!(work.times[0].batch, Err("-".to_owned()));
    }
}
