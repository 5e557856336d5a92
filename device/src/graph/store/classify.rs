//! Which keys of a sorted batch change the store, and where.
//!
//! One lane a key searches the adjacency of its source, so that the work is
//! spread evenly however skewed the batch. `Classify` reads 8 bytes a key, a
//! record and the sectors that a binary search touches (one or two for a vertex
//! of average degree), and writes 4 bytes; `Compact` reads 12 bytes a key and
//! writes 12 for each change.
//!
//! Of an edge that is there with another weight, only the weight changes, which is none of the
//! changes below.
//!
//! After `Compact` the changes are sorted, differ from each other, and each of
//! them is an edge that the store lacks (has, if edges are deleted).

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::graph::store::scan::sum_before;
use crate::graph::store::update::{NO_POSITION, Update, UpdateArguments, word};
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::PlainKernel;
use crate::simt::reduce::has;
use crate::simt::{Warp, rank};

/// The effect of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Changes the store.
    Change,
    /// Is there already.
    Duplicate,
    /// Is there with another weight.
    Reweighted,
    /// Is not there to be deleted.
    Missing,
    /// Cannot be there.
    Rejected,
}

impl Update {
    /// Key `index`.
    ///
    /// # Safety
    ///
    /// `index` is below the number of keys.
    #[inline(always)]
    pub unsafe fn key(&self, index: u32) -> u64 {
        // SAFETY: below the number of keys.
        unsafe { *self.keys.add(index as usize) }
    }

    /// The effect of key `index`, where it belongs, and whether its edge is
    /// counted for it.
    ///
    /// # Safety
    ///
    /// `index` is below the number of keys.
    #[inline(always)]
    unsafe fn verdict(
        &self,
        index: u32,
        search: impl Fn(&Vertex, u32) -> (u32, bool),
        weight: impl Fn(&Vertex, u32) -> u32,
    ) -> (Verdict, u32, bool) {
        let form = self.form();
        // SAFETY: below the number of keys.
        let key = unsafe { self.key(index) };
        let (source, target) = (form.source(key), form.target(key));
        let counts = form.counts(source, target);
        if source == self.vertices {
            return (Verdict::Rejected, NO_POSITION, counts);
        }
        // SAFETY: a key whose source is not the number of vertices has ends that exist.
        let (from, to) = unsafe { (VertexId::new(source), VertexId::new(target)) };
        if self.absent() > 0 && (self.record(from).is_absent() || self.record(to).is_absent()) {
            return (Verdict::Rejected, NO_POSITION, counts);
        }
        // SAFETY: below `index`.
        if index > 0 && unsafe { self.key(index - 1) } == key {
            return (Verdict::Duplicate, NO_POSITION, counts);
        }
        let record = self.record(from);
        let (position, found) = search(&record, target);
        match (found, self.deletes()) {
            (true, false) => {
                // SAFETY: there is a word for each key of a weighted graph.
                let keeps = !self.is_weighted()
                    || unsafe { self.weight(index) } == weight(&record, position);
                let verdict = if keeps {
                    Verdict::Duplicate
                } else {
                    Verdict::Reweighted
                };
                (verdict, NO_POSITION, counts)
            }
            (false, true) => (Verdict::Missing, NO_POSITION, counts),
            _ => (Verdict::Change, position, counts),
        }
    }
}

/// Finds out what each key does, and counts. `search` tells where a target
/// belongs among the neighbours of a vertex, and whether it is there; `weight` the weight of the
/// neighbour there. All lanes call this.
///
/// # Safety
///
/// The launch is that of `Classify`: no other lane writes the words that this one writes.
#[inline(always)]
pub unsafe fn classify<W: Warp>(
    warp: W,
    update: &Update,
    search: impl Fn(&Vertex, u32) -> (u32, bool),
    weight: impl Fn(&Vertex, u32) -> u32,
) {
    // SAFETY: there is a word for each key and each tile, and a tile is one warp's.
    unsafe {
        let (mut applied, mut duplicates, mut missing, mut rejected) = (0, 0, 0, 0);
        let mut reweighted = 0;
        let mut tile = warp.warp();
        while tile < update.tiles {
            let mut changes = 0;
            let mut row = 0;
            while row < update.tile {
                let index = tile * update.tile + row + warp.lane();
                let (mut verdict, mut counts) = (Verdict::Missing, false);
                if index < update.count {
                    let position;
                    (verdict, position, counts) = update.verdict(index, &search, &weight);
                    update.key_positions.add(index as usize).write(position);
                }
                let lanes = |wanted| {
                    let counted = warp.ballot(W::FULL, counts & (verdict == wanted));
                    u64::from(counted.count_ones())
                };
                applied += lanes(Verdict::Change);
                duplicates += lanes(Verdict::Duplicate);
                missing += lanes(Verdict::Missing);
                rejected += lanes(Verdict::Rejected);
                if update.is_weighted() {
                    reweighted += lanes(Verdict::Reweighted);
                }
                let changed = warp.ballot(W::FULL, verdict == Verdict::Change);
                changes += changed.count_ones();
                row += W::LANES;
            }
            if warp.lane() == 0 {
                update.sums.add(tile as usize).write(changes);
            }
            tile += warp.warps();
        }
        if warp.lane() == 0 {
            // Relaxed: sums that the host reads after the launch. One addition
            // a warp, and none of what did not occur.
            let add = |word: &AtomicU64, value: u64| {
                if value > 0 {
                    word.fetch_add(value, Relaxed);
                }
            };
            add(update.header::<{ word::APPLIED }>(), applied);
            add(update.header::<{ word::DUPLICATES }>(), duplicates);
            add(update.header::<{ word::MISSING }>(), missing);
            add(update.header::<{ word::REJECTED }>(), rejected);
            add(update.header::<{ word::REWEIGHTED }>(), reweighted);
        }
    }
}

/// Finds out what each key does.
pub struct Classify;

impl PlainKernel for Classify {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; a record of the store has a block with its
        // neighbours, and no thread writes to blocks in this launch.
        unsafe {
            let update = Update::new(update);
            let weight = |record: &Vertex, position| *record.weights().add(position as usize);
            classify(
                warp,
                &update,
                |record, target| record.search(target),
                weight,
            );
        }
    }
}

/// Leaves out the keys that change nothing.
pub struct Compact;

impl PlainKernel for Compact {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; the launch before has written the sums, there is a
        // word for each key, and there are no more changes than keys.
        unsafe {
            let update = Update::new(update);
            let mut tile = warp.warp();
            while tile < update.tiles {
                let mut next = sum_before(warp, update.sums, tile);
                let mut row = 0;
                while row < update.tile {
                    let index = tile * update.tile + row + warp.lane();
                    let mut position = NO_POSITION;
                    if index < update.count {
                        position = *update.key_positions.add(index as usize);
                    }
                    let changed = warp.ballot(W::FULL, position != NO_POSITION);
                    if has(changed, warp.lane()) {
                        let at = (next + rank(changed, warp.lane())) as usize;
                        update.changes.add(at).write(update.key(index));
                        update.positions.add(at).write(position);
                    }
                    next += changed.count_ones();
                    row += W::LANES;
                }
                if tile + 1 == update.tiles && warp.lane() == 0 {
                    // Relaxed: read by later launches.
                    let changes = update.header::<{ word::CHANGES }>();
                    changes.store(u64::from(next), Relaxed);
                }
                tile += warp.warps();
            }
        }
    }
}
