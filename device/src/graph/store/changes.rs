//! The changes of a batch, which `Compact` has left, and their runs: the changes of one vertex.

use core::ops::Deref;
use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::Handle;
use crate::graph::store::update::{Update, word};
use crate::graph::store::{VertexId, lower_bound};
use crate::simt::Warp;
use crate::simt::reduce::has;

/// A view of the changes of an update.
///
/// Invariant: the first `count` keys among the changes are sorted keys of edges between vertices
/// of the graph, each with a position and with words of its run, and no kernel writes the keys and
/// positions any more.
#[derive(Clone, Copy)]
pub struct Changes {
    update: Update,
    count: u32,
}

/// A change: a number below the count of the launch's changes.
///
/// Invariant: that, as whoever made it has argued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change(u32);

/// The changes of one vertex, from `first` up to before `end`; it is not empty.
///
/// Invariant: all numbers in between are those of changes.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    first: u32,
    end: u32,
}

impl Change {
    /// Change `index`.
    ///
    /// # Safety
    ///
    /// It is below the count of the launch's changes.
    #[inline(always)]
    pub(in crate::graph) unsafe fn new(index: u32) -> Self {
        Self(index)
    }

    /// The number.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.0
    }
}

impl Run {
    /// The run of the lane `lane`. All lanes call this.
    ///
    /// # Safety
    ///
    /// The lane has one.
    #[inline(always)]
    pub unsafe fn of_lane<W: Warp>(warp: W, run: Option<Self>, lane: u32) -> Self {
        let (first, end) = run.map_or((0, 0), |run| (run.first, run.end));
        Self {
            first: warp.shuffle(W::FULL, first, lane),
            end: warp.shuffle(W::FULL, end, lane),
        }
    }

    /// The changes from `first` up to before `end`.
    ///
    /// # Safety
    ///
    /// There are some, of one run.
    #[inline(always)]
    pub unsafe fn new(first: Change, end: u32) -> Self {
        Self {
            first: first.0,
            end,
        }
    }

    /// The first change.
    #[inline(always)]
    pub fn first(self) -> Change {
        Change(self.first)
    }

    /// The number after the last change.
    #[inline(always)]
    pub fn end(self) -> u32 {
        self.end
    }

    /// How many changes it has.
    #[inline(always)]
    pub fn length(self) -> u32 {
        self.end - self.first
    }

    /// The change of this number, which is not below the first, if it is one of the run.
    #[inline(always)]
    pub fn get(self, index: u32) -> Option<Change> {
        (index < self.end).then_some(Change(index))
    }

    /// Calls `visit` with each change and its rank in the run, the last one first.
    #[inline(always)]
    pub fn for_each_reversed(self, mut visit: impl FnMut(Change, u32)) {
        let mut index = self.end;
        while index > self.first {
            index -= 1;
            visit(Change(index), index - self.first);
        }
    }
}

impl Deref for Changes {
    type Target = Update;

    #[inline(always)]
    fn deref(&self) -> &Update {
        &self.update
    }
}

