//! The host's side of copies of rows.

use crate::graph::store::Vertex;
use crate::workspace::WorkspaceLayout;

/// The memory of copies of the rows that a batch changes, divided.
#[derive(Clone, Copy, Debug)]
pub struct CopySpace {
    records: usize,
    entries: usize,
    vertices: u32,
    most_entries: u64,
    bytes: usize,
}

impl CopySpace {
    /// For batches on a graph of so many vertices, which has up to `entries` entries in its rows
    /// with those of a batch.
    pub fn new(vertices: u32, entries: u64) -> Self {
        let mut layout = WorkspaceLayout::default();
        Self {
            records: layout.reserve(size_of::<Vertex>() * vertices as usize),
            entries: layout.reserve(4 * entries as usize),
            vertices,
            most_entries: entries,
            bytes: layout.bytes(),
        }
    }

    /// Whether there is room for all that another space has room for.
    pub fn holds(&self, other: &Self) -> bool {
        self.vertices >= other.vertices && self.most_entries >= other.most_entries
    }

    /// Bytes of the memory, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The copies in memory that is divided so.
    pub fn copies(&self, memory: *mut u8) -> Copies {
        Copies {
            records: memory.wrapping_add(self.records).cast(),
            entries: memory.wrapping_add(self.entries).cast(),
        }
    }
}

/// Memory for copies of the rows that a batch changes.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    pub(in crate::graph) records: *mut Vertex,
    pub(in crate::graph) entries: *mut u32,
}
