//! Adjacency into the store and out of it, as CSR.
//!
//! Entries are divided evenly among warps, whatever the degrees; each lane finds
//! the vertex of its entry by a search among those of the tile. An entry is read
//! and written once; the searches hit the cache.
//!
//! On the way out the edges are hashed. The hash is a sum of a mixed word for
//! each edge, so that it depends neither on the order in which warps come nor on
//! anything but the set of edges.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::graph::store::load::word;
use crate::graph::store::scan::owner;
use crate::kernel::{PlainKernel, Valid};
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;

arguments! {
    /// A store and a CSR form with the same degrees.
    pub struct CopyArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// `vertices` and one words: where the targets of each begin.
            offsets: u32,
            /// Targets; null when the store is only hashed.
            targets: u32,
            /// Their weights; null when the store is only hashed, and without weights.
            weights: u32,
            /// Words as `load::word` names them, 0 before the first launch.
            status: u64,
        }
        integers {
            /// Vertices of the graph.
            vertices: u32,
            /// Entries of a tile, a multiple of the lanes of a warp.
            tile: u32,
            /// Whether edges have weights.
            is_weighted: bool,
        }
    }
}

/// A copy whose contract holds.
pub type Copying = Valid<CopyArguments>;

impl Copying {
    /// The offset of a vertex, or of the end.
    ///
    /// # Safety
    ///
    /// `vertex` is at most the number of vertices.
    #[inline(always)]
    unsafe fn offset(&self, vertex: u32) -> u32 {
        // SAFETY: there is an offset for each vertex and for the end.
        unsafe { *self.offsets.add(vertex as usize) }
    }

    /// A word of the status.
    #[inline(always)]
    fn status<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::COUNT) };
        // SAFETY: the status has a word of this index, which kernels access by atomic operations
        // only.
        unsafe { &*self.status.add(INDEX).cast::<AtomicU64>() }
    }

    /// Adds the hashes of all lanes to that of the store. All lanes call this.
    #[inline(always)]
    pub fn add_hash<W: Warp>(&self, warp: W, hash: u64) {
        let hash = all_sum64(warp, hash);
        if warp.lane() == 0 && hash != 0 {
            // Relaxed: a sum that the host reads after the launch.
            self.status::<{ word::HASH }>().fetch_add(hash, Relaxed);
        }
    }

    /// Copies a neighbour of `source` and its weight out to an entry; returns the hash of the edge.
    ///
    /// # Safety
    ///
    /// There is such an entry, which is this lane's; `neighbour` lies in a row of the store, and its
    /// weight, if there is one, at `weight`.
    #[inline(always)]
    pub unsafe fn copy_out(
        &self,
        source: u32,
        neighbour: *const u32,
        weight: *const u32,
        entry: u32,
    ) -> u64 {
        let is_copied = !self.targets.is_null();
        // SAFETY: the caller's promise.
        unsafe {
            let target = *neighbour;
            if is_copied {
                *self.targets.add(entry as usize) = target;
            }
            if !self.is_weighted {
                return mix(source, target);
            }
            if is_copied {
                *self.weights.add(entry as usize) = *weight;
            }
            mix_weighted(source, target, *weight)
        }
    }

    /// Calls `visit` with each entry: its vertex, the vertex' record, its position
    /// among the vertex' neighbours and among all. Not collective.
    #[inline(always)]
    fn for_each<W: Warp>(&self, warp: W, mut visit: impl FnMut(u32, Vertex, u32, u32)) {
        // SAFETY: offsets ascend up to the number of entries, so that entries below it have owners,
        // which are vertices.
        unsafe {
            let total = self.offset(self.vertices);
            let mut tile = u64::from(warp.warp()) * u64::from(self.tile);
            while tile < u64::from(total) {
                let first = tile as u32;
                let last = u64::from(total).min(tile + u64::from(self.tile)) as u32 - 1;
                let from = owner(self.offsets, 0, self.vertices, first);
                let to = owner(self.offsets, from, self.vertices, last) + 1;
                let mut entry = first + warp.lane();
                while entry <= last {
                    let vertex = owner(self.offsets, from, to, entry);
                    let record = *self.records.add(vertex as usize);
                    visit(vertex, record, entry - self.offset(vertex), entry);
                    let Some(next) = entry.checked_add(W::LANES) else {
                        break;
                    };
                    entry = next;
                }
                tile += u64::from(warp.warps()) * u64::from(self.tile);
            }
        }
    }
}

/// Spreads an edge over 64 bits.
#[inline(always)]
pub fn mix(source: u32, target: u32) -> u64 {
    spread(u64::from(source) << 32 | u64::from(target))
}

/// The same of an edge whose weight is this word.
#[inline(always)]
pub fn mix_weighted(source: u32, target: u32, weight: u32) -> u64 {
    spread(mix(source, target).wrapping_add(weight.into()))
}

/// Spreads a word over 64 bits (the finaliser of Steele and others 2014).
#[inline(always)]
fn spread(word: u64) -> u64 {
    let mut bits = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Copies targets and weights into the blocks, and checks the targets.
pub struct CopyIn;

impl PlainKernel for CopyIn {
    type Arguments = CopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, copy: CopyArguments) {
        // SAFETY: the kernel's contract; the launch before has made blocks for these degrees.
        unsafe {
            let copy = Copying::new(copy);
            // Relaxed: written by an earlier launch.
            if copy.status::<{ word::REFUSED }>().load(Relaxed) != 0
                || copy.status::<{ word::INVALID }>().load(Relaxed) != 0
            {
                return;
            }
            let mut valid = true;
            copy.for_each(warp, |_, record, position, entry| {
                let target = *copy.targets.add(entry as usize);
                valid &= target < copy.vertices
                    && (position == 0 || *copy.targets.add(entry as usize - 1) < target);
                *record.entries().add(position as usize) = target;
                if copy.is_weighted {
                    let weight = *copy.weights.add(entry as usize);
                    *record.weights().add(position as usize) = weight;
                }
            });
            if !valid {
                // Relaxed: the host reads it after the launch.
                copy.status::<{ word::INVALID }>().store(1, Relaxed);
            }
        }
    }
}

/// Copies targets and weights out of the blocks, and hashes them.
pub struct CopyOut;

impl PlainKernel for CopyOut {
    type Arguments = CopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, copy: CopyArguments) {
        // SAFETY: the kernel's contract; the offsets were made from the records.
        unsafe {
            let copy = Copying::new(copy);
            let mut hash = 0_u64;
            copy.for_each(warp, |vertex, record, position, entry| {
                let neighbour = record.entries().add(position as usize);
                let weight = record.weights().wrapping_add(position as usize);
                hash = hash.wrapping_add(copy.copy_out(vertex, neighbour, weight, entry));
            });
            copy.add_hash(warp, hash);
        }
    }
}
