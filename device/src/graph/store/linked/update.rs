//! Updates of linked adjacency; see `update` for the steps of a batch.
//!
//! One lane acts for a vertex. An insertion keeps the pages before that of its
//! first change and replaces the others by new ones, which `LinkedPrepare`
//! allocates, fills and links to each other; `LinkedCommit` links them to the
//! rest, or gives them back. A deletion needs no memory and is made in
//! `LinkedCommit` alone.

use core::sync::atomic::Ordering::Relaxed;

use super::page::{Cursor, PAGE_BYTES, capacity, entries, first, link, pages, skip};
use super::read::search;
use crate::allocator::Handle;
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::classify::classify;
use crate::graph::store::runs::Runs;
use crate::graph::store::update::{Class, Update, UpdateArguments};
use crate::graph::store::{Vertex, obtain_coalesced};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Finds out what each key does, and counts.
pub struct LinkedClassify;

impl Kernel for LinkedClassify {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; a record of the store has a chain with its
        // neighbours, and no thread writes to chains in this launch.
        unsafe {
            let update = Update::new(update);
            classify(warp, &update, |record, target| search(heap, record, target));
        }
    }
}

/// Frees the chain of each lane from `handle` on; null is an empty one. The lanes come together
/// for each page, as [`DeviceHeap::free_coalesced`] wants.
///
/// # Safety
///
/// All lanes of the warp make the call, and no other thread uses the pages, now or later.
#[inline(always)]
pub unsafe fn free_chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    mut handle: A::Handle,
) {
    while warp.ballot(W::FULL, !handle.is_null()) != 0 {
        if !handle.is_null() {
            // SAFETY: the pages are this lane's; the link is read before its page goes.
            unsafe {
                let next = *link::<A>(heap.address(handle));
                heap.free_coalesced(warp, handle);
                handle = next;
            }
        }
    }
}

/// Sums up the pages that insertions need, for an allocator that makes them ready ahead.
pub struct LinkedDemand;

impl Kernel for LinkedDemand {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, _heap: &A, update: UpdateArguments) {
        if update.deletes() {
            return;
        }
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
                let kept = changes.position(run.first()) / capacity::<A>() * capacity::<A>();
                wanted += pages::<A>(record.degree - kept + run.length());
                index += W::LANES;
            }
        }
        let wanted = warp.all_sum(wanted);
        if warp.lane() == 0 && wanted > 0 {
            // Relaxed: a sum that a later launch reads.
            let demand = changes.demand(Class::of(PAGE_BYTES as u32 / 4));
            demand.fetch_add(u64::from(wanted), Relaxed);
        }
    }
}

/// Allocates and fills the pages that insertions need.
pub struct LinkedPrepare;

impl LinkedPrepare {
    /// The new pages for each lane's run of changes, linked, merged with the
    /// neighbours that they displace; null if one was refused, or for no run. Counts them.
    ///
    /// The lanes come together for each page, as [`DeviceHeap::malloc_coalesced`] wants.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call. A run is one of the changes of an insertion, and
    /// no thread writes to the chain of its vertex meanwhile.
    #[inline(always)]
    unsafe fn tails<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        changes: &Changes,
        run: Option<Run>,
        fresh_pages: &mut u64,
    ) -> A::Handle {
        let (mut next, end) = run.map_or((0, 0), |run| (run.first().index(), run.end()));
        let (mut record, mut index) = (Vertex::default(), 0);
        if let Some(run) = run {
            record = changes.record(changes.source(run.first()));
            index = changes.position(run.first()) / capacity::<A>() * capacity::<A>();
        }
        // SAFETY: the chain has `degree` neighbours, and new pages are this lane's.
        unsafe {
            let mut old = if index < record.degree {
                Cursor::new(heap, first(&record), index)
            } else {
                Cursor::new(heap, core::ptr::null_mut(), 0)
            };
            let (mut head, mut last) = (A::Handle::NULL, core::ptr::null_mut());
            let mut is_refused = false;
            loop {
                let wants = !is_refused && (index < record.degree || next < end);
                if warp.ballot(W::FULL, wants) == 0 {
                    break;
                }
                if !wants {
                    continue;
                }
                let fresh = obtain_coalesced(warp, heap, PAGE_BYTES);
                if fresh.is_null() {
                    is_refused = true;
                    continue;
                }
                *fresh_pages += 1;
                let page = heap.address(fresh);
                *link::<A>(page) = A::Handle::NULL;
                if head.is_null() {
                    head = fresh;
                } else {
                    *link::<A>(last) = fresh;
                }
                last = page;
                let mut position = 0;
                while position < capacity::<A>() && (index < record.degree || next < end) {
                    let change = run.and_then(|run| run.get(next));
                    let value = match change.filter(|&change| changes.position(change) == index) {
                        Some(change) => {
                            next += 1;
                            changes.target(change).number()
                        }
                        None => {
                            index += 1;
                            *old.next()
                        }
                    };
                    *entries::<A>(page).add(position as usize) = value;
                    position += 1;
                }
            }
            let refused = if is_refused { head } else { A::Handle::NULL };
            free_chains(warp, heap, refused);
            if is_refused { A::Handle::NULL } else { head }
        }
    }
}

