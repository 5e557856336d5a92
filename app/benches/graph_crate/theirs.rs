//! The other side: the crate `graph`, with sorted adjacency.
//!
//! Its PageRank works in place: a vertex sees ranks of the same iteration, so it
//! needs fewer iterations to a tolerance, and its result depends on how threads
//! meet. It drops the ranks of vertices without edges where ours shares them out,
//! which is the same up to a factor.
//!
//! Its count of triangles may be preceded by relabelling the vertices by degree,
//! which makes another graph; without it the count is right too. The relabelling is
//! timed, and part of that way's time, as orienting the edges by degree is part of
//! ours. Building its graph, which sorts the adjacency, is not timed, nor is loading
//! ours.

use std::time::Duration;

use graph::prelude::{
    CsrLayout, DirectedCsrGraph, GraphBuilder, PageRankConfig, UndirectedCsrGraph,
    global_triangle_count, page_rank, relabel_graph,
};
use heapwood::graph::RankOptions;
use heapwood_graphs::Csr;

use super::timed::timed;

/// The graph for PageRank, which is for directed graphs: both directions of every
/// edge.
pub fn directed(rows: &Csr) -> DirectedCsrGraph<u32> {
    let edges: Vec<(u32, u32)> = (0..rows.vertices())
        .flat_map(|u| rows.row(u).iter().map(move |&v| (u, v)))
        .collect();
    let builder = GraphBuilder::new().csr_layout(CsrLayout::Sorted);
    builder.edges(edges).build()
}

/// The graph for triangles: every edge once.
pub fn undirected(rows: &Csr) -> UndirectedCsrGraph<u32> {
    let edges: Vec<(u32, u32)> = (0..rows.vertices())
        .flat_map(|u| rows.row(u).iter().map(move |&v| (u, v)))
        .filter(|(u, v)| u < v)
        .collect();
    let builder = GraphBuilder::new().csr_layout(CsrLayout::Sorted);
    builder.edges(edges).build()
}

/// Ranks, and how they were reached.
pub struct Ranks {
    pub ranks: Vec<f32>,
    pub iterations: u32,
    pub time: Duration,
}

/// PageRank.
pub fn pagerank(graph: &DirectedCsrGraph<u32>, options: &RankOptions) -> Ranks {
    let config = PageRankConfig::new(
        options.limit as usize,
        options.tolerance,
        options.damping as f32,
    );
    let ((ranks, iterations, _), time) = timed(|| page_rank(graph, config));
    Ranks {
        ranks,
        iterations: iterations as u32,
        time,
    }
}

/// Triangles of a graph as it is, with the time.
pub fn triangles(graph: &UndirectedCsrGraph<u32>) -> (u64, Duration) {
    timed(|| global_triangle_count(graph))
}

/// Relabels the vertices; returns the time.
pub fn relabel(graph: &mut UndirectedCsrGraph<u32>) -> Duration {
    timed(|| relabel_graph(graph)).1
}
