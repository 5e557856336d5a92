//! Edges to draw from: how many a vertex has, and which one has a number. One lane a vertex,
//! or an edge that is drawn; binary searches.
//!
//! The edges that touch the vertices from `low` on, up to an end, are numbered vertex by vertex
//! and in the order of their targets. An undirected edge stands in the rows of both ends; one
//! between two of these vertices counts for the lesser only. In the row of `vertex` these are
//! the neighbours from `low` up to `vertex`, which are next to each other and left out.

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// Vertices whose edges are counted.
    pub struct DrawCountArguments {
        pointers {
            /// The records of all vertices.
            records: Vertex,
            /// `count` words: the edges of each vertex.
            edges: u32,
        }
        integers {
            /// The first vertex.
            low: u32,
            /// Vertices from it on.
            count: u32,
            /// Whether edges have directions.
            directed: bool,
        }
    }
}

arguments! {
    /// Edges that were drawn, by their numbers.
    pub struct DrawPickArguments {
        pointers {
            /// The records of all vertices.
            records: Vertex,
            /// `count` edges: a vertex from `low` on, and the number of its edge, which it has,
            /// 32 bits each.
            picks: u64,
            /// `count` words: the targets.
            targets: u32,
        }
        integers {
            /// The first vertex.
            low: u32,
            /// Edges.
            count: u32,
            /// Whether edges have directions.
            directed: bool,
        }
    }
}

/// The positions in a row whose entries count for another vertex: the first, and the one
/// behind the last. `rank` is the number of neighbours of the row below a vertex.
#[inline(always)]
fn left_out(vertex: u32, low: u32, directed: bool, rank: impl Fn(u32) -> u32) -> (u32, u32) {
    if directed {
        return (0, 0);
    }
    (rank(low), rank(vertex))
}

/// Counts the edges of all vertices by `rank`, which tells how many neighbours of a record are
/// below a vertex.
///
/// # Safety
///
/// The arguments' contract holds.
#[inline(always)]
pub unsafe fn count_all<W: Warp>(
    warp: W,
    draw: &DrawCountArguments,
    rank: impl Fn(&Vertex, u32) -> u32,
) {
    let mut index = warp.thread();
    while index < draw.count {
        let vertex = draw.low + index;
        // SAFETY: a record and a word of the arguments.
        unsafe {
            let record = *draw.records.add(vertex as usize);
            let (from, to) = left_out(vertex, draw.low, draw.directed, |bound| {
                rank(&record, bound)
            });
            let edges = record.degree - (to - from);
            draw.edges.add(index as usize).write(edges);
        }
        index += warp.threads();
    }
}

/// Finds the targets of all edges that were drawn, by `rank` as above and `entry`, which reads
/// the neighbour of a record at a position.
///
/// # Safety
///
/// The arguments' contract holds.
#[inline(always)]
pub unsafe fn pick_all<W: Warp>(
    warp: W,
    draw: &DrawPickArguments,
    rank: impl Fn(&Vertex, u32) -> u32,
    entry: impl Fn(&Vertex, u32) -> u32,
) {
    let mut index = warp.thread();
    while index < draw.count {
        // SAFETY: an edge and a word of the arguments, and a vertex that has the edge.
        unsafe {
            let pick = *draw.picks.add(index as usize);
            let (vertex, number) = (pick as u32, (pick >> 32) as u32);
            let record = *draw.records.add(vertex as usize);
            let (from, to) = left_out(vertex, draw.low, draw.directed, |bound| {
                rank(&record, bound)
            });
            let position = if number < from {
                number
            } else {
                number + (to - from)
            };
            draw.targets
                .add(index as usize)
                .write(entry(&record, position));
        }
        index += warp.threads();
    }
}

/// Counts the edges of vertices.
pub struct DrawCount;

impl PlainKernel for DrawCount {
    type Arguments = DrawCountArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, draw: DrawCountArguments) {
        // SAFETY: the kernel's contract; a record of the store has a block with its
        // neighbours, and nothing changes in this launch.
        unsafe { count_all(warp, &draw, |record, bound| record.search(bound).0) };
    }
}

/// Finds the edges that were drawn.
pub struct DrawPick;

impl PlainKernel for DrawPick {
    type Arguments = DrawPickArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, draw: DrawPickArguments) {
        // SAFETY: as above; the positions are below the degree.
        unsafe {
            pick_all(
                warp,
                &draw,
                |record, bound| record.search(bound).0,
                |record, position| *record.entries().add(position as usize),
            );
        }
    }
}
