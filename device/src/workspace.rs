//! The layout of a workspace in device memory: where its parts begin.

/// Bytes to which parts are aligned.
const ALIGNMENT: usize = 256;

/// The layout of a workspace: consecutive parts, each 256-byte aligned.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkspaceLayout {
    bytes: usize,
}

impl WorkspaceLayout {
    /// The offset of the next part, of `bytes` bytes.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        let offset = self.bytes;
        self.bytes += bytes.next_multiple_of(ALIGNMENT);
        offset
    }

    /// Bytes of all parts so far.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The length of a tile, a multiple of `least`, such that `count` items make no more
/// than `most` tiles; and the number of tiles.
pub(crate) fn tiles(count: u32, least: u32, most: u32) -> (u32, u32) {
    let tile = least * count.div_ceil(most).div_ceil(least).max(1);
    (tile, count.div_ceil(tile))
}
