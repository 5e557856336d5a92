//! Switching over to what a batch has prepared, or giving it back. A deletion closes up the chains
//! that it changes, and is made here alone.

use core::sync::atomic::Ordering::Relaxed;

use super::chain::{address_of, copy_entry, free_chains, free_row};
use super::divide::DIVIDES;
use super::page::{Cursor, capacity, first, link, pages, skip};
use super::prepare::kept;
use super::row::{Directory, Place, Section, chain_record, is_divided};
use super::sections::{ChangedChain, SectionRuns, for_each_chain};
use crate::allocator::Handle;
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::Vertex;
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::runs::Runs;
use crate::graph::store::update::{Update, UpdateArguments};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// A chain: its record, and the handle of its first page.
#[derive(Clone, Copy)]
struct Chain<H> {
    record: Vertex,
    handle: H,
}

impl<H: Handle> Chain<H> {
    /// Replaces the pages from number `pages` on by those that `new` begins; returns what was
    /// replaced.
    ///
    /// # Safety
    ///
    /// The chain has `pages` pages at least. It and the pages from `new` on are this lane's.
    #[inline(always)]
    unsafe fn replace<A>(&mut self, heap: &A, pages: u32, new: H) -> H
    where
        A: Blocks<Handle = H> + ?Sized,
    {
        if pages == 0 {
            self.record.address = address_of(heap, new);
            return core::mem::replace(&mut self.handle, new);
        }
        // SAFETY: the chain has a page before number `pages`, whose link is this lane's.
        unsafe {
            let page = skip(heap, first(&self.record), pages - 1);
            core::mem::replace(&mut *link::<A>(page), new)
        }
    }

    /// Closes up the neighbours over the changes of a run.
    ///
    /// # Safety
    ///
    /// The run is one of a deletion from this chain, which is this lane's.
    #[inline(always)]
    unsafe fn close_up<A>(&self, heap: &A, changes: &Changes, run: Run)
    where
        A: Blocks<Handle = H> + ?Sized,
    {
        let mut index = Place::of(changes, run.first()).position();
        // SAFETY: the chain has `degree` neighbours; what is written lies before what is read.
        unsafe {
            let mut from = Cursor::new(heap, first(&self.record), index);
            let mut to = from;
            let mut next = run.first().index();
            while index < self.record.degree {
                let entry = from.next();
                let change = run.get(next);
                if change.is_some_and(|change| Place::of(changes, change).position() == index) {
                    next += 1;
                } else {
                    copy_entry(entry, to.next(), changes.is_weighted());
                }
                index += 1;
            }
        }
    }

    /// Makes the changes of a run; returns the pages that the chain has left.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, for which `LinkedPrepare` has run, and
    /// this lane alone accesses what belongs to the run and the chain.
    #[inline(always)]
    unsafe fn change<A>(&mut self, heap: &A, changes: &Changes, run: Run) -> H
    where
        A: Blocks<Handle = H> + ?Sized,
    {
        let degree = changes.new_degree(self.record.degree, run.length());
        // SAFETY: the chain has the pages that the degree and the positions of the changes say.
        unsafe {
            let (kept, new) = if changes.deletes() {
                self.close_up(heap, changes, run);
                (pages::<A>(degree), H::NULL)
            } else {
                let kept = kept::<A>(changes, run) / capacity::<A>();
                (kept, *changes.fresh(run.first()))
            };
            let old = self.replace(heap, kept, new);
            self.record = chain_record::<A>(self.record.address, degree);
            old
        }
    }
}

/// Chains of a hub that are freed, with the directory behind them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freed {
    /// All.
    All,
    /// Those of sections that the batch has made.
    New,
    /// Those of sections that the batch changes.
    Changed,
}

/// Switches over, or gives back what was made for the batch.
pub struct LinkedCommit;

impl LinkedCommit {
    /// The word of a run: 0 in a deletion, for which nothing was prepared.
    ///
    /// # Safety
    ///
    /// `LinkedPrepare` has run for an insertion.
    #[inline(always)]
    unsafe fn word(changes: &Changes, run: Run) -> u64 {
        if changes.deletes() {
            0
        } else {
            // SAFETY: it has written the word of each run.
            unsafe { *changes.moved(run.first()) }
        }
    }

