//! Connected components (weakly connected ones of directed graphs).
//!
//! Union-find without locks: every vertex has a parent that is not above it,
//! and the roots are their own parents. An edge joins two trees by hanging the
//! higher root below the lower one, if it is still a root; the components'
//! least vertices are the last roots, whatever the order. Parents only ever
//! decrease, towards the root, so outdated ones lead there too: relaxed accesses
//! suffice, and each exchange that fails is another thread's success.
//!
//! Most edges are never read (Afforest: Sutton, Ben-Nun and Barak 2018). Each vertex is
//! joined with its first [`LINKED`] neighbours, which makes a tree of most of a large
//! component. Then the vertices of one tree, the largest of a sample, are skipped, and the
//! others read the rest of their rows. An edge that no thread reads has both ends skipped:
//! its ends were in that tree when they were looked at, and trees only grow. This needs
//! each edge at both ends, so that in a directed graph the vertices that are not skipped
//! read their rows of in-neighbours, too; without these nothing is skipped. Which tree is
//! sampled changes the work alone, but all warps must skip the same one: one of them
//! samples, a launch before.
//!
//! Labels can also be kept while edges come and go: see `update`.
//!
//! Traffic: for each vertex its record three times and its label six times, a 32-byte
//! sector of entries twice, and for two entries some four dependent accesses to labels,
//! nearly all from L2; the rest of a row is read for vertices outside of the largest
//! component. On a Kronecker graph of 2^20 vertices and 31.4 million entries that is about
//! 0.13 GB in six launches; every entry would add 0.13 GB and 62 million labels.

mod compress;
mod forest;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod simt;
mod update;

pub use compress::ComponentCompress;
pub use simt::{ComponentEnd, ComponentJoin, ComponentJoinLong, ComponentLink, ComponentStart};
pub use update::{ComponentList, ComponentSpread, ComponentUpdate, ComponentUpdateArguments, ROWS};

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::chunks::Chunk;
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;
use forest::Forest;

/// The label of a vertex that was deleted.
pub const NO_LABEL: u32 = u32::MAX;

/// Neighbours of each vertex that are joined with it whichever tree it is in.
pub const LINKED: u32 = 2;

/// Rows of more entries are divided among warps, in chunks of so many.
pub const LONG: u32 = 256;

/// Words of the header, by number.
pub mod word {
    /// The number of components, in the end.
    pub const COUNT: usize = 0;
    /// The number of chunks of long rows.
    pub const CHUNKS: usize = 1;
    /// The root of the tree whose vertices are skipped, or `NO_LABEL`.
    pub const SKIPPED: usize = 2;
    /// The number of vertices that are listed, where there is a list.
    pub const LISTED: usize = 3;
    /// Number of words.
    pub const WORDS: usize = 4;
}

arguments! {
    /// A computation of components.
    pub struct ComponentArguments {
        pointers {
            /// `vertices` records of the rows that are read.
            records: Vertex,
            /// A word for each vertex: its parent, in the end its component's
            /// least vertex.
            labels: u32,
            /// Chunks of long rows, with room for those of all rows.
            long: Chunk,
            /// `word::WORDS` words.
            header: u64,
            /// The vertices that are labelled, all of those of some trees, with room for all
            /// vertices; null if all are, and not those of some trees.
            list: u32,
            /// A bit for each vertex: whether a tree with it as root has lost an
            /// edge. Null if there is no list.
            lost: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// The first entry of each row that is read.
            first: u32,
            /// Whether the vertices of a tree may be skipped.
            skips: bool,
        }
    }
}

/// A computation whose contract holds.
type Components = Valid<ComponentArguments>;

impl Components {
    /// A word of the header.
    #[inline(always)]
    fn header<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::WORDS) };
        // SAFETY: the header has a word of this index, accessed as an atomic one.
        unsafe { &*self.header.add(INDEX).cast::<AtomicU64>() }
    }

    /// The forest of the labels.
    #[inline(always)]
    fn forest(&self) -> Forest {
        // SAFETY: a word for each vertex.
        unsafe { Forest::new(self.labels) }
    }

    /// The number of vertices that are labelled: where there is a list it was made by a launch
    /// before.
    #[inline(always)]
    fn count(&self) -> u32 {
        if self.list.is_null() {
            return self.vertices;
        }
        // Relaxed: counted by a launch before.
        self.header::<{ word::LISTED }>().load(Relaxed) as u32
    }

    /// One of the vertices that are labelled.
    ///
    /// # Safety
    ///
    /// `index` is below `count`.
    #[inline(always)]
    unsafe fn vertex(&self, index: u32) -> VertexId {
        if self.list.is_null() {
            // SAFETY: without a list all vertices are labelled.
            return unsafe { VertexId::new(index) };
        }
        // SAFETY: the list has as many vertices.
        unsafe { VertexId::new(*self.list.add(index as usize)) }
    }

    /// The record of a vertex.
    #[inline(always)]
    fn record(&self, vertex: VertexId) -> Vertex {
        // SAFETY: each vertex has a record, which no thread writes to.
        unsafe { *self.records.add(vertex.index()) }
    }
}
