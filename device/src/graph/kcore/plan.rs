//! The host's side of core numbers.

use super::{CHUNK, CoreArguments, CoreStart, CoreStep, StepKind, word};
use crate::graph::chunks::{Chunk, max_chunks};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a computation of core numbers.
#[derive(Clone, Copy, Debug)]
pub struct CoreSpace {
    counts: usize,
    cores: usize,
    queue: usize,
    bytes: usize,
}

impl CoreSpace {
    /// Words at the front of the workspace, for [`CoreSpace::has_ended`].
    pub const HEADER_WORDS: usize = word::COUNT;

    /// For a graph of that many vertices, and that many entries.
    pub fn new(vertices: u32, entries: u64) -> Self {
        let vertices = vertices as usize;
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * Self::HEADER_WORDS);
        Self {
            counts: layout.reserve(4 * vertices),
            cores: layout.reserve(4 * vertices),
            queue: layout.reserve(size_of::<Chunk>() * max_chunks::<CHUNK>(vertices, entries)),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned, with any content.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the core numbers begin, 32 bits for each vertex; 0 of one that was
    /// deleted.
    pub fn cores_offset(&self) -> usize {
        self.cores
    }

    /// Whether all vertices have their core number after the launches of steps `1..=launched`.
    pub fn has_ended(header: &[u64; Self::HEADER_WORDS], launched: u32) -> bool {
        let record = (launched as usize + 1) % 3 * word::RECORD;
        header[record + word::KIND] == StepKind::End as u64
    }
}

impl Graph {
    fn core_arguments(&self, space: &CoreSpace, workspace: *mut u8, launch: u32) -> CoreArguments {
        let at = |offset: usize| workspace.wrapping_add(offset);
        CoreArguments {
            records: self.contiguous_records(),
            counts: at(space.counts).cast(),
            cores: at(space.cores).cast(),
            queue: at(space.queue).cast(),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            launch,
        }
    }

    /// The launch before the steps that find core numbers.
    pub fn core_start(&self, space: &CoreSpace, workspace: *mut u8) -> PlannedLaunch {
        let arguments = self.core_arguments(space, workspace, 0);
        PlannedLaunch::of::<CoreStart>(Grid::strided(self.shape.vertices), arguments)
    }

    /// The launch of a step, numbered from 1. A step after the last that is needed does nothing.
    ///
    /// # Panics
    ///
    /// If the step is 0.
    pub fn core_step(&self, space: &CoreSpace, workspace: *mut u8, step: u32) -> PlannedLaunch {
        assert!(step > 0);
        let arguments = self.core_arguments(space, workspace, step);
        PlannedLaunch::of::<CoreStep>(Grid::strided(self.shape.vertices), arguments)
    }
}
