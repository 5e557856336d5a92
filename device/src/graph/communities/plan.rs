//! The host's side of label propagation.

use super::{CommunityAdopt, CommunityArguments, CommunityStart, CommunityVote};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The memory of the labels, divided.
#[derive(Clone, Copy, Debug)]
pub struct CommunitySpace {
    vertices: u32,
    best: usize,
    bytes: usize,
}

impl CommunitySpace {
    /// For so many vertices.
    pub fn new(vertices: u32) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(4 * vertices as usize);
        Self {
            vertices,
            best: layout.reserve(8 * vertices as usize),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the memory, 256-byte aligned. It begins with the labels, 32 bits for each vertex, and
    /// may hold any values before the first launch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn arguments(&self, memory: *mut u8, keys: *mut u64, count: u32) -> CommunityArguments {
        CommunityArguments {
            keys,
            labels: memory.cast(),
            best: memory.wrapping_add(self.best).cast(),
            count,
            vertices: self.vertices,
        }
    }

    /// The launch that labels each vertex with its number.
    pub fn start(&self, memory: *mut u8) -> PlannedLaunch {
        let arguments = self.arguments(memory, std::ptr::null_mut(), 0);
        PlannedLaunch::of::<CommunityStart>(Grid::strided(self.vertices), arguments)
    }

    /// The launch that counts the labels in the pairs of a part, sorted.
    pub fn vote(&self, memory: *mut u8, keys: *mut u64, count: u32) -> PlannedLaunch {
        let arguments = self.arguments(memory, keys, count);
        PlannedLaunch::of::<CommunityVote>(Grid::strided(count), arguments)
    }

    /// The launch that ends an iteration, after all parts were counted.
    pub fn adopt(&self, memory: *mut u8) -> PlannedLaunch {
        let arguments = self.arguments(memory, std::ptr::null_mut(), 0);
        PlannedLaunch::of::<CommunityAdopt>(Grid::strided(self.vertices), arguments)
    }
}
