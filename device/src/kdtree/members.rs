//! Small subtrees: their references in scratch memory, nodes as masks.

use super::build::{Builder, Work};
use super::tables::SMALL;
use crate::allocator::Allocator;
use crate::simt::Warp;

impl<W: Warp, A: Allocator> Builder<W, A> {
    /// Copies the node's references into scratch memory, all of them members.
    /// If the subtree is finished there, the block is spent.
    ///
    /// # Safety
    ///
    /// The task has at most `SMALL` references in its block.
    #[inline(always)]
    pub(super) unsafe fn load_members(&mut self) {
        let count = self.task.count;
        let ids = self.ids(self.task.block);
        let mut index = self.warp.lane();
        while index < count {
            // SAFETY: the caller's promise.
            unsafe {
                self.scratch
                    .ids()
                    .add(index as usize)
                    .write(*ids.add(index as usize))
            };
            index += W::LANES;
        }
        self.members = u64::MAX >> ((SMALL - count) & 63);
        if count <= self.tree.finish {
            self.spent = (self.task.block, count);
            self.work = Work::Members;
        }
    }

    /// Lists the places of the members.
    #[inline(always)]
    pub(super) fn order_members(&self) {
        // Also between the last use of the list and this one.
        self.warp.sync(W::FULL);
        self.each_member(self.members, |place, rank| {
            // SAFETY: a mask has 64 members at most.
            unsafe { self.scratch.order().add(rank as usize).write(place) };
        });
        self.warp.sync(W::FULL);
    }

    /// Writes the references of `members` to an array, ascending.
    ///
    /// # Safety
    ///
    /// The array has room for them.
    #[inline(always)]
    pub(super) unsafe fn copy_members(&self, members: u64, to: *mut u32) {
        self.each_member(members, |place, rank| {
            // SAFETY: the caller's promise; places are below `SMALL`.
            unsafe {
                to.add(rank as usize)
                    .write(*self.scratch.ids().add(place as usize))
            };
        });
    }

    /// Calls `f` with the place and the rank of each member, some in each lane.
    #[inline(always)]
    fn each_member(&self, members: u64, f: impl Fn(u32, u32)) {
        let mut place = self.warp.lane();
        while place < SMALL {
            if members >> place & 1 == 1 {
                f(place, (members & ((1 << place) - 1)).count_ones());
            }
            place += W::LANES;
        }
    }
}
