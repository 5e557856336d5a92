//! The queues of tasks: an array in which each ticket is used once, so that it neither
//! wraps nor fills up while a warp waits.
//!
//! A warp takes a ticket and waits until the ticket's task is there or none is outstanding.
//! Tasks never wait for tasks. A task counts as outstanding from before it is
//! put in until everything that it led to is done or is counted itself: when none is
//! outstanding, the queue's part of the tree is complete. A warp that holds a ticket without a
//! task waits while others work, so a single warp always finds the task that is left.
//!
//! Two queues share the array, from its two ends: that of large and that of small nodes. The
//! kernel for large nodes puts tasks into both, and takes of the first only. Tickets beyond the
//! last task may lead into the other queue's end of the array, so that a queue knows its tasks by
//! their kind.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::workspace::Workspace;
use super::workspace::entries::Task;
use super::workspace::header::{DONE, Failure, RUNNING, Word, word};
use crate::simt::Warp;

/// Kind of a task: a node to be built.
pub const NODE: u32 = 1;
/// Kind of a task: count the references of a chunk of a large node into bins.
pub const BIN_CHUNK: u32 = 2;
/// Kind of a task: partition the references of a chunk of a large node.
pub const PARTITION_CHUNK: u32 = 3;
/// Kind of a task: a node of the queue of subtrees.
pub const SUBTREE: u32 = 4;

/// One of the two queues.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// All nodes, or those that are too large for a subtree.
    Tasks,
    /// Subtrees that a warp finishes, in a kernel of their own.
    Subtrees,
}

impl Queue {
    /// The queue of tasks of this kind, which is not 0.
    #[inline(always)]
    fn of(kind: u32) -> Self {
        if kind == SUBTREE {
            Self::Subtrees
        } else {
            Self::Tasks
        }
    }

    /// The next ticket of whoever takes a task.
    #[inline(always)]
    fn head(self) -> Word {
        match self {
            Self::Tasks => word::HEAD,
            Self::Subtrees => word::SUBTREE_HEAD,
        }
    }

    /// The next ticket of whoever puts in a task.
    #[inline(always)]
    fn tail(self) -> Word {
        match self {
            Self::Tasks => word::TAIL,
            Self::Subtrees => word::SUBTREE_TAIL,
        }
    }

    /// Tasks that wait or run.
    #[inline(always)]
    fn outstanding(self) -> Word {
        match self {
            Self::Tasks => word::OUTSTANDING,
            Self::Subtrees => word::SUBTREE_OUTSTANDING,
        }
    }
}

impl Workspace {
    /// The place of a ticket's task, below `task_limit` if the ticket is.
    #[inline(always)]
    pub fn place(&self, queue: Queue, ticket: u32) -> usize {
        match queue {
            Queue::Tasks => ticket as usize,
            Queue::Subtrees => self.task_limit.wrapping_sub(ticket).wrapping_sub(1) as usize,
        }
    }

    /// The kind of the task at a place.
    ///
    /// # Safety
    ///
    /// The place is below `task_limit`.
    #[inline(always)]
    unsafe fn kind(&self, place: usize) -> &AtomicU32 {
        // SAFETY: `kinds` has a word for each place below `task_limit`.
        unsafe { &*self.kinds.add(place).cast() }
    }

    /// Takes a task, waiting for it: its place and kind, the same in all
    /// lanes, or kind 0 if none is outstanding. Collective.
    #[inline(always)]
    pub fn take<W: Warp>(&self, warp: W, queue: Queue) -> (usize, u32) {
        let (mut ticket, mut kind) = (0, 0);
        if warp.lane() == 0 {
            // Relaxed: the addition alone makes tickets unique.
            ticket = self.header(queue.head()).fetch_add(1, Relaxed);
            if ticket < self.task_limit {
                // SAFETY: as just compared.
                kind = self.wait(warp, queue, unsafe { self.kind(self.place(queue, ticket)) });
            }
        }
        // After lane 0's acquire, before the other lanes read.
        warp.sync(W::FULL);
        (
            self.place(queue, warp.shuffle(W::FULL, ticket, 0)),
            warp.shuffle(W::FULL, kind, 0),
        )
    }

