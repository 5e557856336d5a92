//! Enqueuing many entries at a time: the pages of a new chunk.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic::fence;

use super::{End, Queue};
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, EMPTY, NONE, Word};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// Entries that a lane exchanges at once: one after the other would take a round trip to memory
/// each.
pub const AT_ONCE: u32 = 8;

/// Enqueues `n` entries at as many positions from `first` on: all lanes of the group together,
/// each an equal part. Of the chunks that this retires as many are kept as [`Queue::finish`] is to
/// keep.
///
/// A chunk must not be retired before all of its slots are filled *and* whoever filled them has
/// released that. Here the slots are filled by relaxed exchanges, so that several are on their way
/// at once. So as many entries are taken off the chunk's count of dequeued ones before, and added
/// after that.
///
/// # Safety
///
/// As for [`enqueue`](super::enqueue), of each of the positions and of the entry that `entry` has
/// for its number.
#[inline(always)]
pub unsafe fn enqueue_many<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    (first, n): (u32, u32),
    keep: u32,
    group: &Group,
    entry: impl Fn(u32) -> u32,
) {
    let mut done = 0;
    while done < n {
        let position = first.wrapping_add(done);
        let (mut part, mut chunk) = (n - done, NONE);
        if Q::VIRTUAL {
            let unit = 1 << P::ENTRY_BITS;
            let left = unit - (position & (unit - 1));
            part = if part < left { part } else { left };
            // SAFETY: the chunks of positions that are not yet used are there, here and below.
            chunk = unsafe { Q::locate(warp, arena, class, position, End::Back) }.chunk;
            if group.leads() {
                // SAFETY: as above.
                let counted = unsafe {
                    Q::count_enqueued(warp, arena, class, chunk, part);
                    Chunk::new(chunk)
                };
                // Relaxed: released below, before the entries can be dequeued and counted.
                let dequeued = arena.meta(counted, Word::Dequeued);
                dequeued.fetch_add(part.wrapping_neg(), Relaxed);
            }
            warp.sync(group.mask);
        }
        // Release: what the entries name.
        fence(Release);
        let exchange = |index: u32| {
            let number = done + index;
            // SAFETY: as above; each position is used once.
            let slot = unsafe { Q::slot(arena, class, chunk, first.wrapping_add(number)) };
            slot.compare_exchange(EMPTY, entry(number), Relaxed) == EMPTY
        };
        let mut index = group.rank;
        while index < part {
            let mut late = 0;
            // Several at once if this lane has as many left.
            let turns = if index + (AT_ONCE - 1) * group.size < part {
                for turn in 0..AT_ONCE {
                    late |= u32::from(!exchange(index + turn * group.size)) << turn;
                }
                AT_ONCE
            } else {
                late = u32::from(!exchange(index));
                1
            };
            // Mostly none. Waits as in `enqueue`.
            while late != 0 {
                if exchange(index + late.trailing_zeros() * group.size) {
                    late &= late - 1;
                } else {
                    warp.back_off();
                }
            }
            index += turns * group.size;
        }
        if Q::VIRTUAL {
            // All lanes have filled their slots before one counts them.
            warp.sync(group.mask);
            // SAFETY: as many were taken off the count.
            unsafe { Q::finish(warp, arena, class, chunk, part, keep, group) };
        }
        done += part;
    }
}
