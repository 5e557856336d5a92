//! New blocks for the vertices whose blocks do not fit any more.
//!
//! One lane a run of changes requests a block, each for itself: what the lanes of a
//! warp want together is seldom free in one piece once a graph has lived a while.
//! Nothing of the store is changed. A refused request is recorded
//! if the vertex cannot do without, which makes `Commit` give up the batch.

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::{Allocator, Handle};
use crate::graph::store::update::{LARGE, UpdateArguments};
use crate::graph::store::{Vertex, capacity_for};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Entries that a block may have room for although few are used.
const KEEP: u32 = 16;

/// What a vertex needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// No new block.
    Nothing,
    /// A new block is better; the old one would do.
    Better,
    /// A new block.
    Block,
}

/// What a vertex needs in order to have `degree` neighbours.
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

/// Requests the blocks.
pub struct Prepare;

impl Kernel for Prepare {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; there is a handle and a word for each key.
        unsafe {
            let form = update.form();
            let count = update.change_count();
            let mut granted = 0;
            let mut index = warp.thread();
            while index < count {
                if update.is_first(index) {
                    let changes = update.run_end(index, count) - index;
                    let record = update.record(form.source(update.change(index)));
                    let degree = update.new_degree(record.degree, changes);
                    let need = need(&update, &record, degree);
                    let mut address = 0;
                    if need != Need::Nothing {
                        let bytes = u64::from(capacity_for(degree)) * 4;
                        let block = heap.malloc_exclusive(warp, bytes);
                        if !block.is_null() {
                            granted += heap.granted(block, bytes);
                            address = heap.address(block).expose_provenance() as u64;
                            update
                                .fresh
                                .cast::<A::Handle>()
                                .add(index as usize)
                                .write(block);
                        } else if need == Need::Block {
                            // Relaxed: read by later launches.
                            update.refused().fetch_max(bytes, Relaxed);
                        }
                    }
                    update.moved.add(index as usize).write(address);
                }
                index += warp.threads();
            }
            update.count_fresh(warp, granted);
        }
    }
}
