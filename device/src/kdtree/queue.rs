//! The queue of tasks: an array of tickets, each used once, so that it never
//! wraps or fills up behind anybody's back.
//!
//! A worker takes a ticket and waits until its task is there or the build has
//! ended. Tasks never wait for tasks. A task counts as outstanding from before
//! it is put in until all that it led to is done or counted itself: when none
//! is outstanding the tree is complete. A worker that holds a ticket with no
//! task waits while others work, so one worker alone always finds the task
//! that is left.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::tables::{DONE, RUNNING, TASK_LIMIT, Task, TreeArguments, word};
use crate::simt::Warp;

/// Kind of a task: a node to be built.
pub const NODE: u32 = 1;
/// Kind of a task: count the references of a chunk of a large node.
pub const COUNT_CHUNK: u32 = 2;
/// Kind of a task: divide the references of a chunk of a large node.
pub const DIVIDE_CHUNK: u32 = 3;

impl TreeArguments {
    #[inline(always)]
    fn kind(&self, ticket: u32) -> &AtomicU32 {
        // SAFETY: callers pass tickets below `task_limit`.
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
                kind = self.wait(warp, ticket);
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
    fn wait<W: Warp>(&self, warp: W, ticket: u32) -> u32 {
        loop {
            // Relaxed while waiting, since an acquire costs the cache; it
            // follows once the task is there.
            if self.kind(ticket).load(Relaxed) != 0 {
                return self.kind(ticket).load(Acquire);
            }
            if self.header(word::STATE).load(Relaxed) != RUNNING {
                return 0;
            }
            warp.back_off();
        }
    }

    /// Puts in `count` tasks of one kind, each with its number in its `count`,
    /// or a single node as it is. Collective; what any lane wrote before is
    /// seen by whoever takes the tasks.
    #[inline(always)]
    pub fn put<W: Warp>(&self, warp: W, kind: u32, task: Task, count: u32) {
        let mut first = 0;
        if warp.lane() == 0 {
            // Relaxed: the caller's own task is outstanding, so the counter
            // cannot reach 0 meanwhile.
            self.header(word::OUTSTANDING).fetch_add(count, Relaxed);
            first = self.header(word::TAIL).fetch_add(count, Relaxed);
        }
        first = warp.shuffle(W::FULL, first, 0);
        if first > self.task_limit || count > self.task_limit - first {
            self.fail(TASK_LIMIT, 0);
            return;
        }
        // Every lane releases on behalf of the warp.
        warp.sync(W::FULL);
        let mut index = warp.lane();
        while index < count {
            let ticket = first + index;
            let number = if kind == NODE { task.count } else { index };
            // SAFETY: the ticket is ours alone and below `task_limit`.
            unsafe {
                let task = Task {
                    count: number,
                    ..task
                };
                mem::write(self.tasks.add(ticket as usize), task);
            };
            // Release: with the task goes all that the warp wrote before.
            self.kind(ticket).store(kind, Release);
            index += W::LANES;
        }
    }

    /// Ends a task. The last one ends the build. Collective.
    #[inline(always)]
    pub fn finish<W: Warp>(&self, warp: W) {
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
