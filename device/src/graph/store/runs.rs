//! The runs of a tile of changes, listed in a warp's scratch memory.
//!
//! One lane acts for a vertex, whose changes are a run. If each lane took one change, the
//! lanes of all but the first change of a run would idle: 19 of 20, in a batch with 20
//! changes a vertex. So a warp takes a tile of changes, lists where runs begin, and gives
//! each lane a run.
//!
//! A list also puts its runs in the order of a class, that of the size of a block that a
//! run requests or frees. An allocator serves lanes that want the same size as one; in the
//! order of the graph, the lanes of a warp want several sizes, which take turns.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use crate::graph::store::changes::{Change, Changes, Run};
use crate::graph::store::update::{CLASSES, Class};
use crate::simt::reduce::has;
use crate::simt::{SCRATCH_BYTES, Warp, rank};

/// Runs that a list has room for, a multiple of the lanes of a warp.
const ROOM: u32 = 320;
/// The word of a run that neither requests nor frees a block.
const NO_CLASS: u32 = u32::MAX;

/// The parts of scratch memory, in words.
mod part {
    use super::{CLASSES, ROOM};

    pub const FIRSTS: u32 = 0;
    pub const CLASS: u32 = FIRSTS + ROOM;
    pub const ORDER: u32 = CLASS + ROOM;
    pub const COUNTERS: u32 = ORDER + ROOM;
    pub const END: u32 = COUNTERS + CLASSES;
}

const _: () = assert!(part::END as usize * 4 <= SCRATCH_BYTES);

/// Runs of a tile. Its functions are collective over the warp where their comments say so.
///
/// Invariant: the scratch memory is this list's, which holds the first change of each run below
/// the length, in ascending order.
pub struct Runs<'a, W> {
    warp: W,
    changes: &'a Changes,
    scratch: *mut u32,
    /// Runs that are listed.
    length: u32,
    /// The first change that has not been looked at.
    next: u32,
    /// The end of the tile.
    end: u32,
}

/// A run of a list, which does not change meanwhile.
///
/// Invariant: the index is below its length.
#[derive(Clone, Copy)]
pub struct ListedRun<'a, W> {
    runs: &'a Runs<'a, W>,
    index: u32,
}

impl<W: Warp> ListedRun<'_, W> {
    /// The first change.
    #[inline(always)]
    pub fn first(self) -> Change {
        // SAFETY: `list` has written the number of a change for each run below the length.
        unsafe { Change::new(*self.runs.word(part::FIRSTS, self.index)) }
    }

    /// The changes.
    #[inline(always)]
    pub fn run(self) -> Run {
        let (first, changes) = (self.first(), self.runs.changes);
        match self.runs.get(self.index + 1) {
            // SAFETY: the list ascends, and has all runs from its first to its last.
            Some(next) => unsafe { changes.run_before(first, next.first()) },
            None => changes.run(first),
        }
    }
}

impl<'a, W: Warp> Runs<'a, W> {
    /// The runs that begin in the tile of this warp. None is listed yet.
    ///
    /// # Safety
    ///
    /// Nothing else uses the scratch memory of the warp while this value is in use.
    #[inline(always)]
    pub unsafe fn new(warp: W, changes: &'a Changes) -> Self {
        let count = changes.count();
        // Whole rows, so that a row is read by one warp. There is a warp, this one; that the
        // compiler sees so keeps a panic out of the kernels.
        let rows = count.div_ceil(W::LANES).div_ceil(warp.warps().max(1));
        let tile = u64::from(rows * W::LANES);
        let start = tile * u64::from(warp.warp());
        let within = |index: u64| {
            if index < u64::from(count) {
                index as u32
            } else {
                count
            }
        };
        Self {
            warp,
            changes,
            scratch: warp.scratch().cast(),
            length: 0,
            next: within(start),
            end: within(start + tile),
        }
    }

    /// A word of a part.
    ///
    /// # Safety
    ///
    /// `index` is below the words of the part.
    #[inline(always)]
    unsafe fn word(&self, part: u32, index: u32) -> *mut u32 {
        // SAFETY: scratch memory has room for all parts.
        unsafe { self.scratch.add((part + index) as usize) }
    }

    /// Lists the next runs of the tile in place of those before; false if there are no
    /// more changes. A list may be empty. All lanes call this.
    #[inline(always)]
    pub fn list(&mut self) -> bool {
        let warp = self.warp;
        if self.next >= self.end {
            return false;
        }
        // All are done with the list before it changes.
        warp.sync(W::FULL);
        self.length = 0;
        while self.next < self.end && self.length + W::LANES <= ROOM {
            let index = self.next + warp.lane();
            // SAFETY: the tile ends at the number of changes or before.
            let change = || unsafe { Change::new(index) };
            let is_first = index < self.end && self.changes.is_first(change());
            let firsts = warp.ballot(W::FULL, is_first);
            if has(firsts, warp.lane()) {
                let at = self.length + rank(firsts, warp.lane());
                // SAFETY: a row adds as many runs as lanes at most, each lane one of its own.
                unsafe { *self.word(part::FIRSTS, at) = index };
            }
            self.length += firsts.count_ones();
            self.next += W::LANES;
        }
        warp.sync(W::FULL);
        true
    }

