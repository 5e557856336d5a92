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

use crate::graph::store::update::{CLASSES, UpdateArguments};
use crate::simt::reduce::has;
use crate::simt::{SCRATCH_BYTES, Warp, rank};

/// Runs that a list has room for, a multiple of the lanes of a warp.
const ROOM: u32 = 320;
/// The class of a run that neither requests nor frees a block.
pub const NO_CLASS: u32 = u32::MAX;

/// The class of a block of so many entries, at least one.
#[inline(always)]
pub fn class_of(entries: u32) -> u32 {
    // Blocks of 16 bytes and less are of class 0.
    CLASSES - ((entries - 1) >> 2).leading_zeros()
}

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

/// Runs of a tile. Its functions are collective over the warp where they take one.
pub struct Runs {
    scratch: *mut u32,
    /// Runs that are listed.
    pub length: u32,
    /// The first change that has not been looked at.
    next: u32,
    /// The end of the tile.
    end: u32,
    /// All changes.
    count: u32,
}

impl Runs {
    /// The runs that begin in the tile of this warp, of the changes of an update. None is
    /// listed yet.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds after `Compact`.
    #[inline(always)]
    pub unsafe fn new<W: Warp>(warp: W, update: &UpdateArguments) -> Self {
        // SAFETY: the caller's promise.
        let count = unsafe { update.change_count() };
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
            scratch: warp.scratch().cast(),
            length: 0,
            next: within(start),
            end: within(start + tile),
            count,
        }
    }

    /// A word of a part.
    ///
    /// # Safety
    ///
    /// `index` is below the words of the part.
    #[inline(always)]
    unsafe fn word(&self, part: u32, index: u32) -> *mut u32 {
        // SAFETY: the caller's promise.
        unsafe { self.scratch.add((part + index) as usize) }
    }

    /// Lists the next runs of the tile in place of those before; false if there are no
    /// more changes. A list may be empty.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds after `Compact`, and all lanes of the warp make the call.
    #[inline(always)]
    pub unsafe fn list<W: Warp>(&mut self, warp: W, update: &UpdateArguments) -> bool {
        if self.next >= self.end {
            return false;
        }
        // All are done with the list before it changes.
        warp.sync(W::FULL);
        self.length = 0;
        // SAFETY: the caller's promise; a row adds as many runs as lanes at the most.
        unsafe {
            while self.next < self.end && self.length + W::LANES <= ROOM {
                let index = self.next + warp.lane();
                let is_first = index < self.end && update.is_first(index);
                let firsts = warp.ballot(W::FULL, is_first);
                if has(firsts, warp.lane()) {
                    let at = self.length + rank(firsts, warp.lane());
                    *self.word(part::FIRSTS, at) = index;
                }
                self.length += firsts.count_ones();
                self.next += W::LANES;
            }
        }
        warp.sync(W::FULL);
        true
    }

    /// The first change of run `index`.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline(always)]
    pub unsafe fn first(&self, index: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *self.word(part::FIRSTS, index) }
    }

    /// The first change of run `index`, and the number after its last.
    ///
    /// # Safety
    ///
    /// `index` is below the length, and the arguments are those of `list`.
    #[inline(always)]
    pub unsafe fn run(&self, update: &UpdateArguments, index: u32) -> (u32, u32) {
        // SAFETY: the caller's promise; a run ends where the next begins.
        unsafe {
            let first = self.first(index);
            let end = if index + 1 < self.length {
                self.first(index + 1)
            } else {
                update.run_end(first, self.count)
            };
            (first, end)
        }
    }

    /// The run of this lane in the row of runs from `row` on, if it has that many.
    ///
    /// # Safety
    ///
    /// As for `run`.
    #[inline(always)]
    pub unsafe fn of_lane<W: Warp>(
        &self,
        warp: W,
        update: &UpdateArguments,
        row: u32,
    ) -> Option<(u32, u32)> {
        let index = row + warp.lane();
        // SAFETY: below the length, and the caller's promise.
        (index < self.length).then(|| unsafe { self.run(update, index) })
    }

    /// Puts run `index` into a class, or with [`NO_CLASS`] into none.
    ///
    /// # Safety
    ///
    /// `index` is below the length, and no other lane accesses its class before the next
    /// collective.
    #[inline(always)]
    pub unsafe fn set_class(&self, index: u32, class: u32) {
        // SAFETY: the caller's promise.
        unsafe { *self.word(part::CLASS, index) = class };
    }

    /// Orders the runs that have a class by it; returns their number. Each has one or has
    /// [`NO_CLASS`].
    ///
    /// # Safety
    ///
    /// `set_class` was called for each run, and all lanes of the warp make the call.
    #[inline(always)]
    pub unsafe fn order_by_class<W: Warp>(&self, warp: W) -> u32 {
        // SAFETY: the caller's promise; classes are below `CLASSES`. Counters are accessed
        // by atomic operations where lanes may meet, and by one lane each elsewhere.
        unsafe {
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
            let mut total = 0_u32;
            let mut row = 0;
            while row < CLASSES {
                let counter = self.word(part::COUNTERS, row + warp.lane());
                let runs = *counter;
                let end = total.wrapping_add(warp.all_inclusive_sum(runs));
                *counter = end.wrapping_sub(runs);
                total = warp.shuffle(W::FULL, end, W::LANES - 1);
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
            total
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
        // SAFETY: the caller's promise.
        unsafe { &*self.word(part::COUNTERS, class).cast::<SharedU32>() }
    }

    /// How many runs are of a class.
    ///
    /// # Safety
    ///
    /// `order_by_class` has ordered this list, and the class is below `CLASSES`.
    #[inline(always)]
    pub unsafe fn of_class(&self, class: u32) -> u32 {
        // SAFETY: the caller's promise. The counters have become the ends of the classes in
        // the order.
        unsafe {
            let end = *self.word(part::COUNTERS, class);
            if class == 0 {
                end
            } else {
                end - *self.word(part::COUNTERS, class - 1)
            }
        }
    }

    /// The first change of the run at a position of the order.
    ///
    /// # Safety
    ///
    /// `order_by_class` has returned more than `at` for this list.
    #[inline(always)]
    pub unsafe fn ordered(&self, at: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.first(*self.word(part::ORDER, at)) }
    }
}