    /// Waits for a ticket's task: its kind, or 0 if none is outstanding.
    #[inline(always)]
    fn wait<W: Warp>(&self, warp: W, queue: Queue, kind: &AtomicU32) -> u32 {
        loop {
            // Relaxed while waiting, since an acquire invalidates L1; it follows once
            // the task is there.
            let found = kind.load(Relaxed);
            if found != 0 && Queue::of(found) == queue {
                return kind.load(Acquire);
            }
            // Relaxed: of a task that was put in before, the counter tells until it has ended,
            // and it is this ticket's alone. So at 0 none will come.
            if self.header(word::STATE).load(Relaxed) != RUNNING
                || self.header(queue.outstanding()).load(Relaxed) == 0
            {
                return 0;
            }
            warp.back_off();
        }
    }

    /// Puts in `count` tasks of one kind, each with its number in its `count`,
    /// or nodes as they are. Collective. Whoever takes the tasks sees what any
    /// lane wrote before.
    ///
    /// # Safety
    ///
    /// The warp has a task, all of its lanes make the call, and tasks of the kind are the
    /// queue's. For `NODE` and `SUBTREE`, there
    /// are no more nodes than lanes, one in each, whose block holds the node's references, and no
    /// other warp uses the node or the block. Else the task's `node` is a large node of `count` chunks
    /// that are ready for this kind of task.
    #[inline(always)]
    pub unsafe fn put<W: Warp>(&self, warp: W, queue: Queue, kind: u32, task: Task, count: u32) {
        let (mut first, mut before) = (0, 0);
        if warp.lane() == 0 {
            // Relaxed: the caller's own task is outstanding, so the counter
            // cannot reach 0 meanwhile.
            self.header(queue.outstanding()).fetch_add(count, Relaxed);
            first = self.header(queue.tail()).fetch_add(count, Relaxed);
            // Relaxed: the sum alone keeps the two queues apart.
            before = self.header(word::TASKS).fetch_add(count, Relaxed);
        }
        first = warp.shuffle(W::FULL, first, 0);
        before = warp.shuffle(W::FULL, before, 0);
        if before > self.task_limit || count > self.task_limit - before {
            self.fail(Failure::TaskLimit, 0);
            return;
        }
        // Every lane releases on behalf of the warp.
        warp.sync(W::FULL);
        let mut index = warp.lane();
        while index < count {
            let place = self.place(queue, first + index);
            let is_chunk = kind == BIN_CHUNK || kind == PARTITION_CHUNK;
            let number = if is_chunk { index } else { task.count };
            // SAFETY: the place is this lane's alone and below `task_limit`.
            let kind_word = unsafe {
                let task = Task {
                    count: number,
                    ..task
                };
                mem::write(self.tasks.add(place), task);
                self.kind(place)
            };
            // Release: whoever takes the task sees all that the warp wrote before.
            kind_word.store(kind, Release);
            index += W::LANES;
        }
    }

    /// Ends a task. The last one of the last queue ends the build. Collective.
    ///
    /// # Safety
    ///
    /// The warp has a task of whose work nothing is left that is not outstanding itself,
    /// and all of its lanes make the call.
    #[inline(always)]
    pub unsafe fn end_task<W: Warp>(&self, warp: W, queue: Queue) {
        warp.sync(W::FULL);
        if warp.lane() == 0 {
            // AcqRel: the last to finish has seen what all others did.
            let outstanding = self.header(queue.outstanding()).fetch_add(u32::MAX, AcqRel);
            // Relaxed: all tasks that led to subtrees have ended, as just seen.
            let last = outstanding == 1
                && (queue == Queue::Subtrees
                    || self.header(word::SUBTREE_OUTSTANDING).load(Relaxed) == 0);
            if last {
                // Fails if an error came first, and then the error stays.
                self.header(word::STATE)
                    .compare_exchange(RUNNING, DONE, Release);
            }
        }
    }
}