impl Kernel for LinkedPrepare {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; there is a word and a handle for each key, a run is
        // one lane's, and no thread writes to chains in this launch.
        unsafe {
            if update.deletes() {
                return;
            }
            let changes = Changes::new(Update::new(update));
            let mut fresh_pages = 0;
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let mut row = 0;
                while row < runs.length() {
                    let run = runs.of_lane(row);
                    let head = Self::tails(warp, heap, &changes, run, &mut fresh_pages);
                    if let Some(run) = run {
                        changes.fresh::<A::Handle>(run.first()).write(head);
                        let mut address = 0;
                        if head.is_null() {
                            // Relaxed: read by later launches.
                            changes.refused().fetch_max(PAGE_BYTES, Relaxed);
                        } else {
                            address = heap.address(head).expose_provenance() as u64;
                        }
                        changes.moved(run.first()).write(address);
                    }
                    row += W::LANES;
                }
            }
            changes.count_fresh(warp, fresh_pages * PAGE_BYTES);
        }
    }
}

/// Switches over, or gives the new pages back.
pub struct LinkedCommit;

impl LinkedCommit {
    /// Replaces the pages of a vertex from number `kept` on by the chain that
    /// `head` begins, at `address`; returns what was replaced.
    ///
    /// # Safety
    ///
    /// `record` and `handle` are those of a vertex whose chain has `kept` pages at least. That
    /// chain and the one from `head` on are this lane's.
    #[inline(always)]
    unsafe fn replace<A: Blocks + ?Sized>(
        heap: &A,
        record: &mut Vertex,
        handle: &mut A::Handle,
        kept: u32,
        (head, address): (A::Handle, u64),
    ) -> A::Handle {
        // SAFETY: the chain has a page before number `kept`, whose link is this lane's.
        unsafe {
            if kept == 0 {
                let old = *handle;
                *handle = head;
                record.address = address;
                old
            } else {
                let page = skip(heap, first(record), kept - 1);
                let old = *link::<A>(page);
                *link::<A>(page) = head;
                old
            }
        }
    }

    /// Closes up the neighbours over the changes of a run.
    ///
    /// # Safety
    ///
    /// The run is one of a deletion, and `record` is that of its vertex, whose chain is this lane's.
    #[inline(always)]
    unsafe fn close_up<A: Blocks + ?Sized>(heap: &A, changes: &Changes, record: &Vertex, run: Run) {
        let mut index = changes.position(run.first());
        // SAFETY: the chain has `degree` neighbours; what is written lies before what is read.
        unsafe {
            let mut from = Cursor::new(heap, first(record), index);
            let mut to = from;
            let mut next = run.first().index();
            while index < record.degree {
                let value = *from.next();
                if (run.get(next)).is_some_and(|change| changes.position(change) == index) {
                    next += 1;
                } else {
                    *to.next() = value;
                }
                index += 1;
            }
        }
    }

    /// Ends a run of changes; returns the pages that its vertex has left.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, for which `LinkedPrepare` has run, and
    /// this lane alone accesses what belongs to the run and to its vertex.
    #[inline(always)]
    unsafe fn end_run<A: Blocks + ?Sized>(heap: &A, changes: &Changes, run: Run) -> A::Handle {
        let vertex = changes.source(run.first());
        let mut record = changes.record(vertex);
        let degree = changes.new_degree(record.degree, run.length());
        // SAFETY: the chain has the pages that the degree and the positions of the changes say, and
        // is this lane's, as the handle and the word of the run.
        unsafe {
            let handle = &mut *changes.handles.cast::<A::Handle>().add(vertex.index());
            let chain = if changes.deletes() {
                Self::close_up(heap, changes, &record, run);
                (A::Handle::NULL, 0)
            } else {
                (*changes.fresh(run.first()), *changes.moved(run.first()))
            };
            let kept = if changes.deletes() {
                pages::<A>(degree)
            } else {
                changes.position(run.first()) / capacity::<A>()
            };
            let old = Self::replace(heap, &mut record, handle, kept, chain);
            record.degree = degree;
            record.capacity = pages::<A>(degree) * capacity::<A>();
            changes.set_record(vertex, record);
            old
        }
    }
}

impl Kernel for LinkedCommit {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `LinkedPrepare` wrote the words of each run of an
        // insertion; a run is one lane's, and so are its pages and its vertex.
        unsafe {
            let update = Update::new(update);
            // Relaxed: written by an earlier launch.
            let refused = update.refused().load(Relaxed) != 0;
            let changes = Changes::new(update);
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let mut row = 0;
                while row < runs.length() {
                    let mut old = A::Handle::NULL;
                    if let Some(run) = runs.of_lane(row) {
                        if !refused {
                            old = Self::end_run(heap, &changes, run);
                        } else if !changes.deletes() {
                            old = *changes.fresh(run.first());
                        }
                    }
                    free_chains(warp, heap, old);
                    row += W::LANES;
                }
            }
        }
    }
}
