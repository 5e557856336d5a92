//! The items of a batch in scratch memory: for each its reference, its node, its bounds, and the
//! best plane at these.

use super::scratch::{BOUNDS_STRIDE, Scratch, item_word};
use crate::kdtree::bounds::Bounds;

/// The items of a batch, whose nodes are the topmost on the stack.
///
/// The methods that write are for one lane per item: between two `sync`s no other lane uses what
/// they write.
#[derive(Clone, Copy)]
pub struct Items {
    scratch: Scratch,
    count: u32,
    stacked: u32,
}

impl Items {
    /// The first `count` items, of nodes on a stack of `stacked`.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, scratch memory has so many items, at most
    /// `SMALL_NODE`, and the references of the small subtree. Each item names one of the topmost
    /// nodes of the stack, and the lanes of the warp write items as the type states.
    #[inline(always)]
    pub unsafe fn new(scratch: Scratch, count: u32, stacked: u32) -> Self {
        Self {
            scratch,
            count,
            stacked,
        }
    }

    /// How many items there are.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.count
    }

    /// The item at an index, if there is one.
    #[inline(always)]
    pub fn get(self, index: u32) -> Option<Item> {
        // SAFETY: as compared.
        (index < self.count).then(|| unsafe { self.at(index) })
    }

    /// The item at an index.
    ///
    /// # Safety
    ///
    /// There are more items.
    #[inline(always)]
    pub unsafe fn at(self, index: u32) -> Item {
        Item {
            scratch: self.scratch,
            stacked: self.stacked,
            index,
        }
    }

    /// `count` items from `first` on.
    ///
    /// # Safety
    ///
    /// There are so many.
    #[inline(always)]
    pub unsafe fn range(self, first: u32, count: u32) -> ItemRange {
        ItemRange {
            items: self,
            first,
            count,
        }
    }
}

/// Items that follow each other: those of a node.
#[derive(Clone, Copy)]
pub struct ItemRange {
    items: Items,
    first: u32,
    count: u32,
}

impl ItemRange {
    /// The items in their order.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Item> {
        // SAFETY: the contract of `Items::range`.
        (self.first..self.first + self.count).map(move |index| unsafe { self.items.at(index) })
    }
}

/// An item of a batch.
#[derive(Clone, Copy)]
pub struct Item {
    scratch: Scratch,
    stacked: u32,
    index: u32,
}

impl Item {
    /// Its word, as in [`item_word`].
    #[inline(always)]
    pub fn word(self) -> u32 {
        // SAFETY: the contract of `Items`: the item is there.
        unsafe { *self.scratch.item(self.index) }
    }

    /// The box of its node.
    #[inline(always)]
    pub fn node_bounds(self) -> Bounds {
        let number = item_word::number(self.word());
        // SAFETY: the contract of `Items`: the node is on the stack.
        unsafe { (*self.scratch.stack(self.stacked - 1 - number)).bounds }
    }

    /// Its reference.
    #[inline(always)]
    pub fn reference(self) -> u32 {
        let index = item_word::index(self.word());
        // SAFETY: indices of six bits are below `SMALL_NODE`.
        unsafe { *self.scratch.references().add(index as usize) }
    }

    /// Keeps the bounds of the item's triangle inside its node's box.
    #[inline(always)]
    pub fn keep(self, part: Bounds) {
        for axis in 0..3 {
            // SAFETY: there are six lists of bounds, each with a word for the item.
            unsafe {
                self.bound(axis as u32).write(part.min[axis]);
                self.bound(3 + axis as u32).write(part.max[axis]);
            }
        }
    }

    /// The kept bound of a list: the smallest coordinates on the three axes, then the largest.
    #[inline(always)]
    pub fn kept(self, list: u32) -> f32 {
        // SAFETY: lists of three bits are within scratch memory.
        unsafe { *self.bound(list & 7) }
    }

    /// The kept bounds along an axis.
    #[inline(always)]
    pub fn along(self, axis: u32) -> (f32, f32) {
        (self.kept(axis), self.kept(3 + axis))
    }

    /// The word of a list of bounds.
    #[inline(always)]
    fn bound(self, list: u32) -> *mut f32 {
        self.scratch.bounds(list * BOUNDS_STRIDE + self.index)
    }

    /// Keeps the best plane at the item's bounds, and how it divides the node, as
    /// [`item_word::sides`] has it.
    #[inline(always)]
    pub fn keep_plane(self, candidate: u64, sides: u32) {
        // SAFETY: the item is there, and so is its candidate.
        unsafe {
            self.scratch.candidate(self.index).write(candidate);
            self.scratch.item(self.index).write(self.word() | sides);
        }
    }

    /// The best plane at the item's bounds.
    #[inline(always)]
    pub fn plane(self) -> u64 {
        // SAFETY: as above.
        unsafe { *self.scratch.candidate(self.index) }
    }
}
