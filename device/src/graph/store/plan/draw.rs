//! The launches that draw stored edges by their numbers.

use super::Graph;
use crate::graph::store::draw::{DrawCount, DrawCountArguments, DrawPick, DrawPickArguments};
use crate::graph::store::linked::{LinkedDrawCount, LinkedDrawPick};
use crate::launch::{Grid, PlannedLaunch};

impl Graph {
    /// The launch that counts the edges of `count` vertices from `low` on, those between two
    /// of these at the lesser only, into a word each.
    pub fn count_drawn(&self, low: u32, count: u32, edges: *mut u32) -> PlannedLaunch {
        let arguments = DrawCountArguments {
            records: self.records(0),
            edges,
            low,
            count,
            directed: self.shape.directed,
        };
        self.by_layout::<DrawCount, LinkedDrawCount>(Grid::strided(count), arguments)
    }

    /// The launch that finds the targets of `count` edges of vertices from `low` on. A word of
    /// 64 bits each has the vertex and, above it, the number of the edge among those that the
    /// vertex has by `count_drawn`.
    pub fn pick_drawn(
        &self,
        low: u32,
        picks: *mut u64,
        targets: *mut u32,
        count: u32,
    ) -> PlannedLaunch {
        let arguments = DrawPickArguments {
            records: self.records(0),
            picks,
            targets,
            low,
            count,
            directed: self.shape.directed,
        };
        self.by_layout::<DrawPick, LinkedDrawPick>(Grid::strided(count), arguments)
    }
}
