//! New blocks for the vertices whose blocks do not fit any more.
//!
//! One lane a run of changes requests a block. The lanes of a warp request blocks of one
//! class together (`Runs`). Nothing of the store is changed. A refused request is recorded
//! if the vertex cannot do without, which makes `Commit` give up the batch.
//!
//! Until its block is granted, a run's word in `moved` says what it wants (`Want`).
//!
//! Where an allocator makes memory ready ahead ([`Allocator::PROVIDES`]), two launches come
//! before the requests: [`Demand`] finds out what all runs want, and
//! [`Provide`](crate::graph::store::provide::Provide) passes the sums on.
//!
//! [`Allocator::PROVIDES`]: crate::allocator::Allocator::PROVIDES

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::changes::{Change, Changes, Run};
use crate::graph::store::contiguous::long::LONG;
use crate::graph::store::runs::{Ordered, Runs};
use crate::graph::store::update::{Class, LARGE, Update, UpdateArguments};
use crate::graph::store::{Vertex, block_bytes, capacity_for, capacity_of, obtain_coalesced};
use crate::kernel::{Kernel, PlainKernel};
use crate::simt::Warp;

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
    fn must(self) -> bool {
        self.0 & 2 != 0
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The need of a run of changes, and the class of its size.
#[inline(always)]
fn find_want(changes: &Changes, run: Run) -> Want {
    let record = changes.record(changes.source(run.first()));
    let degree = changes.new_degree(record.degree, run.length());
    let need = need(changes, &record, degree);
    if need == Need::Nothing {
        return Want(0);
    }
    let is_long = record.degree >= LONG;
    Want::new(capacity_for(degree), need == Need::Block, is_long)
}

/// Writes the wants of all runs of a list, or reads them if they are `known`; returns those that
/// want a block, ordered by class. All lanes call this.
///
/// # Safety
///
/// The words of the runs are written if they are known, and no other warp accesses them in this
/// launch.
#[inline(always)]
unsafe fn order_wants<'a, W: Warp>(
    changes: &Changes,
    runs: &'a mut Runs<'_, W>,
    known: bool,
) -> Ordered<'a, W> {
    runs.order_by_class(|listed| {
        let want = if known {
            // SAFETY: a known want has been written by an earlier launch.
            Want(unsafe { *changes.moved(listed.first()) })
        } else {
            let run = listed.run();
            let want = find_want(changes, run);
            // SAFETY: a run is of one warp, and there of one lane.
            unsafe { changes.moved(run.first()).write(want.0) };
            want
        };
        (want.0 != 0).then(|| Class::of(block_bytes(want.capacity(), changes.is_weighted())))
    })
}

/// Finds out what all runs want, and sums it up by class.
pub struct Demand;

impl PlainKernel for Demand {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Compact` has run.
        unsafe {
            let changes = Changes::new(Update::new(update));
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let wants = order_wants(&changes, &mut runs, false);
                let mut index = warp.lane();
                while let Some(class) = Class::new(index) {
                    let wanted = wants.of_class(class);
                    if wanted > 0 {
                        // Relaxed: a sum that a later launch reads.
                        let demand = changes.demand(class);
                        demand.fetch_add(u64::from(wanted), Relaxed);
                    }
                    index += W::LANES;
                }
            }
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
    /// The run's word says what it wants, and is this lane's alone.
    #[inline(always)]
    unsafe fn request<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        changes: &Changes,
        first: Change,
    ) -> u64 {
        // SAFETY: the word and the handle of the run are this lane's; the block is one that it was
        // just granted.
        unsafe {
            let moved = changes.moved(first);
            let want = Want(*moved);
            let bytes = block_bytes(want.capacity(), changes.is_weighted());
            let block = obtain_coalesced(warp, heap, bytes);
            if block.is_null() {
                if want.must() {
                    // Relaxed: read by later launches.
                    changes.refused().fetch_max(bytes, Relaxed);
                }
                *moved = 0;
                return 0;
            }
            *moved = heap.address(block).expose_provenance() as u64;
            changes.fresh::<A::Handle>(first).write(block);
            let capacity = capacity_of(heap.usable(block, bytes), changes.is_weighted());
            changes.fresh_capacity(first).write(capacity);
            if want.is_long() {
                let record = changes.record(changes.source(first));
                changes.add_long(first, record.degree);
            }
            heap.granted(block, bytes)
        }
    }
}

impl Kernel for Prepare {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Compact` has run, and `Demand` where the allocator
        // provides; a run is one lane's.
        unsafe {
            let changes = Changes::new(Update::new(update));
            let mut granted = 0;
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let wanted = order_wants(&changes, &mut runs, heap.properties().provides);
                let mut row = 0;
                while row < wanted.length() {
                    if let Some(first) = wanted.get(row + warp.lane()) {
                        granted += Self::request(warp, heap, &changes, first);
                    }
                    // The lanes come together before the next request, as `malloc_coalesced`
                    // wants.
                    warp.sync(W::FULL);
                    row += W::LANES;
                }
            }
            changes.count_fresh(warp, granted);
        }
    }
}
