//! The host's side of clustering coefficients.

use super::{LinkArguments, Links};
use crate::graph::pairs::plan::PairPart;
use crate::graph::store::plan::Csr;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The memory of the counts, divided.
#[derive(Clone, Copy, Debug)]
pub struct LinkSpace {
    vertices: u32,
    neighbours: usize,
    bytes: usize,
}

impl LinkSpace {
    /// For so many vertices.
    pub fn new(vertices: u32) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * vertices as usize);
        Self {
            vertices,
            neighbours: layout.reserve(4 * vertices as usize),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the memory, 256-byte aligned, 0 before the first launch. It begins with the edges
    /// between neighbours of each vertex, a word of 64 bits each.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the memory the numbers of neighbours begin, 32 bits for each vertex.
    pub fn neighbours_offset(&self) -> usize {
        self.neighbours
    }

    /// The launch that counts the links of a part's vertices, whose pairs with neighbours are
    /// sorted. `rows` are those of each direction.
    pub fn count(
        &self,
        memory: *mut u8,
        keys: *mut u64,
        rows: &[Csr],
        part: &PairPart,
    ) -> PlannedLaunch {
        let arguments = LinkArguments {
            keys,
            offsets: rows[0].offsets,
            targets: rows[0].targets,
            incoming: rows.get(1).map_or(std::ptr::null_mut(), |csr| csr.offsets),
            links: memory.cast(),
            neighbours: memory.wrapping_add(self.neighbours).cast(),
            first: part.vertices.start,
            count: part.count(),
            vertices: self.vertices,
        };
        PlannedLaunch::of::<Links>(Grid::strided(part.count()), arguments)
    }
}
