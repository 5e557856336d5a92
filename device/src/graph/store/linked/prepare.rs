//! New pages for the insertions of a batch. A deletion needs none.
//!
//! One lane acts for a chain. An insertion keeps the pages before that of its first change and
//! replaces the others by new ones, allocated, filled and linked to each other here;
//! [`commit`](super::commit) links them to the rest, or gives them back. A row that is divided, or
//! is to be, is a warp's.

use core::sync::atomic::Ordering::Relaxed;

use super::chain::{Merge, address_of, make_chains};
use super::divide::divide;
use super::page::{capacity, page_bytes, pages};
use super::row::{Directory, Place, is_divided};
use super::sections::{ChangedChain, SectionRuns, fits, for_each_chain};
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::runs::Runs;
use crate::graph::store::update::{Class, Update, UpdateArguments};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Neighbours of a chain on pages that insertions of a run leave as they are.
#[inline(always)]
pub fn kept<A: Blocks + ?Sized>(changes: &Changes, run: Run) -> u32 {
    Place::of(changes, run.first()).position() / capacity::<A>() * capacity::<A>()
}

/// Sums up the pages that insertions need, for an allocator that makes them ready ahead.
pub struct LinkedDemand;

impl Kernel for LinkedDemand {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, _heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Compact` has run.
        let changes = unsafe { Changes::new(Update::new(update)) };
        // SAFETY: nothing else in this kernel uses scratch memory.
        let mut runs = unsafe { Runs::new(warp, &changes) };
        let mut wanted = 0_u32;
        while runs.list() {
            let mut index = warp.lane();
            while let Some(listed) = runs.get(index) {
                let run = listed.run();
                let record = changes.record(changes.source(run.first()));
                wanted += if is_divided(&record) {
                    // About a page for each change.
                    run.length()
                } else {
                    pages::<A>(record.degree - kept::<A>(&changes, run) + run.length())
                };
                index += W::LANES;
            }
        }
        let wanted = warp.all_sum(wanted);
        if warp.lane() == 0 && wanted > 0 {
            // Relaxed: a sum that a later launch reads.
            let demand = changes.demand(Class::of(page_bytes(changes.is_weighted())));
            demand.fetch_add(u64::from(wanted), Relaxed);
        }
    }
}

/// Allocates and fills the pages that insertions need.
pub struct LinkedPrepare;

impl LinkedPrepare {
    /// Makes new pages for each lane's chain and its changes, and writes down where they are.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call. The changes are insertions that fit the chain, and are
    /// this lane's; no thread writes to the chain meanwhile.
    #[inline(always)]
    unsafe fn extend<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        changes: &Changes,
        chain: Option<ChangedChain>,
        fresh_bytes: &mut u64,
    ) {
        // SAFETY: such a chain; there is a word and a handle for each change.
        unsafe {
            let merge = chain.map_or(Merge::NONE, |chain| {
                let kept = kept::<A>(changes, chain.run);
                Merge::from(chain.record(changes), kept, chain.run)
            });
            let head = make_chains(warp, heap, changes, merge, fresh_bytes);
            if let Some(chain) = chain {
                let first = chain.run.first();
                changes.fresh::<A::Handle>(first).write(head);
                changes.moved(first).write(address_of(heap, head));
            }
        }
    }
}

impl Kernel for LinkedPrepare {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; there is a word and a handle for each key, a run is
        // one lane's or one warp's, and no thread writes to rows in this launch.
        unsafe {
            let changes = Changes::new(Update::new(update));
            let (mut extended, mut divided) = (0, 0);
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let mut row = 0;
                while row < runs.length() {
                    let run = runs.of_lane(row);
                    let is_hub = run.is_some_and(|run| {
                        let record = changes.record(changes.source(run.first()));
                        is_divided(&record) || !fits::<A>(&record, run.length())
                    });
                    let hub = |run: Run| {
                        let record = changes.record(changes.source(run.first()));
                        let sections = SectionRuns::new(&changes, run);
                        let directory = Directory::of(&record)
                            .filter(|&directory| !sections.overflow::<W, A>(warp, directory));
                        if directory.is_none() {
                            divide(warp, heap, &changes, (record, run), &mut divided);
                        }
                        directory
                    };
                    for_each_chain(warp, &changes, run, is_hub, hub, |chain| {
                        Self::extend(warp, heap, &changes, chain, &mut extended);
                    });
                    row += W::LANES;
                }
            }
            changes.count_fresh(warp, extended + divided);
        }
    }
}
