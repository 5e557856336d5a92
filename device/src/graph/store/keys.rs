//! Edges as keys that sort by source, then by target.
//!
//! Both ids lie side by side in the low bits, as narrow as the graph allows, so
//! that a sort has no more bits to look at than it must. An id that stands for
//! nothing, the number of vertices, marks edges that take no part; it sorts
//! behind all others.

/// Sources and targets change positions: for the store of in-neighbours.
pub const TRANSPOSED: u32 = 2;
/// Each edge also stands for the one in the other direction.
pub const MIRRORED: u32 = 4;
/// Edges from a vertex to itself are refused.
pub const NO_LOOPS: u32 = 8;
/// The batch deletes edges; without it, it inserts them.
pub const DELETE: u32 = 16;
/// Edges have weights.
pub const WEIGHTED: u32 = 32;
/// Of an edge that the batch has twice the least weight counts; without it, the last one.
pub const MIN_WEIGHT: u32 = 64;

/// Bits of an id in a graph of so many vertices, with room for their number.
#[inline(always)]
pub fn id_bits(vertices: u32) -> u32 {
    32 - (vertices | 1).leading_zeros()
}

/// How the words of a batch become keys.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Vertices of the graph, which are numbered from 0.
    pub vertices: u32,
    /// Words of the batch.
    pub count: u32,
    /// Flags of this module.
    pub flags: u32,
}

impl Form {
    /// Whether a flag is set.
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Keys of the batch.
    #[inline(always)]
    pub fn keys(&self) -> u32 {
        self.count << u32::from(self.has(MIRRORED))
    }

    /// Bits of an id.
    #[inline(always)]
    pub fn id_bits(&self) -> u32 {
        id_bits(self.vertices)
    }

    /// The key of an edge between ids below 2 to the power of `id_bits`.
    #[inline(always)]
    pub fn key(&self, source: u32, target: u32) -> u64 {
        u64::from(source) << self.id_bits() | u64::from(target)
    }

    /// The source of a key; the number of vertices if it takes no part.
    #[inline(always)]
    pub fn source(&self, key: u64) -> u32 {
        (key >> self.id_bits()) as u32
    }

    /// The target of a key. Of one that takes no part: 0 if its edge was
    /// refused, 1 if that is the other direction of an edge from a vertex to
    /// itself or of a refused one.
    #[inline(always)]
    pub fn target(&self, key: u64) -> u32 {
        key as u32 & ((1 << self.id_bits()) - 1)
    }

    /// Key `index`. Those of the two directions of an edge follow each other, so that their threads
    /// read the same memory.
    ///
    /// # Safety
    ///
    /// `edges` are the `count` edges of the batch, and `index` is below `keys()`.
    #[inline(always)]
    pub unsafe fn key_at(&self, edges: *const u64, index: u32) -> u64 {
        let is_mirrored = u32::from(self.has(MIRRORED));
        // SAFETY: below the count.
        let edge = unsafe { *edges.add((index >> is_mirrored) as usize) };
        self.key_of(edge, index & is_mirrored == 1)
    }

    /// The key of an edge, or of its other direction.
    #[inline(always)]
    fn key_of(&self, edge: u64, back: bool) -> u64 {
        // An edge is a source and a target of 32 bits each, in this order.
        let (source, target) = (edge as u32, (edge >> 32) as u32);
        let refused = source >= self.vertices
            || target >= self.vertices
            || (source == target && self.has(NO_LOOPS));
        if refused || (back && source == target) {
            self.key(self.vertices, u32::from(back))
        } else if back != self.has(TRANSPOSED) {
            self.key(target, source)
        } else {
            self.key(source, target)
        }
    }

    /// Whether a key stands for its edge when edges are counted; of the two
    /// directions of a mirrored edge one does.
    #[inline(always)]
    pub fn counts(&self, source: u32, target: u32) -> bool {
        if source == self.vertices {
            return target == 0;
        }
        !self.has(MIRRORED) || source <= target
    }
}
