//! The sizes up to which a store works.

use super::StoreError;

/// Bounds of a store. The defaults are those of its numbers; tests set lower ones
/// in order to reach them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries in one direction: offsets of rows have 32 bits.
    pub entries: u64,
    /// Vertices: a key holds two ids and, as an id, the number of vertices; and
    /// kernels add the number of threads to that of a vertex.
    pub vertices: u32,
    /// Edges of deleted vertices that are deleted at a time, which bounds the
    /// workspace.
    pub deletion: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: u64::from(u32::MAX),
            vertices: (1 << 31) - 1,
            deletion: 1 << 24,
        }
    }
}

impl Limits {
    /// Makes sure that a store can number so many entries.
    pub(super) fn check_entries(&self, entries: u64) -> Result<(), StoreError> {
        self.check("entries", entries, self.entries)
    }

    /// Makes sure that a store can number so many vertices.
    pub(crate) fn check_vertices(&self, vertices: u64) -> Result<(), StoreError> {
        self.check("vertices", vertices, u64::from(self.vertices))
    }

    fn check(&self, what: &'static str, count: u64, limit: u64) -> Result<(), StoreError> {
        if count > limit {
            return Err(StoreError::TooMany { what, count, limit });
        }
        Ok(())
    }
}
