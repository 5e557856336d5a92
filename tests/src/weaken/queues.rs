//! Queues of entries in chunks of 64 bytes, which lanes fill, empty and close,
//! and whose chunks serve as payload in between: all that happens at the ends of
//! a queue's chunks, many times in a run.

use std::sync::atomic::{AtomicU32 as Count, Ordering::Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};
use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::ouroboros::queue::{
    self, Array, End, Hierarchy, Linked, Queue, VOID, Walked,
};
use heapwood_device::allocators::ouroboros::semaphore::Semaphore;
use heapwood_device::allocators::ouroboros::{
    Arena, Chunk, Class, Group, METADATA_BYTES, Ouroboros, OuroborosChunks, Parameters,
};
use heapwood_device::simt::Warp;

use super::Workload;
use crate::conformance::Pool;
use crate::lockstep::{self, Lockstep, Model, Plan, Policy, Random};

/// Chunks of 16 entries.
#[derive(Clone, Copy)]
struct Tiny;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Tiny {
    const CHUNK_BITS: u32 = 6;
    const CAPACITY_BITS: u32 = 6;
}

type Memory<Q> = Pool<Ouroboros<Tiny, OuroborosChunks<Q>>>;

/// Not the first.
// SAFETY: `Tiny` has three, whose queues are those that the heap is planned for.
const CLASS: Class = unsafe { Class::new(1) };
/// Entries of a run.
const ENTRIES: usize = 4096;

/// A queue, and what a run does to it.
struct Bench<Q: Queue> {
    memory: Memory<Q>,
    /// Entries that were enqueued, counted as the queue's users count them.
    resources: AtomicU64,
    expected: AtomicU32,
    /// A word for each entry, which goes with it.
    payload: Vec<u128>,
    /// How often an entry was enqueued less how often it was dequeued.
    out: Vec<Count>,
    next: Count,
    /// Chunks that are kept as room.
    keep: u32,
    turns: u64,
    /// Whether chunks go through the stack of the class, too, which links them.
    stacks: bool,
    /// Whether the lanes of a warp do the same at the same time.
    together: bool,
    seed: u64,
}

/// The least heap of so many chunks.
fn memory<Q: Queue>(chunks: u32) -> Memory<Q> {
    let mut bytes = u64::from(chunks) * (Tiny::CHUNK_BYTES + METADATA_BYTES);
    loop {
        bytes += 256;
        if let Ok(memory) = Memory::<Q>::new(bytes, 4, &[])
            && arena(&memory).chunks() >= chunks
        {
            return memory;
        }
    }
}

fn arena<Q: Queue>(memory: &Memory<Q>) -> Arena<Tiny> {
    // SAFETY: the memory was set up for these parameters.
    unsafe { Arena::new(memory.heap()) }
}

fn launch(plan: Plan, kernel: impl Fn(Lockstep)) {
    if let Err(error) = lockstep::run(plan, kernel) {
        panic!("{error}");
    }
}