    /// Ends the changes of each lane's chain.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call. The chain, its changes and what was prepared for them
    /// are this lane's, and `LinkedPrepare` has run for an insertion.
    #[inline(always)]
    unsafe fn end_chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        changes: &Changes,
        changed: Option<ChangedChain>,
        refused: bool,
    ) {
        let mut old = A::Handle::NULL;
        // SAFETY: the record and the handle are those of the chain.
        unsafe {
            if let Some(changed) = changed {
                let run = changed.run;
                if !refused {
                    let vertex = changes.source(run.first());
                    let record = changed.record(changes);
                    let handle = match changed.section {
                        Some((directory, index)) => (*directory.section(index)).handle(),
                        None => *changes.handle(vertex),
                    };
                    let mut chain = Chain { record, handle };
                    old = chain.change(heap, changes, run);
                    match changed.section {
                        Some((directory, index)) => {
                            let section = directory.section(index);
                            (*section).chain = chain.record;
                            (*section).handle = chain.handle.to_bits();
                        }
                        None => {
                            changes.set_record(vertex, chain.record);
                            *changes.handle(vertex) = chain.handle;
                        }
                    }
                } else if !changes.deletes() {
                    old = *changes.fresh(run.first());
                }
            }
            free_chains(warp, heap, old);
        }
    }

    /// Ends the run of a hub; returns its directory if the changes of its sections are to be ended.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call, with the same run. The row and what was prepared for
    /// it are this warp's, and `LinkedPrepare` has run for an insertion.
    #[inline(always)]
    unsafe fn end_hub<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        changes: &Changes,
        run: Run,
        refused: bool,
    ) -> Option<Directory> {
        // SAFETY: the word of a division has the address of its directory, and a hub whose row is
        // not divided anew has a directory.
        unsafe {
            let vertex = changes.source(run.first());
            let (record, handle) = (changes.record(vertex), changes.handle::<A::Handle>(vertex));
            let (mut row, mut block) = (record, *handle);
            let degree = changes.new_degree(record.degree, run.length());
            let word = Self::word(changes, run);
            let mut after = Vertex::default();
            let freed = if word & DIVIDES != 0 {
                if word == DIVIDES {
                    // The directory was refused.
                    return None;
                }
                after = Directory::new(word & !DIVIDES).record(degree);
                if refused {
                    (row, block) = (after, *changes.fresh(run.first()));
                    Freed::New
                } else {
                    Freed::Changed
                }
            } else {
                let directory = Directory::of(&record);
                if !refused && degree > 0 {
                    // All have read the record.
                    warp.sync(W::FULL);
                    if warp.lane() == 0 {
                        (*changes.record_of(vertex)).degree = degree;
                    }
                }
                if refused || degree > 0 {
                    return directory;
                }
                Freed::All
            };
            let sections = SectionRuns::new(changes, run);
            let is_freed = |index: u32, section: &Section| match freed {
                Freed::All => true,
                Freed::New => section.is_new != 0,
                Freed::Changed => sections.has_changes(index),
            };
            free_row(warp, heap, Directory::of(&row), (0, block), is_freed);
            if !refused && warp.lane() == 0 {
                *handle = if freed == Freed::All {
                    A::Handle::NULL
                } else {
                    *changes.fresh(run.first())
                };
                changes.set_record(vertex, after);
            }
            None
        }
    }
}

impl Kernel for LinkedCommit {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `LinkedPrepare` wrote the words of each run of an
        // insertion; a run is one lane's or one warp's, and so are its pages and its vertex.
        unsafe {
            let update = Update::new(update);
            // Relaxed: written by an earlier launch.
            let refused = update.refused().load(Relaxed) != 0;
            let changes = Changes::new(update);
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let mut row = 0;
                while row < runs.length() {
                    let run = runs.of_lane(row);
                    let is_hub = run.is_some_and(|run| {
                        Self::word(&changes, run) & DIVIDES != 0
                            || is_divided(&changes.record(changes.source(run.first())))
                    });
                    let hub = |run| Self::end_hub(warp, heap, &changes, run, refused);
                    for_each_chain(warp, &changes, run, is_hub, hub, |chain| {
                        Self::end_chains(warp, heap, &changes, chain, refused);
                    });
                    row += W::LANES;
                }
            }
        }
    }
}
