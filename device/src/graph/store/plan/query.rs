//! The launch that answers questions about edges.

use super::Graph;
use crate::graph::store::linked::LinkedQuery;
use crate::graph::store::query::{Query, QueryArguments};
use crate::launch::{Grid, PlannedLaunch};

impl Graph {
    /// The launch that answers whether edges are there: `count` words with a
    /// source and a target each, and a word of 32 bits for each answer, 1 or 0.
    pub fn query(&self, edges: *mut u64, answers: *mut u32, count: u32) -> PlannedLaunch {
        let arguments = QueryArguments {
            records: self.records(0),
            edges,
            answers,
            vertices: self.shape.vertices,
            count,
        };
        self.by_layout::<Query, LinkedQuery>(Grid::strided(count), arguments)
    }
}
