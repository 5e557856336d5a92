//! Groups of a warp that enqueue at the same time, each into the queue of a class.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocators::ouroboros::queue::{
    self, Array, End, Hierarchy, Linked, Queue, VOID,
};
use heapwood_device::allocators::ouroboros::{Arena, Class, Group, Parameters};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::Machine;
use heapwood_tests::lockstep::Random;

use super::queues::check_closed;
use super::{CLASS, Tiny, arena, everywhere, heap};

/// A class of the heap.
fn class_of(number: u32) -> Class {
    assert!(number < Tiny::CLASSES);
    // SAFETY: it is one, and its queue is the one that the heap is planned for.
    unsafe { Class::new(number) }
}

/// Each lane of `all` enqueues an entry of its class, all classes together. Returns whether there
/// was room for it.
pub fn enqueue<W: Warp, Q: Queue>(
    warp: W,
    arena: &Arena<Tiny>,
    all: u32,
    class: Class,
    entry: u32,
) -> bool {
    // SAFETY: a lane of a group that has room has a position, and uses it once. No lane takes an
    // entry for a chunk.
    unsafe {
        let group = Group::by_key(warp, all, class.number());
        let together = Q::reserve(warp, arena, all, class, group.size, &group);
        if together == 0 {
            return false;
        }
        assert_eq!(together & group.mask, group.mask, "a group is served whole");
        let mut first = 0;
        if group.leads() {
            first = queue::positions(arena, class, End::Back, group.size);
        }
        let first = warp.shuffle(together, first, group.leader);
        queue::enqueue::<_, _, Q>(warp, arena, class, first.wrapping_add(group.rank), entry, 1);
        true
    }
}

/// Dequeues an entry that is counted, and keeps nothing of its chunk.
pub fn dequeue<W: Warp, Q: Queue>(warp: W, arena: &Arena<Tiny>, class: Class) -> u32 {
    // SAFETY: an entry is counted for this position, and the slot is empty when that is counted.
    unsafe {
        let position = queue::positions(arena, class, End::Front, 1);
        let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, class, position);
        Q::finish(warp, arena, class, chunk, 1, 0, &Group::alone(warp));
        entry
    }
}

/// Queues that compete for a few chunks hold what was enqueued, whichever groups
/// are refused; and all chunks are there again when the queues are empty.
fn classes_keep_apart<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let mut random = Random::new(u64::from(seed));
    let memory = heap::<M, Q>(machine, 1 + random.below(9) as u32);
    let there: Vec<AtomicU32> = (0..Tiny::CLASSES).map(|_| AtomicU32::new(0)).collect();
    for _ in 0..3 {
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            for turn in 0..4 {
                let class = (warp.lane() / 2 + warp.warp() + turn) % Tiny::CLASSES;
                if enqueue::<_, Q>(warp, arena, M::Warp::FULL, class_of(class), class) {
                    there[class as usize].fetch_add(1, SeqCst);
                }
                warp.sync(M::Warp::FULL);
            }
        });
        let served: u32 = there.iter().map(|count| count.load(SeqCst)).sum();
        assert_ne!(served, 0, "there is a chunk");
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            for class in 0..Tiny::CLASSES {
                let count = &there[class as usize];
                while count
                    .fetch_update(SeqCst, SeqCst, |count| count.checked_sub(1))
                    .is_ok()
                {
                    assert_eq!(dequeue::<_, Q>(warp, arena, class_of(class)), class);
                }
            }
        });
    }
    machine.launch(&|warp| {
        if warp.thread() == 0 {
            for class in (0..Tiny::CLASSES).filter(|class| *class != CLASS.number()) {
                queue::close::<_, _, Q>(warp, &arena(&memory), class_of(class), |entry| {
                    assert_eq!(entry, VOID, "class {class} has an entry left");
                });
            }
        }
    });
    check_closed(machine, &memory);
}

#[test]
fn groups_put_together() {
    everywhere(
        48,
        classes_keep_apart::<_, Array>,
        classes_keep_apart::<_, Array>,
    );
    everywhere(
        48,
        classes_keep_apart::<_, Hierarchy>,
        classes_keep_apart::<_, Hierarchy>,
    );
    everywhere(
        48,
        classes_keep_apart::<_, Linked>,
        classes_keep_apart::<_, Linked>,
    );
}

/// Lanes that lead have what each lane of their group has.
fn groups_unite<M: Machine>(machine: &M, seed: u32) {
    machine.launch(&|warp| {
        let thread = u64::from(warp.thread());
        let mut random = Random::new(u64::from(seed) << 32 | thread);
        let mut common = Random::new(u64::from(seed) << 32 | u64::from(warp.warp()));
        for _ in 0..M::TURNS {
            // The lanes of a warp draw the same: all of them, some, few.
            let mut all = M::Warp::FULL;
            for _ in 0..common.below(5) {
                all &= common.below(1 << 32) as u32;
            }
            let keys = 1 + common.below(9);
            let key = random.below(keys) as u32;
            if all & 1 << warp.lane() != 0 {
                let group = Group::by_key(warp, all, key);
                let united = group.union(warp, all, 1 << warp.lane());
                if group.leads() {
                    assert_eq!(united, group.mask);
                }
            }
        }
    });
}

#[test]
fn groups_have_what_their_lanes_have() {
    everywhere(8, groups_unite, groups_unite);
}