impl<Q: Queue> Bench<Q> {
    fn semaphore(&self) -> Semaphore<'_> {
        Semaphore {
            resources: &self.resources,
            expected: &self.expected,
        }
    }

    fn payload(&self, entry: u32) -> usize {
        self.payload[entry as usize..].as_ptr() as usize
    }

    /// Puts `n` entries, if there is room.
    fn enqueue(&self, warp: Lockstep, n: u32) {
        // SAFETY: the lane has room for these positions, and uses each once. No lane takes an entry
        // for a chunk.
        unsafe {
            let arena = &arena(&self.memory);
            let first = self.next.fetch_add(n, Relaxed);
            let alone = Group::alone(warp);
            if (first + n) as usize > ENTRIES
                || Q::reserve(warp, arena, alone.mask, CLASS, n, &alone) == 0
            {
                return;
            }
            let position = queue::positions(arena, CLASS, End::Back, n);
            for index in 0..n {
                let entry = first + index;
                self.out[entry as usize].fetch_add(1, Relaxed);
                lockstep::writes(self.payload(entry), 16);
                queue::enqueue::<_, _, Q>(
                    warp,
                    arena,
                    CLASS,
                    position.wrapping_add(index),
                    entry,
                    1,
                );
            }
            self.semaphore().signal(n);
        }
    }

    fn accept(&self, entry: u32) {
        if entry != VOID {
            lockstep::writes(self.payload(entry), 16);
            let before = self.out[entry as usize].swap(0, Relaxed);
            assert_eq!(before, 1, "entry {entry} is taken");
        }
    }

    /// Takes an entry, if there is one.
    fn dequeue(&self, warp: Lockstep) {
        // SAFETY: the permit is for this position. The lanes of a group have emptied their slots of
        // the chunk.
        unsafe {
            let arena = &arena(&self.memory);
            if self.semaphore().take(1) == 0 {
                return;
            }
            let position = queue::positions(arena, CLASS, End::Front, 1);
            let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, position);
            self.accept(entry);
            // Lanes that took of the same chunk say so together.
            let mask = warp.converge();
            warp.sync(mask);
            let group = Group::by_key(warp, mask, chunk);
            let n = group.size;
            Q::finish(warp, arena, CLASS, chunk, n, self.keep, &group);
        }
    }

    /// Uses a chunk of the pool for something else.
    fn borrow(&self, warp: Lockstep) {
        // SAFETY: the chunk was taken here.
        unsafe {
            let arena = &arena(&self.memory);
            let chunk = arena.take_chunk(warp);
            if chunk < arena.chunks() {
                let address = arena.address(arena.block(CLASS, chunk, 0)) as usize;
                lockstep::writes(address, Tiny::CHUNK_BYTES as usize);
                arena.give_chunk(warp, Chunk::new(chunk));
            }
        }
    }

    /// Moves a chunk from the pool to the stack of the class, or back.
    fn shift(&self, warp: Lockstep, to_stack: bool) {
        // SAFETY: the chunk was taken or popped here.
        unsafe {
            let arena = &arena(&self.memory);
            let chunk = if to_stack {
                arena.take_chunk(warp)
            } else {
                arena.pop(warp, CLASS)
            };
            if chunk >= arena.chunks() {
                return;
            }
            let address = arena.address(arena.block(CLASS, chunk, 0)) as usize;
            lockstep::writes(address, Tiny::CHUNK_BYTES as usize);
            let chunk = Chunk::new(chunk);
            if to_stack {
                arena.push(warp, CLASS, chunk);
            } else {
                arena.give_chunk(warp, chunk);
            }
        }
    }

    fn lane(&self, warp: Lockstep) {
        let number = if self.together {
            warp.warp()
        } else {
            warp.thread()
        };
        let mut random = Random::new(self.seed << 8 | u64::from(number));
        for _ in 0..self.turns {
            match random.below(16) {
                0 | 1 if self.stacks && random.one_in(2) => {
                    // As who is about to be refused does: of all who look for chunks to
                    // return, the one that may know nothing of them.
                    Q::settle(warp, &arena(&self.memory), CLASS);
                }
                0 => {
                    let arena = &arena(&self.memory);
                    queue::close::<_, _, Q>(warp, arena, CLASS, |entry| self.accept(entry));
                }
                1 | 2 if self.stacks => {
                    self.shift(warp, random.one_in(2));
                    self.shift(warp, random.one_in(2));
                }
                1 | 2 => self.borrow(warp),
                // Whole chunks at a time, so that these come and go.
                3..9 if self.stacks || self.together => {
                    for _ in 0..1 + random.below(3) {
                        self.enqueue(warp, 4);
                    }
                }
                3..9 => self.enqueue(warp, 1 + random.below(4) as u32),
                _ => {
                    let most = match (self.stacks, self.together) {
                        (_, true) => 6,
                        (true, false) => 16,
                        (false, false) => 4,
                    };
                    for _ in 0..random.below(most) {
                        self.dequeue(warp);
                    }
                }
            }
        }
    }

    /// Nothing is left, and the queue gives its chunks back.
    fn check(&self, warp: Lockstep) {
        while self.semaphore().take(1) == 1 {
            self.semaphore().signal(1);
            self.dequeue(warp);
        }
        let arena = &arena(&self.memory);
        queue::close::<_, _, Q>(warp, arena, CLASS, |entry| panic!("{entry} is left"));
        if self.stacks {
            for _ in 0..arena.chunks() {
                self.shift(warp, false);
            }
        }
        // SAFETY: there are chunks.
        let run = unsafe { arena.take_run(warp, arena.chunks()) };
        assert_eq!(run, 0, "the queue keeps chunks");
    }
}

fn queue<Q: Queue>(seed: u64, stacks: bool, together: bool) {
    let mut random = Random::new(seed);
    let lanes = match (stacks, together) {
        (_, true) => 8,
        (true, false) => random.choose(&[1, 2, 4]),
        (false, false) => random.choose(&[1, 2, 4, 32]),
    };
    // Neighbours are returned together if both have their skip pointers: in a small table
    // they have the same.
    let chunks: [u32; 3] = if together { [20, 40, 80] } else { [3, 6, 20] };
    let bench = Bench::<Q> {
        memory: memory(random.choose(&chunks)),
        resources: AtomicU64::new(0),
        expected: AtomicU32::new(0),
        payload: vec![0; ENTRIES],
        out: (0..ENTRIES).map(|_| Count::new(0)).collect(),
        next: Count::new(0),
        keep: if together {
            random.choose(&[2, 4])
        } else {
            random.choose(&[0, 1, 2, 4])
        },
        turns: random.choose(&[8, 24]),
        stacks,
        together,
        seed,
    };
    let plan = Plan {
        // Stalls are most of them.
        step_limit: if stacks || together {
            8_000_000
        } else {
            2_000_000
        },
        ..Plan::varied(2, lanes, 60, seed)
    };
    let quiet = Plan {
        memory: Model::Sequential,
        ..plan
    };
    launch(quiet, |warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { bench.memory.allocator().init(warp) };
    });
    launch(plan.weak(), |warp| {
        if warp.lane() < lanes {
            bench.lane(warp);
        }
    });
    // One lane alone: a stall would only use up the steps.
    let calm = Plan {
        policy: Policy::Random { period: 64 },
        ..quiet
    };
    launch(calm, |warp| {
        if warp.thread() == 0 {
            bench.check(warp);
        }
    });
    let lost = bench.out.iter().position(|out| out.load(Relaxed) != 0);
    assert_eq!(lost, None, "an entry was lost");
}

pub(super) fn workloads() -> Vec<Workload> {
    macro_rules! workloads {
        ($($name:literal: $queue:ty, $stacks:literal, $together:literal;)*) => {
            vec![$(Workload {
                name: $name,
                run: |seed| queue::<$queue>(seed, $stacks, $together),
            },)*]
        };
    }
    workloads! {
        "queue-array": Array, false, false;
        "queue-hierarchy": Hierarchy, false, false;
        "queue-linked": Linked, false, false;
        "queue-walked": Walked, false, false;
        "stack-hierarchy": Hierarchy, true, false;
        "stack-linked": Linked, true, false;
        "warps-hierarchy": Hierarchy, false, true;
        "warps-linked": Linked, false, true;
    }
}
