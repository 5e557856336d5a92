//! The triangles that a batch makes or destroys.
//!
//! They are those of the graph with the changed edges (after an insertion is
//! committed, or before a deletion is) that have such an edge. Each is counted
//! for the least of its changed edges: the common neighbours of a change's ends
//! are found as in `triangles`, and passed over if another edge of the triangle
//! is a lesser change. Of linked pages it is copies that are read: see `copies`.

pub mod copies;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

use core::sync::atomic::Ordering::Relaxed;

use crate::graph::store::Vertex;
use crate::graph::store::changes::Changes;
use crate::graph::store::update::{Update, UpdateArguments, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;
use crate::simt::segments::Segments;

/// Counts them; in undirected graphs, from contiguous blocks or copies.
pub struct DeltaTriangles;

impl DeltaTriangles {
    /// Whether the edge between two vertices is a change below `key`, which is
    /// that of an edge from its lower end.
    ///
    /// # Safety
    ///
    /// `key` is that of a change.
    #[inline(always)]
    unsafe fn is_lesser_change(changes: &Changes, one: u32, other: u32, key: u64) -> bool {
        let form = changes.form();
        let edge = if one < other {
            form.key(one, other)
        } else {
            form.key(other, one)
        };
        // SAFETY: there is a change from `edge` on, that of `key`.
        edge < key && unsafe { changes.key(changes.lower_bound(edge)) == edge }
    }

    /// The triangles of changes, one a lane; `key` is that of an edge from its
    /// lower end. Lanes without one pass records without neighbours.
    ///
    /// # Safety
    ///
    /// The records are those of the arguments or without neighbours, and `key` is that of a change
    /// where they have some.
    #[inline(always)]
    unsafe fn of_changes<W: Warp>(
        warp: W,
        changes: &Changes,
        key: u64,
        (one, other): (Vertex, Vertex),
    ) -> u64 {
        // SAFETY: positions are below the degree, and address and degree of what is searched are
        // those of one record.
        unsafe {
            let (short, long) = if one.degree < other.degree {
                (one, other)
            } else {
                (other, one)
            };
            let form = changes.form();
            let segments = Segments::new(warp, short.degree);
            let mut found = 0;
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, position) = segments.locate(warp, item);
                let key = warp.shuffle64(W::FULL, key, owner);
                let read = Vertex {
                    address: warp.shuffle64(W::FULL, short.address, owner),
                    degree: 0,
                    capacity: 0,
                };
                let searched = Vertex {
                    address: warp.shuffle64(W::FULL, long.address, owner),
                    degree: warp.shuffle(W::FULL, long.degree, owner),
                    capacity: 0,
                };
                if item < segments.total {
                    let third = *read.entries().add(position as usize);
                    let (low, high) = (form.source(key), form.target(key));
                    if third != low
                        && third != high
                        && searched.search(third).1
                        && !Self::is_lesser_change(changes, low, third, key)
                        && !Self::is_lesser_change(changes, high, third, key)
                    {
                        found += 1;
                    }
                }
                base += W::LANES;
            }
            found
        }
    }
}

impl PlainKernel for DeltaTriangles {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; nothing changes in this launch.
        unsafe {
            let update = Update::new(update);
            // Relaxed, here and below: written by an earlier launch, or read by the
            // host after this one.
            if update.refused().load(Relaxed) != 0 {
                return;
            }
            let changes = Changes::new(update);
            let mut found = 0;
            let mut row = warp.warp() * W::LANES;
            while row < changes.count() {
                let mut key = 0;
                let mut ends = (Vertex::default(), Vertex::default());
                if let Some(change) = changes.get(row + warp.lane()) {
                    key = changes.key(change);
                    let (source, target) = (changes.source(change), changes.target(change));
                    // Of the two directions of an edge, one.
                    if source < target {
                        ends = (changes.record(source), changes.record(target));
                    }
                }
                found += Self::of_changes(warp, &changes, key, ends);
                row += warp.threads();
            }
            let found = all_sum64(warp, found);
            if warp.lane() == 0 && found > 0 {
                let triangles = update.header::<{ word::TRIANGLES }>();
                triangles.fetch_add(found, Relaxed);
            }
        }
    }
}
