//! The host's side of copies of rows.

use crate::graph::chunks::Chunk;
use crate::graph::store::Vertex;
use crate::graph::store::linked::page::capacity_beside;
use crate::graph::store::plan::Shape;
use crate::workspace::WorkspaceLayout;

/// The memory of copies of the rows that a batch changes, divided.
#[derive(Clone, Copy, Debug)]
pub struct CopySpace {
    records: usize,
    pages: usize,
    entries: usize,
    vertices: u32,
    most_pages: u64,
    bytes: usize,
}

impl CopySpace {
    /// For a batch of up to `edges` edges on a graph of that shape, which has up to `entries`
    /// entries in its rows with those of the batch.
    pub fn new(shape: &Shape, entries: u64, edges: u32) -> Self {
        let capacity = u64::from(capacity_beside(shape.handle_bytes));
        // Of each row a page at most is not full, the last.
        let rows = (2 * u64::from(edges)).min(shape.vertices.into());
        let most_pages = entries / capacity + rows;
        let mut layout = WorkspaceLayout::default();
        Self {
            records: layout.reserve(size_of::<Vertex>() * shape.vertices as usize),
            pages: layout.reserve(size_of::<Chunk>() * most_pages as usize),
            entries: layout.reserve(4 * (capacity * most_pages) as usize),
            vertices: shape.vertices,
            most_pages,
            bytes: layout.bytes(),
        }
    }

    /// Whether there is room for all that another space has room for.
    pub fn holds(&self, other: &Self) -> bool {
        self.vertices >= other.vertices && self.most_pages >= other.most_pages
    }

    /// Bytes of the memory, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The copies in memory that is divided so.
    pub fn copies(&self, memory: *mut u8) -> Copies {
        Copies {
            records: memory.wrapping_add(self.records).cast(),
            pages: memory.wrapping_add(self.pages).cast(),
            entries: memory.wrapping_add(self.entries).cast(),
        }
    }
}

/// Memory for copies of the rows that a batch changes.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    pub(in crate::graph) records: *mut Vertex,
    pub(in crate::graph) pages: *mut Chunk,
    pub(in crate::graph) entries: *mut u32,
}
