//! Retired chunks of linked queues, which are returned together.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocators::ouroboros::queue::{self, End, Hierarchy, Linked, Queue};
use heapwood_device::allocators::ouroboros::{Arena, Group, NONE};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::Machine;

use super::groups::{dequeue, enqueue};
use super::queues::check_closed;
use super::{CLASS, ENTRIES, Memory, Tiny, arena, everywhere, heap};

/// The lanes enqueue an entry each, half a warp together: a chunk has as many slots.
fn enqueue_together<W: Warp, Q: Queue>(warp: W, arena: &Arena<Tiny>) {
    let half = (u32::from(u16::MAX) << (warp.lane() & 16)) & W::FULL;
    assert!(
        enqueue::<_, Q>(warp, arena, half, CLASS, 7),
        "there is room"
    );
}

/// The lanes dequeue an entry each, a warp together, and count them a chunk together. The
/// entry at `held` is not counted: its chunk is returned.
fn dequeue_together<W: Warp, Q: Queue>(
    warp: W,
    arena: &Arena<Tiny>,
    keep: u32,
    held: u32,
) -> Option<u32> {
    // SAFETY: entries were enqueued for these positions; the lanes have emptied the slots that
    // they count.
    unsafe {
        let mut first = 0;
        if warp.lane() == 0 {
            first = queue::positions(arena, CLASS, End::Front, W::LANES);
        }
        let position = warp.shuffle(W::FULL, first, 0).wrapping_add(warp.lane());
        let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, position);
        assert_eq!(entry, 7);
        warp.sync(W::FULL);
        let group = Group::by_key(warp, W::FULL, chunk);
        let holds = position == held;
        let n = warp.ballot(group.mask, !holds).count_ones();
        if n > 0 {
            Q::finish(warp, arena, CLASS, chunk, n, keep, &group);
        }
        holds.then_some(chunk)
    }
}

/// All chunks of a long queue are retired but the oldest, or all at the same time, and are
/// returned together while others enqueue and dequeue. As many as are to be kept stay.
fn retired_chunks_return<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    const CHUNKS: u32 = 40;
    let memory = heap::<M, Q>(machine, 600);
    let warps = M::THREADS / M::Warp::LANES;
    let turns = CHUNKS * ENTRIES / M::THREADS;
    // None, fewer than a warp has lanes, as many as there are.
    let keep = [0, 5, 17, CHUNKS][seed as usize % 4];
    let (is_held, is_alone) = (seed & 4 != 0, seed & 8 != 0);
    for _ in 0..3 {
        let front = AtomicU32::new(0);
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            for _ in 0..turns {
                enqueue_together::<_, Q>(warp, arena);
            }
            if warp.thread() == 0 {
                // SAFETY: no position is taken.
                let position = unsafe { queue::positions(arena, CLASS, End::Front, 0) };
                front.store(position, SeqCst);
            }
        });
        let held = AtomicU32::new(NONE);
        let first = front.load(SeqCst);
        // Positions that are taken are behind the first.
        let to_hold = if is_held {
            first
        } else {
            first.wrapping_sub(1)
        };
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            for _ in 0..turns {
                if let Some(chunk) = dequeue_together::<_, Q>(warp, arena, keep, to_hold) {
                    held.store(chunk, SeqCst);
                }
            }
        });
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            if is_held && warp.warp() == 0 {
                let all = Group::of_lanes(warp, M::Warp::FULL);
                // SAFETY: the chunk has an entry that was dequeued and is not counted.
                unsafe { Q::finish(warp, arena, CLASS, held.load(SeqCst), 1, keep, &all) };
            } else if !is_alone {
                for _ in 0..4 {
                    enqueue_together::<_, Q>(warp, arena);
                    enqueue_together::<_, Q>(warp, arena);
                    dequeue_together::<_, Q>(warp, arena, keep, to_hold);
                    dequeue_together::<_, Q>(warp, arena, keep, to_hold);
                }
            }
        });
        let used = arena(&memory).chunks() - arena(&memory).chunks_left();
        assert!(used >= keep, "{used} chunks are left of {keep}");
        // Threads that return chunks at the same time may each keep as many. A few
        // were allocated and not needed.
        if keep == 0 || is_held && is_alone {
            assert!(used <= keep + 2 * warps, "{used} chunks are left of {keep}");
        }
    }
    check_retired::<M, Q>(machine, &memory);
    check_closed(machine, &memory);
}

/// An empty queue has chunks for its room, and at most one that is retired: of an even
/// number, which waits for the next. Uses the room up.
fn check_retired<M: Machine, Q: Queue>(machine: &M, memory: &Memory<Q>) {
    machine.launch(&|warp| {
        if warp.thread() != 0 {
            return;
        }
        let arena = &arena(memory);
        let used = arena.chunks() - arena.chunks_left();
        let room = Q::take_room(arena, CLASS);
        // SAFETY: the room that was taken is for these positions.
        let (back, front) = unsafe {
            let back = queue::positions(arena, CLASS, End::Back, room);
            (back, queue::positions(arena, CLASS, End::Front, 0))
        };
        assert_eq!(back, front, "the queue is empty");
        // The first of them may have been used in part.
        let with_room = (back % ENTRIES + room) / ENTRIES;
        let next_is_odd = back / ENTRIES % 2 == 1;
        let retired = used - with_room;
        assert!(
            retired == 0 || retired == 1 && with_room > 0 && next_is_odd,
            "{used} chunks for {room} entries from {back}"
        );
        for index in 0..room {
            let position = back.wrapping_add(index);
            // SAFETY: one of these positions, used once.
            unsafe { queue::enqueue::<_, _, Q>(warp, arena, CLASS, position, 7, 1) };
            dequeue::<_, Q>(warp, arena, CLASS);
        }
    });
}

#[test]
fn retired_chunks_return_together() {
    everywhere(
        64,
        retired_chunks_return::<_, Linked>,
        retired_chunks_return::<_, Linked>,
    );
    everywhere(
        8,
        retired_chunks_return::<_, Hierarchy>,
        retired_chunks_return::<_, Hierarchy>,
    );
}

/// Chunks that become room again are filled and retired anew before the threads that
/// appended them have stored where the oldest is, so that these must look once more: one in
/// some thousand schedules.
fn appended_chunks_return<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let memory = heap::<M, Q>(machine, 100);
    let (keep, turns) = (1 + seed % 3, 1 + seed / 3 % 3);
    machine.launch(&|warp| {
        let arena = &arena(&memory);
        for _ in 0..turns {
            enqueue_together::<_, Q>(warp, arena);
            dequeue_together::<_, Q>(warp, arena, keep, queue::start::<Tiny>().wrapping_sub(1));
        }
    });
    check_retired::<M, Q>(machine, &memory);
}

#[test]
fn chunks_that_are_appended_again_return() {
    everywhere(
        4096,
        appended_chunks_return::<_, Linked>,
        appended_chunks_return::<_, Linked>,
    );
}
