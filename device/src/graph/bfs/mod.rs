//! Breadth-first search: the distance of each vertex from one.
//!
//! A launch a level. The vertices of a level are a list; whoever is first to
//! write a vertex' depth puts it on the next list. All the neighbours of as many
//! vertices as a warp has lanes are one sequence, and a warp reserves positions on
//! the list for all its finds at once. A level that is empty ends at once, so
//! the host may launch levels ahead.
//!
//! Traffic: each entry of the vertices reached is read once, with its depth.

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod simt;

pub use simt::{SearchLevel, SearchStart};

use cuda_std::atomic::AtomicU32;

use crate::arguments;
use crate::graph::store::Vertex;

/// The depth of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// Words of the header, by number; the lengths of three lists come first: of
/// this level's, of the next one's, and one that is cleared.
pub mod word {
    /// Vertices that were reached.
    pub const REACHED: usize = 3;
    /// The greatest depth.
    pub const DEPTH: usize = 4;
    /// Number of words.
    pub const COUNT: usize = 5;
}

arguments! {
    /// A search.
    pub struct SearchArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// A depth for each vertex.
            depths: u32,
            /// A word for each vertex: those of this level.
            level: u32,
            /// A word for each vertex: those of the next level.
            next: u32,
            /// `word::COUNT` words.
            header: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// The vertex to start from.
            source: u32,
            /// The depth of this level.
            depth: u32,
        }
    }
}

impl SearchArguments {
    /// A word of the header.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below `word::COUNT`.
    #[inline(always)]
    unsafe fn header(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.header.add(index).cast::<AtomicU32>() }
    }

    /// The length of the list of the level `ahead` of this one.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    unsafe fn length(&self, ahead: u32) -> &AtomicU32 {
        // SAFETY: three lengths come first.
        unsafe { self.header(((self.depth + ahead) % 3) as usize) }
    }

    /// The depth of a vertex.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the vertex exists.
    #[inline(always)]
    unsafe fn depth(&self, vertex: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.depths.add(vertex as usize).cast::<AtomicU32>() }
    }
}