    /// Runs that are listed.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Run `index`, if that many are listed.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<ListedRun<'_, W>> {
        (index < self.length).then_some(ListedRun { runs: self, index })
    }

    /// The run of this lane in the row of runs from `row` on, if it has that many.
    #[inline(always)]
    pub fn of_lane(&self, row: u32) -> Option<Run> {
        self.get(row + self.warp.lane()).map(ListedRun::run)
    }

    /// Orders the runs that have a class by it. Each lane asks for the `class` of runs of its
    /// own. All lanes call this.
    #[inline(always)]
    pub fn order_by_class(
        &mut self,
        class: impl Fn(ListedRun<'_, W>) -> Option<Class>,
    ) -> Ordered<'_, W> {
        let warp = self.warp;
        // SAFETY: indices are below the length, classes are below `CLASSES`. A lane writes the
        // class of its own runs. Counters are accessed by atomic operations where lanes may meet,
        // and by one lane each elsewhere.
        unsafe {
            let mut index = warp.lane();
            while let Some(run) = self.get(index) {
                let class = class(run).map_or(NO_CLASS, |class| class.index() as u32);
                *self.word(part::CLASS, index) = class;
                index += W::LANES;
            }
            warp.sync(W::FULL);
            let mut class = warp.lane();
            while class < CLASSES {
                *self.word(part::COUNTERS, class) = 0;
                class += W::LANES;
            }
            warp.sync(W::FULL);
            let mut index = warp.lane();
            while index < self.length {
                let class = *self.word(part::CLASS, index);
                if class != NO_CLASS {
                    // Relaxed: the `sync` orders the sums.
                    self.counter(class).fetch_add(1, Relaxed);
                }
                index += W::LANES;
            }
            warp.sync(W::FULL);
            let mut length = 0_u32;
            let mut row = 0;
            while row < CLASSES {
                let counter = self.word(part::COUNTERS, row + warp.lane());
                let runs = *counter;
                let end = length.wrapping_add(warp.all_inclusive_sum(runs));
                *counter = end.wrapping_sub(runs);
                length = warp.shuffle(W::FULL, end, W::LANES - 1);
                row += W::LANES;
            }
            warp.sync(W::FULL);
            let mut index = warp.lane();
            while index < self.length {
                let class = *self.word(part::CLASS, index);
                if class != NO_CLASS {
                    // Relaxed: the `sync` orders the positions.
                    let at = self.counter(class).fetch_add(1, Relaxed);
                    *self.word(part::ORDER, at) = index;
                }
                index += W::LANES;
            }
            warp.sync(W::FULL);
            Ordered { runs: self, length }
        }
    }

    /// The counter of a class.
    ///
    /// # Safety
    ///
    /// The class is below `CLASSES`, and lanes access it by atomic operations only up to
    /// the next `sync`.
    #[inline(always)]
    unsafe fn counter(&self, class: u32) -> &SharedU32 {
        // SAFETY: there is a counter for each class below `CLASSES`.
        unsafe { &*self.word(part::COUNTERS, class).cast::<SharedU32>() }
    }
}

/// The runs of a list that have a class, in the order of classes.
///
/// Invariant: the list has not changed since, which the borrow sees to; its counters are the ends
/// of the classes in the order.
pub struct Ordered<'a, W> {
    runs: &'a Runs<'a, W>,
    length: u32,
}

impl<W: Warp> Ordered<'_, W> {
    /// Runs that have a class.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The first change of the run at an index of the order, if it has so many.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<Change> {
        // SAFETY: `order_by_class` has written so many numbers of runs of the list.
        (index < self.length)
            .then(|| unsafe { *self.runs.word(part::ORDER, index) })
            .map(|index| {
                ListedRun {
                    runs: self.runs,
                    index,
                }
                .first()
            })
    }

    /// How many runs are of a class.
    #[inline(always)]
    pub fn of_class(&self, class: Class) -> u32 {
        let class = class.index() as u32;
        // SAFETY: classes are below `CLASSES`, and each has a counter.
        unsafe {
            let end = *self.runs.word(part::COUNTERS, class);
            if class == 0 {
                end
            } else {
                end - *self.runs.word(part::COUNTERS, class - 1)
            }
        }
    }
}
