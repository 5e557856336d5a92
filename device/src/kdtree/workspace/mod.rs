//! The workspace of a build, as its kernels see it.
//!
//! A kernel makes a [`Workspace`] of its arguments once. The invariant is the arguments'
//! contract. So the words of the header need no further argument, and are accessed
//! atomically. The tables stay raw pointers: which warp owns an entry follows from tasks
//! and tickets, which no type expresses.

pub mod arguments;
pub mod entries;
pub mod header;

use core::ops::Deref;
use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::bounds::{Bounds, Triangle, from_key};
use super::sah::Costs;
use arguments::TreeArguments;
use header::{Failure, RUNNING, Statistic, Word, statistic, word};

/// Arguments that satisfy their contract.
#[derive(Clone, Copy)]
pub struct Workspace(TreeArguments);

impl Deref for Workspace {
    type Target = TreeArguments;

    #[inline(always)]
    fn deref(&self) -> &TreeArguments {
        &self.0
    }
}

impl Workspace {
    /// The workspace of these arguments.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, the arguments satisfy the contract
    /// that their type states. All accesses to the header and to the kinds of tasks are
    /// atomic, but for those of a warp that no other can meet there.
    #[inline(always)]
    pub unsafe fn new(arguments: TreeArguments) -> Self {
        Self(arguments)
    }

    /// A 4-byte word of the header.
    #[inline(always)]
    pub fn header(&self, word: Word) -> &AtomicU32 {
        // SAFETY: the contract of `new`; every `Word` is within the header.
        unsafe { &*self.0.header.add(word.index()).cast() }
    }

    /// An 8-byte word of the header.
    #[inline(always)]
    pub fn statistic(&self, statistic: Statistic) -> &AtomicU64 {
        // SAFETY: as above; every `Statistic` is within the header, at an even index.
        unsafe { &*self.0.header.add(statistic.index()).cast() }
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The constants of the heuristic.
    #[inline(always)]
    pub fn costs(&self) -> Costs {
        Costs {
            traversal: self.traversal,
            intersection: self.intersection,
            empty_bonus: self.empty_bonus,
        }
    }

    /// The scene's bounds, complete before `Build` starts.
    #[inline(always)]
    pub fn bounds(&self) -> Bounds {
        let key = |word: Word| self.header(word).load(Relaxed);
        Bounds {
            min: [0, 1, 2].map(|axis| from_key(!key(word::min_coordinate(axis)))),
            max: [0, 1, 2].map(|axis| from_key(key(word::max_coordinate(axis)))),
        }
    }

    /// A triangle.
    ///
    /// # Safety
    ///
    /// `id` is below `count`.
    #[inline(always)]
    pub unsafe fn triangle(&self, id: u32) -> Triangle {
        // SAFETY: the contract of `new`: 9 floats a triangle.
        unsafe {
            let first = self.triangles.add(id as usize * 9);
            let vertex =
                |from: usize| [*first.add(from), *first.add(from + 1), *first.add(from + 2)];
            [vertex(0), vertex(3), vertex(6)]
        }
    }

    /// Ends the build with a failure, unless another came first.
    #[inline(always)]
    pub fn fail(&self, failure: Failure, bytes: u64) {
        // Relaxed: the word alone makes the other warps stop, and the host reads the
        // detail after the launch.
        let state = self.header(word::STATE);
        if state.compare_exchange(RUNNING, failure as u32, Relaxed) == RUNNING {
            self.statistic(statistic::FAILED).store(bytes, Relaxed);
        }
    }
}
