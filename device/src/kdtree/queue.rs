//! The queue of tasks: an array in which each ticket is used once, so that it neither
//! wraps nor fills up while a warp waits.
//!
//! A warp takes a ticket and waits until the ticket's task is there or the build has
//! ended. Tasks never wait for tasks. A task counts as outstanding from before it is
//! put in until everything that it led to is done or is counted itself: when none is
//! outstanding, the tree is complete. A warp that holds a ticket without a task waits
//! while others work, so a single warp always finds the task that is left.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::workspace::Workspace;
use super::workspace::entries::Task;
use super::workspace::header::{DONE, Failure, RUNNING, word};
use crate::simt::Warp;

/// Kind of a task: a node to be built.
pub const NODE: u32 = 1;
/// Kind of a task: count the references of a chunk of a large node into bins.
pub const BIN_CHUNK: u32 = 2;
/// Kind of a task: partition the references of a chunk of a large node.
pub const PARTITION_CHUNK: u32 = 3;

impl Workspace {
    /// The kind of a ticket's task.
    ///
    /// # Safety
    ///
    /// The ticket is below `task_limit`.
    #[inline(always)]
    unsafe fn kind(&self, ticket: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.kinds.add(ticket as usize).cast() }
    }

    /// Takes a task, waiting for it: its ticket and kind, the same in all
    /// lanes, or kind 0 if the build has ended. Collective.
    #[inline(always)]
    pub fn take<W: Warp>(&self, warp: W) -> (u32, u32) {
        let (mut ticket, mut kind) = (0, 0);
        if warp.lane() == 0 {
            // Relaxed: the addition alone makes tickets unique.
            ticket = self.header(word::HEAD).fetch_add(1, Relaxed);
            if ticket < self.task_limit {
                // SAFETY: as just compared.
                kind = self.wait(warp, unsafe { self.kind(ticket) });
            }
        }
        // After lane 0's acquire, before the other lanes read.
        warp.sync(W::FULL);
        (
            warp.shuffle(W::FULL, ticket, 0),
            warp.shuffle(W::FULL, kind, 0),
        )
    }

    /// Waits for a ticket's task: its kind, or 0 if the build has ended.
    #[inline(always)]
    fn wait<W: Warp>(&self, warp: W, kind: &AtomicU32) -> u32 {
        loop {
            // Relaxed while waiting, since an acquire invalidates L1; it follows once
            // the task is there.
            if kind.load(Relaxed) != 0 {
                return kind.load(Acquire);
            }
            if self.header(word::STATE).load(Relaxed) != RUNNING {
                return 0;
            }
            warp.back_off();
        }
    }

    /// Puts in `count` tasks of one kind, each with its number in its `count`,
    /// or a single node as it is. Collective. Whoever takes the tasks sees what any
    /// lane wrote before.
    ///
    /// # Safety
    ///
    /// The warp has a task, and all of its lanes make the call. For `NODE`, `count` is 1,
    /// the task's block holds the node's references, and no other warp uses the node or
    /// the block. Else the task's `node` is a large node of `count` chunks that are ready
    /// for this kind of task.
    #[inline(always)]
    pub unsafe fn put<W: Warp>(&self, warp: W, kind: u32, task: Task, count: u32) {
        let mut first = 0;
        if warp.lane() == 0 {
            // Relaxed: the caller's own task is outstanding, so the counter
            // cannot reach 0 meanwhile.
            self.header(word::OUTSTANDING).fetch_add(count, Relaxed);
            first = self.header(word::TAIL).fetch_add(count, Relaxed);
        }
        first = warp.shuffle(W::FULL, first, 0);
        if first > self.task_limit || count > self.task_limit - first {
            self.fail(Failure::TaskLimit, 0);
            return;
        }
        // Every lane releases on behalf of the warp.
        warp.sync(W::FULL);
        let mut index = warp.lane();
        while index < count {
            let ticket = first + index;
            let number = if kind == NODE { task.count } else { index };
            // SAFETY: the ticket is this lane's alone and below `task_limit`.
            let kind_word = unsafe {
                let task = Task {
                    count: number,
                    ..task
                };
                mem::write(self.tasks.add(ticket as usize), task);
                self.kind(ticket)
            };
            // Release: whoever takes the task sees all that the warp wrote before.
            kind_word.store(kind, Release);
            index += W::LANES;
        }
    }

    /// Ends a task. The last one ends the build. Collective.
    ///
    /// # Safety
    ///
    /// The warp has a task of whose work nothing is left that is not outstanding itself,
    /// and all of its lanes make the call.
    #[inline(always)]
    pub unsafe fn end_task<W: Warp>(&self, warp: W) {
        warp.sync(W::FULL);
        if warp.lane() == 0 {
            // AcqRel: the last to finish has seen what all others did.
            let outstanding = self.header(word::OUTSTANDING).fetch_add(u32::MAX, AcqRel);
            if outstanding == 1 {
                // Fails if an error came first, and then the error stays.
                self.header(word::STATE)
                    .compare_exchange(RUNNING, DONE, Release);
            }
        }
    }
}
