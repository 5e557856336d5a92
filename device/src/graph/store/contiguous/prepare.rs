//! New blocks for the vertices whose blocks do not fit any more.
//!
//! One lane a run of changes requests a block. The lanes of a warp request blocks of one
//! class together (`Runs`). Nothing of the store is changed. A refused request is recorded
//! if the vertex cannot do without, which makes `Commit` give up the batch.
//!
//! Until its block is granted, a run's word in `moved` says what it wants (`Want`).
//!
//! Where an allocator makes memory ready ahead ([`Allocator::PROVIDES`]), two launches come
//! before the requests: [`Demand`] finds out what all runs want, and [`Provide`] passes the
//! sums on.
//!
//! [`Allocator::PROVIDES`]: crate::allocator::Allocator::PROVIDES

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::contiguous::long::LONG;
use crate::graph::store::runs::{NO_CLASS, Runs, class_of};
use crate::graph::store::update::{CLASSES, LARGE, UpdateArguments, word};
use crate::graph::store::{Vertex, capacity_for, obtain_coalesced};
use crate::kernel::{Kernel, PlainKernel};
use crate::simt::{Warp, leader};

/// Entries that a block may have room for although few are used.
const KEEP: u32 = 16;

/// The needs of a vertex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// No new block.
    Nothing,
    /// A new block is better; the old one would do.
    Better,
    /// A new block.
    Block,
}

/// The needs of a vertex that is to have `degree` neighbours.
#[inline(always)]
fn need(update: &UpdateArguments, record: &Vertex, degree: u32) -> Need {
    if degree > record.capacity {
        return Need::Block;
    }
    if degree == 0 {
        return Need::Nothing;
    }
    let sparse = update.deletes() && record.capacity > KEEP && degree <= record.capacity / 4;
    if sparse || record.degree > LARGE {
        return Need::Better;
    }
    Need::Nothing
}

/// A request, as a word.
#[derive(Clone, Copy)]
struct Want(u64);

impl Want {
    /// A block of `capacity` entries: without it the vertex cannot do if it `must`, and
    /// many warps are to fill it if it `is_long`.
    #[inline(always)]
    fn new(capacity: u32, must: bool, is_long: bool) -> Self {
        Self(u64::from(capacity) << 2 | u64::from(must) << 1 | u64::from(is_long))
    }

    #[inline(always)]
    fn capacity(self) -> u32 {
        (self.0 >> 2) as u32
    }

    #[inline(always)]
    fn bytes(self) -> u64 {
        (self.0 >> 2) * 4
    }

    #[inline(always)]
    fn must(self) -> bool {
        self.0 & 2 != 0
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The need of a run of changes, and the class of its size.
///
/// # Safety
///
/// The arguments' contract holds after `Compact`, and `first..end` is a run.
#[inline(always)]
unsafe fn find_want(update: &UpdateArguments, first: u32, end: u32) -> Want {
    // SAFETY: the caller's promise.
    unsafe {
        let record = update.record(update.form().source(update.change(first)));
        let degree = update.new_degree(record.degree, end - first);
        let need = need(update, &record, degree);
        if need == Need::Nothing {
            return Want(0);
        }
        let is_long = record.degree >= LONG;
        Want::new(capacity_for(degree), need == Need::Block, is_long)
    }
}

/// Writes the wants of all runs of a list, or reads them if they are `known`; returns how
/// many want a block, which are ordered by class then.
///
/// # Safety
///
/// The arguments' contract holds after `Compact`, the runs are listed, their words are
/// written if they are known, and all lanes of the warp make the call.
#[inline(always)]
unsafe fn order_wants<W: Warp>(warp: W, update: &UpdateArguments, runs: &Runs, known: bool) -> u32 {
    // SAFETY: the caller's promise; there is a word for each key, and a run is one lane's.
    unsafe {
        let mut index = warp.lane();
        while index < runs.length {
            let want = if known {
                Want(*update.moved.add(runs.first(index) as usize))
            } else {
                let (first, end) = runs.run(update, index);
                let want = find_want(update, first, end);
                update.moved.add(first as usize).write(want.0);
                want
            };
            let class = if want.0 == 0 {
                NO_CLASS
            } else {
                class_of(want.capacity())
            };
            runs.set_class(index, class);
            index += W::LANES;
        }
        warp.sync(W::FULL);
        runs.order_by_class(warp)
    }
}

/// Finds out what all runs want, and sums it up by class.
pub struct Demand;

impl PlainKernel for Demand {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract.
        unsafe {
            let mut runs = Runs::new(warp, &update);
            while runs.list(warp, &update) {
                order_wants(warp, &update, &runs, false);
                let mut class = warp.lane();
                while class < CLASSES {
                    let wanted = runs.of_class(class);
                    if wanted > 0 {
                        // Relaxed: a sum that a later launch reads.
                        update
                            .header(word::DEMAND + class as usize)
                            .fetch_add(u64::from(wanted), Relaxed);
                    }
                    class += W::LANES;
                }
            }
        }
    }
}

/// Has the allocator make ready what all runs want.
pub struct Provide;

impl Kernel for Provide {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        let wanted = |class: u32| {
            // SAFETY: the kernel's contract. Relaxed: written by an earlier launch.
            unsafe { update.header(word::DEMAND + class as usize).load(Relaxed) as u32 }
        };
        // A bit for each class that is wanted. All are read at once.
        let mut classes = 0;
        let mut first = 0;
        while first < CLASSES {
            classes |= warp.ballot(W::FULL, wanted(first + warp.lane()) > 0) << first;
            first += W::LANES;
        }
        // Each warp begins with another class, so that all are provided at once.
        let turn = warp.warp() % CLASSES;
        classes = classes.rotate_right(turn);
        while classes != 0 {
            let class = (leader(classes) + turn) % CLASSES;
            classes &= classes - 1;
            heap.provide(warp, 16 << class, wanted(class));
        }
    }
}

/// Requests the blocks.
pub struct Prepare;

impl Prepare {
    /// Requests the block of the run that `first` begins; returns the bytes granted.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the run's word says what it wants, which is this
    /// lane's alone.
    #[inline(always)]
    unsafe fn request<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        update: &UpdateArguments,
        first: u32,
    ) -> u64 {
        // SAFETY: the caller's promise; there is a handle and a word for each key.
        unsafe {
            let moved = update.moved.add(first as usize);
            let want = Want(*moved);
            let block = obtain_coalesced(warp, heap, want.bytes());
            if block.is_null() {
                if want.must() {
                    // Relaxed: read by later launches.
                    update.refused().fetch_max(want.bytes(), Relaxed);
                }
                *moved = 0;
                return 0;
            }
            *moved = heap.address(block).expose_provenance() as u64;
            update
                .fresh
                .cast::<A::Handle>()
                .add(first as usize)
                .write(block);
            if want.is_long() {
                let record = update.record(update.form().source(update.change(first)));
                update.add_long(first, record.degree);
            }
            heap.granted(block, want.bytes())
        }
    }
}

impl Kernel for Prepare {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract.
        unsafe {
            let mut granted = 0;
            let mut runs = Runs::new(warp, &update);
            while runs.list(warp, &update) {
                let wanted = order_wants(warp, &update, &runs, heap.properties().provides);
                let mut row = 0;
                while row < wanted {
                    let at = row + warp.lane();
                    if at < wanted {
                        granted += Self::request(warp, heap, &update, runs.ordered(at));
                    }
                    // The lanes come together before the next request, as `malloc_coalesced`
                    // wants.
                    warp.sync(W::FULL);
                    row += W::LANES;
                }
            }
            update.count_fresh(warp, granted);
        }
    }
}