impl Changes {
    /// The changes of an update.
    ///
    /// # Safety
    ///
    /// `Compact` has run in an earlier launch.
    #[inline(always)]
    pub unsafe fn new(update: Update) -> Self {
        // Relaxed: written by an earlier launch.
        let count = update.header::<{ word::CHANGES }>().load(Relaxed) as u32;
        Self { update, count }
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Change `index`, if there are so many.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<Change> {
        (index < self.count).then_some(Change(index))
    }

    /// The key of a change.
    #[inline(always)]
    pub fn key(&self, change: Change) -> u64 {
        // SAFETY: there is a key for each change.
        unsafe { *self.changes.add(change.0 as usize) }
    }

    /// The vertex whose adjacency changes.
    #[inline(always)]
    pub fn source(&self, change: Change) -> VertexId {
        // SAFETY: the ends of a change are vertices.
        unsafe { VertexId::new(self.form().source(self.key(change))) }
    }

    /// The neighbour that comes or goes.
    #[inline(always)]
    pub fn target(&self, change: Change) -> VertexId {
        // SAFETY: as above.
        unsafe { VertexId::new(self.form().target(self.key(change))) }
    }

    /// The position in the adjacency that a change belongs to.
    #[inline(always)]
    pub fn position(&self, change: Change) -> u32 {
        // SAFETY: there is a position for each change.
        unsafe { *self.positions.add(change.0 as usize) }
    }

    /// The word of a run that this change begins.
    #[inline(always)]
    pub fn moved(&self, first: Change) -> *mut u64 {
        // SAFETY: there is a word for each change.
        unsafe { self.moved.add(first.0 as usize) }
    }

    /// The handle of a run that this change begins.
    #[inline(always)]
    pub fn fresh<H: Handle>(&self, first: Change) -> *mut H {
        // SAFETY: there is a handle for each change.
        unsafe { self.fresh.cast::<H>().add(first.0 as usize) }
    }

    /// The neighbours that the new block of a run that this change begins has room for.
    #[inline(always)]
    pub fn fresh_capacity(&self, first: Change) -> *mut u32 {
        // SAFETY: there is a word for each change.
        unsafe { self.fresh_capacities.add(first.0 as usize) }
    }

    /// The first number from `low` up to `high` whose change has no position below `position`;
    /// `high` if there is none.
    ///
    /// # Safety
    ///
    /// The numbers are those of changes of one run.
    #[inline(always)]
    pub unsafe fn first_from(&self, low: u32, high: u32, position: u32) -> u32 {
        // SAFETY: there is a position for each change; those of a run ascend.
        unsafe { lower_bound(self.positions, low, high, position) }
    }

    /// The first change whose key is not below `key`.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    pub unsafe fn lower_bound(&self, key: u64) -> Change {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(Change(middle)) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Change(low)
    }

    /// Whether a change is the first of its run.
    #[inline(always)]
    pub fn is_first(&self, change: Change) -> bool {
        change.0 == 0 || self.source(Change(change.0 - 1)) != self.source(change)
    }

    /// The run from `first` up to the first change of the next run.
    ///
    /// # Safety
    ///
    /// Both are first changes of runs that follow each other.
    #[inline(always)]
    pub unsafe fn run_before(&self, first: Change, next: Change) -> Run {
        Run {
            first: first.0,
            end: next.0,
        }
    }

    /// The run that `first` begins. Its end is found by steps that double and then halve: most
    /// runs are short.
    #[inline(always)]
    pub fn run(&self, first: Change) -> Run {
        let count = self.count;
        let source = self.source(first);
        let (mut inside, mut step) = (first.0, 1);
        while step < count - inside && self.source(Change(inside + step)) == source {
            inside += step;
            step *= 2;
        }
        // The first outside is at most `step` away.
        let mut outside = if step < count - inside {
            inside + step
        } else {
            count
        };
        while inside + 1 < outside {
            let middle = inside + (outside - inside) / 2;
            if self.source(Change(middle)) == source {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        Run {
            first: first.0,
            end: outside,
        }
    }

    /// The first change of the run of `change`, found likewise.
    #[inline(always)]
    fn run_start(&self, change: Change) -> u32 {
        let source = self.source(change);
        let (mut inside, mut step) = (change.0, 1);
        while step <= inside && self.source(Change(inside - step)) == source {
            inside -= step;
            step *= 2;
        }
        // No change before this one is inside.
        let mut bound = if step <= inside { inside - step + 1 } else { 0 };
        while bound < inside {
            let middle = bound + (inside - bound) / 2;
            if self.source(Change(middle)) == source {
                inside = middle;
            } else {
                bound = middle + 1;
            }
        }
        inside
    }

    /// The change of this lane in the row of changes from `row` on, and the first one of its run,
    /// if there are so many. Only the first lane searches. All lanes call this with the same row.
    ///
    /// # Safety
    ///
    /// The row begins with a change.
    #[inline(always)]
    pub unsafe fn row_start<W: Warp>(&self, warp: W, row: u32) -> Option<(Change, Change)> {
        let index = row + warp.lane();
        // No branch on what the caller branches on again; see `has`.
        let last = self.count - 1;
        let present = if index < last { index } else { last };
        let first = self.is_first(Change(present)) & (index == present);
        let firsts = warp.ballot(W::FULL, first);
        let mut start = index;
        if warp.lane() == 0 && !has(firsts, 0) {
            start = self.run_start(Change(present));
        }
        start = warp.shuffle(W::FULL, start, 0);
        // The nearest first at this lane or below.
        let below = firsts & (u32::MAX >> (31 - warp.lane()));
        let start = if below == 0 {
            start
        } else {
            index - (warp.lane() - (31 - below.leading_zeros()))
        };
        (index < self.count).then_some((Change(index), Change(start)))
    }
}
