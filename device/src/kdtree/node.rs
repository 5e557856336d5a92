//! The finished tree: nodes of 8 bytes in depth-first order, and an array of
//! triangle numbers that leaves refer to.
//!
//! Its left (below) child follows a node, so that only the right child's index is
//! stored. The layout is that of pbrt's k-d tree accelerator.

/// A node of a finished tree, aligned so that a GPU reads it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Node {
    /// Interior: the split position, as bits of an `f32`. Leaf: index of its
    /// first reference.
    pub first: u32,
    /// Low two bits: the axis of the split, 0 to 2, or 3 for a leaf. Above:
    /// the index of the right child, or the number of references.
    pub second: u32,
}

/// The most nodes, and the most references of one leaf, that a tree may have.
pub const LIMIT: u32 = (1 << 30) - 1;

const LEAF: u32 = 3;

impl Node {
    /// An interior node split at `position` on `axis` with its right child at
    /// `right`.
    #[inline(always)]
    pub fn interior(axis: u32, position: f32, right: u32) -> Self {
        Self {
            first: position.to_bits(),
            second: right << 2 | axis,
        }
    }

    /// A leaf with `count` references from `first` on.
    #[inline(always)]
    pub fn leaf(first: u32, count: u32) -> Self {
        Self {
            first,
            second: count << 2 | LEAF,
        }
    }

    /// Whether this is a leaf.
    #[inline(always)]
    pub fn is_leaf(self) -> bool {
        self.second & 3 == LEAF
    }

    /// Axis of the split: 0, 1 or 2.
    #[inline(always)]
    pub fn axis(self) -> u32 {
        self.second & 3
    }

    /// Position of the split.
    #[inline(always)]
    pub fn position(self) -> f32 {
        f32::from_bits(self.first)
    }

    /// Index of the right child.
    #[inline(always)]
    pub fn right(self) -> u32 {
        self.second >> 2
    }

    /// Index of a leaf's first reference.
    #[inline(always)]
    pub fn first_reference(self) -> u32 {
        self.first
    }

    /// Number of a leaf's references.
    #[inline(always)]
    pub fn references(self) -> u32 {
        self.second >> 2
    }
}
