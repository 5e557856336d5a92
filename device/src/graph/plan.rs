//! The host's side of a graph: how its memory is divided, and the launches of
//! each operation, which run on any backend in the order given.
//!
//! A graph is one buffer of [`Shape::bytes`] and the blocks in a heap. An
//! operation takes a workspace whose layout is computed here, and leaves its
//! results in it.

mod algorithms;
mod csr;
mod rank;
mod shape;
mod update;
mod vertices;

pub use algorithms::{ComponentSpace, SearchSpace, SearchState, TriangleSpace};
pub use csr::{Csr, CsrSpace, graph_hash};
pub use rank::{Method, RankOptions, RankSpace, RankState};
pub use shape::{Graph, Layout, Measured, Shape};
pub use update::{Batch, Change, Counts, UpdateError, UpdateSpace};
pub use vertices::VertexList;

use crate::launch::Grid;

/// About so many threads; any number of warps is correct.
fn strided(threads: u32) -> Grid {
    Grid::Strided(threads.max(1))
}

/// The same for a kernel that takes its rows as [`super::rows::Rows`]: a lane alone takes a
/// range of them. Then more warps than there are threads even out what takes longer and
/// who is held up.
fn in_ranges(threads: u32) -> Grid {
    Grid::Ranges(threads.max(1))
}

/// The layout of a workspace: consecutive parts, each 256-byte aligned.
#[derive(Clone, Copy, Debug, Default)]
struct WorkspaceLayout {
    bytes: usize,
}

impl WorkspaceLayout {
    /// The offset of the next part, of `bytes` bytes.
    fn reserve(&mut self, bytes: usize) -> usize {
        let offset = self.bytes;
        self.bytes += bytes.next_multiple_of(256);
        offset
    }
}

/// The length of a tile, at least `least`, such that `count` items make no more
/// than `most` tiles; and the number of tiles.
fn tiles(count: u32, least: u32, most: u32) -> (u32, u32) {
    let mut tile = least;
    while count.div_ceil(tile) > most {
        tile *= 2;
    }
    (tile, count.div_ceil(tile))
}
