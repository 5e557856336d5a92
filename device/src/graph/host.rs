//! The host's side of a graph: how its memory is divided, and the launches of
//! each operation, which run on any backend in the order given.
//!
//! A graph is one buffer of [`Shape::bytes`] and the blocks in a heap. An
//! operation takes a workspace whose division is computed here, and leaves its
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

use crate::launch::{Call, Listed};

/// A launch.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The kernel and its arguments.
    pub call: Call,
    /// About how many threads; any number of warps is correct.
    pub threads: u32,
    /// Whether a lane alone takes a range of rows: then more warps than there are
    /// threads even out what takes longer and who is held up.
    pub ranges: bool,
}

impl Step {
    /// A launch of kernel `K`.
    fn of<K: Listed>(threads: u32, arguments: K::Arguments) -> Self {
        Self {
            call: Call::of::<K>(arguments),
            threads: threads.max(1),
            ranges: false,
        }
    }

    /// The launch of a kernel that takes its rows as [`super::rows::Rows`].
    fn in_ranges(self) -> Self {
        Self {
            ranges: true,
            ..self
        }
    }
}

/// A workspace, divided: consecutive parts, each 256-byte aligned.
#[derive(Clone, Copy, Debug, Default)]
struct Division {
    bytes: usize,
}

impl Division {
    /// The offset of the next part, of `bytes` bytes.
    fn part(&mut self, bytes: usize) -> usize {
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
