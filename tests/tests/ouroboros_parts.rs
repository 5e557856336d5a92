//! The parts of Ouroboros, each attacked on its own, at sizes where every
//! crossing happens often: the bulk semaphore, the chunk pool, the three queues.
//! On warps in lockstep under random, priority and stalling schedules, and on OS
//! threads.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::ouroboros::queue::{
    self, Array, End, Hierarchy, Linked, Queue, VOID,
};
use heapwood_device::allocators::ouroboros::semaphore::{Fields, Semaphore};
use heapwood_device::allocators::ouroboros::{
    Arena, Group, NONE, Ouroboros, OuroborosChunks, Parameters,
};
use heapwood_device::warp::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

/// Chunks of 64 bytes: 16 entries of a queue.
#[derive(Clone, Copy)]
struct Tiny;

impl Parameters for Tiny {
    const CHUNK_BITS: u32 = 6;
    const CAPACITY_BITS: u32 = 6;
}

const ENTRIES: u32 = 1 << Tiny::ENTRY_BITS;
const CLASS: u32 = 1;

/// Memory for a heap of tiny chunks.
type Memory<Q> = Pool<Ouroboros<Tiny, OuroborosChunks<Q>>>;

/// A heap of tiny chunks, initialised for queues of kind `Q`.
fn heap<M: Machine, Q: Queue>(machine: &M, chunks: u64) -> Memory<Q> {
    let fixed = 16_000;
    let bytes = chunks * (Tiny::CHUNK_BYTES + 140) + fixed;
    let pool = Memory::<Q>::new(bytes, 4, &[]).expect("a pool");
    machine.launch(|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

fn arena<Q: Queue>(memory: &Memory<Q>) -> Arena<Tiny> {
    // SAFETY: the memory was set up for these parameters.
    unsafe { Arena::new(memory.heap()) }
}

/// Runs a test on both machines, under many schedules.
fn everywhere(repeats: u32, test: impl Fn(&Coroutines, u32), threads: impl Fn(&OsThreads, u32)) {
    for repeat in 0..repeats {
        test(&Coroutines::new(u64::from(repeat) << 20), repeat);
    }
    for repeat in 0..4 {
        threads(&OsThreads, repeat);
    }
}

/// The words of a semaphore, at 0.
struct Words {
    permits: cuda_std::atomic::AtomicU64,
    expected: cuda_std::atomic::AtomicU32,
}

impl Words {
    fn new() -> Self {
        Self {
            permits: cuda_std::atomic::AtomicU64::new(0),
            expected: cuda_std::atomic::AtomicU32::new(0),
        }
    }

    fn semaphore(&self) -> Semaphore<'_> {
        Semaphore {
            permits: &self.permits,
            expected: &self.expected,
        }
    }
}

/// Threads take and give back bundles of a limited supply. Never more is taken
/// than there is, everybody returns, and at the end the word says what is left.
fn semaphore<M: Machine>(machine: &M, seed: u32) {
    const BUNDLE_BITS: u32 = 2;
    let mut random = Random::new(u64::from(seed));
    let bundles = 1 + random.below(12) as u32;
    let words = Words::new();
    let semaphore = words.semaphore();
    // Bundles that were not yet brought, and what all threads hold.
    let stock = AtomicU32::new(bundles);
    let held = AtomicU32::new(0);
    let brought = AtomicU32::new(0);
    let refused = AtomicU32::new(0);
    machine.launch(|warp| {
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(warp.thread()));
        let mut own = 0;
        for _ in 0..M::TURNS {
            if own > 0 && random.one_in(2) {
                held.fetch_sub(own, SeqCst);
                semaphore.signal(own);
                own = 0;
                continue;
            }
            if own > 0 {
                continue;
            }
            let n = 1 + random.below(9) as u32;
            let mut taken = semaphore.try_take(n);
            if !taken {
                taken = semaphore.wait(warp, n, BUNDLE_BITS);
                if !taken {
                    let wanted = Semaphore::bundles_for(n, BUNDLE_BITS);
                    let mut got = 0;
                    for _ in 0..wanted {
                        warp.back_off();
                        let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                        got += u32::from(took.is_ok()) << BUNDLE_BITS;
                    }
                    brought.fetch_add(got, SeqCst);
                    taken = got >= n;
                    let rest = if taken { got - n } else { got };
                    if taken {
                        held.fetch_add(n, SeqCst);
                    }
                    semaphore.arrived(n, BUNDLE_BITS, rest);
                    if taken {
                        own = n;
                        continue;
                    }
                }
            }
            if taken {
                let all = held.fetch_add(n, SeqCst) + n;
                assert!(
                    all <= bundles << BUNDLE_BITS,
                    "{all} taken of {bundles} bundles"
                );
                own = n;
            } else {
                refused.fetch_add(1, SeqCst);
            }
        }
        if own > 0 {
            held.fetch_sub(own, SeqCst);
            semaphore.signal(own);
        }
    });
    let expected = Fields {
        count: brought.load(SeqCst) as i32,
        expected: 0,
        reserved: 0,
    };
    assert_eq!(semaphore.read(), expected);
    assert_eq!(held.load(SeqCst), 0);
    // What is there can be had, once more and no further.
    assert_eq!(semaphore.take_all(), brought.load(SeqCst));
    assert!(!semaphore.try_take(1));
}

#[test]
fn the_semaphore_gives_no_more_than_there_is() {
    everywhere(150, semaphore, semaphore);
}

/// Everyone wants more than there is, at once: all but a few must be refused,
/// and none may wait for ever for what was promised.
#[test]
fn waiting_ends_when_nothing_comes() {
    for seed in 0..200 {
        let words = Words::new();
        let semaphore = words.semaphore();
        let served = AtomicU32::new(0);
        let stock = AtomicU32::new(seed % 3);
        Coroutines::new(u64::from(seed)).launch(|warp| {
            let mut taken = semaphore.wait(warp, 3, 3);
            if !taken {
                warp.back_off();
                let took = stock.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                taken = took.is_ok();
                semaphore.arrived(3, 3, if taken { 5 } else { 0 });
            }
            served.fetch_add(u32::from(taken), SeqCst);
        });
        // What is left arrived after the last of the others was refused.
        let left = semaphore.read();
        let bundles = seed % 3;
        assert!(served.load(SeqCst) >= bundles);
        assert_eq!(3 * served.load(SeqCst) + left.count as u32, 8 * bundles);
        assert_eq!((left.expected, left.reserved), (0, 0));
    }
}

/// Chunks are never in two hands; runs and single chunks share the map; all come
/// back.
fn pool<M: Machine>(machine: &M, seed: u32) {
    let memory = heap::<M, Array>(machine, 70);
    let owners: Vec<AtomicU32> = (0..arena(&memory).chunks)
        .map(|_| AtomicU32::new(0))
        .collect();
    machine.launch(|warp| {
        let arena = &arena(&memory);
        let me = warp.thread() + 1;
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(me));
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let own = |first: u32, length: u32, from: u32, to: u32| {
            for owner in &owners[first as usize..(first + length) as usize] {
                assert_eq!(owner.swap(to, SeqCst), from, "of {first}, {length}");
            }
        };
        for _ in 0..M::TURNS * 2 {
            if runs.len() > 3 || (!runs.is_empty() && random.one_in(2)) {
                let index = random.below(runs.len() as u64) as usize;
                let (first, length) = runs.swap_remove(index);
                own(first, length, me, 0);
                if length == 1 {
                    arena.give_chunk(warp, first);
                } else {
                    arena.give_run(first);
                }
                continue;
            }
            let length = random.choose(&[1, 1, 1, 2, 3, 7, 33, 40]);
            let first = if length == 1 {
                arena.take_chunk(warp)
            } else {
                arena.take_run(warp, length)
            };
            if first != NONE {
                assert!(first + length <= arena.chunks);
                own(first, length, 0, me);
                runs.push((first, length));
            }
        }
        for (first, length) in runs {
            own(first, length, me, 0);
            if length == 1 {
                arena.give_chunk(warp, first);
            } else {
                arena.give_run(first);
            }
        }
    });
    machine.launch(|warp| {
        let arena = &arena(&memory);
        if warp.thread() == 0 {
            let all = arena.chunks;
            assert_eq!(arena.take_run(warp, all), 0, "the pool is whole again");
            assert_eq!(arena.take_chunk(warp), NONE);
            arena.give_run(0);
            let mut chunks: Vec<u32> = (0..all).map(|_| arena.take_chunk(warp)).collect();
            assert_eq!(arena.take_chunk(warp), NONE);
            chunks.sort_unstable();
            assert!(chunks.into_iter().eq(0..all));
        }
    });
}

#[test]
fn the_pool_gives_no_chunk_twice() {
    everywhere(100, pool, pool);
}

/// Threads put numbers and take them, in bursts, so that the queue grows over
/// many chunks and shrinks to nothing; each number comes out once. A permit is a
/// number that was put.
fn queue_is_exact<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let mut random = Random::new(u64::from(seed));
    let chunks = 2 + random.below(30);
    let memory = heap::<M, Q>(machine, chunks);
    let words = Words::new();
    let permits = words.semaphore();
    let state: Vec<AtomicU32> = (0..4096).map(|_| AtomicU32::new(0)).collect();
    let (next, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    let burst = 1 + random.below(40) as u32;
    // Chunks that are drained become room again, or all go back to the pool.
    let keep = seed % 3 * 2;
    let take = |warp: M::Warp| {
        let arena = &arena(&memory);
        let position = queue::positions(arena, CLASS, End::Front, 1);
        let (entry, chunk) = queue::take::<_, _, Q>(warp, arena, CLASS, position);
        Q::finish(warp, arena, CLASS, chunk, 1, keep, &Group::alone(warp));
        assert_ne!(entry, VOID);
        let before = state[entry as usize].swap(2, SeqCst);
        assert_eq!(before, 1, "entry {entry}");
    };
    for round in 0..3 {
        machine.launch(|warp| {
            let arena = &arena(&memory);
            let mut random =
                Random::new(u64::from(seed ^ round << 8) << 16 | u64::from(warp.thread()));
            let mut left = 0;
            for _ in 0..M::TURNS.min(200) {
                if left == 0 {
                    left = 1 + random.below(u64::from(burst)) as u32;
                    if random.one_in(2) {
                        // A burst of requests.
                        for _ in 0..left {
                            if permits.try_take(1) {
                                take(warp);
                            }
                        }
                        left = 0;
                        continue;
                    }
                }
                let n = 1 + random.below(u64::from(left.min(5))) as u32;
                left -= n;
                if next.load(SeqCst) as usize + 400 > state.len() {
                    continue;
                }
                if !Q::reserve(warp, arena, CLASS, n, &Group::alone(warp)) {
                    refused.fetch_add(1, SeqCst);
                    continue;
                }
                let entry = next.fetch_add(n, SeqCst);
                let position = queue::positions(arena, CLASS, End::Back, n);
                for index in 0..n {
                    assert_eq!(state[(entry + index) as usize].swap(1, SeqCst), 0);
                    let position = position.wrapping_add(index);
                    queue::put::<_, _, Q>(warp, arena, CLASS, position, entry + index);
                }
                permits.signal(n);
            }
        });
    }
    machine.launch(|warp| {
        while permits.try_take(1) {
            take(warp);
        }
    });
    for entry in 0..next.load(SeqCst) {
        assert_eq!(
            state[entry as usize].load(SeqCst),
            2,
            "entry {entry} was lost"
        );
    }
    check_closed(machine, &memory);
}

/// An empty queue gives all of its chunks back, and grows again.
fn check_closed<M: Machine, Q: Queue>(machine: &M, memory: &Memory<Q>) {
    machine.launch(|warp| {
        let arena = &arena(memory);
        if warp.thread() != 0 {
            return;
        }
        for _ in 0..3 {
            queue::close::<_, _, Q>(warp, arena, CLASS, |entry| panic!("{entry} is left"));
            assert_eq!(
                arena.take_run(warp, arena.chunks),
                0,
                "the queue keeps chunks"
            );
            arena.give_run(0);
            if !Q::reserve(warp, arena, CLASS, 2, &Group::alone(warp)) {
                panic!("no room in an empty queue");
            }
            let back = queue::positions(arena, CLASS, End::Back, 2);
            let front = queue::positions(arena, CLASS, End::Front, 2);
            for index in 0..2 {
                queue::put::<_, _, Q>(warp, arena, CLASS, back.wrapping_add(index), 7);
            }
            for index in 0..2 {
                let position = front.wrapping_add(index);
                let (entry, chunk) = queue::take::<_, _, Q>(warp, arena, CLASS, position);
                assert_eq!(entry, 7);
                Q::finish(warp, arena, CLASS, chunk, 1, 1, &Group::alone(warp));
            }
        }
    });
}

/// Positions start shortly before they wrap to 0; here all threads put and take
/// until they have.
fn queue_wraps<M: Machine, Q: Queue>(machine: &M) {
    let memory = heap::<M, Q>(machine, 12);
    let sum = AtomicU32::new(0);
    machine.launch(|warp| {
        let arena = &arena(&memory);
        for turn in 0..6 {
            if Q::reserve(warp, arena, CLASS, 1, &Group::alone(warp)) {
                let back = queue::positions(arena, CLASS, End::Back, 1);
                queue::put::<_, _, Q>(warp, arena, CLASS, back, warp.thread() * 8 + turn);
                let front = queue::positions(arena, CLASS, End::Front, 1);
                let (_, chunk) = queue::take::<_, _, Q>(warp, arena, CLASS, front);
                Q::finish(warp, arena, CLASS, chunk, 1, 1, &Group::alone(warp));
                sum.fetch_add(1, SeqCst);
            }
        }
    });
    let done = sum.load(SeqCst);
    assert!(M::THREADS < 32 || done > 10 * ENTRIES, "{done} entries");
    check_closed(machine, &memory);
}

/// Closing while others put and take: nothing is lost, and what the closing
/// thread gets it hands on.
fn closed_under_use<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let memory = heap::<M, Q>(machine, 20);
    let keep = seed % 3;
    let (put, taken, kept) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let words = Words::new();
    let permits = words.semaphore();
    let take = |warp: M::Warp| {
        let arena = &arena(&memory);
        let position = queue::positions(arena, CLASS, End::Front, 1);
        let (entry, chunk) = queue::take::<_, _, Q>(warp, arena, CLASS, position);
        Q::finish(warp, arena, CLASS, chunk, 1, keep, &Group::alone(warp));
        if entry != VOID {
            taken.fetch_add(1, SeqCst);
        }
    };
    machine.launch(|warp| {
        let arena = &arena(&memory);
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(warp.thread()));
        for _ in 0..M::TURNS.min(100) {
            match random.below(8) {
                0 => {
                    queue::close::<_, _, Q>(warp, arena, CLASS, |_| {
                        kept.fetch_add(1, SeqCst);
                    });
                }
                1..4 => {
                    if permits.try_take(1) {
                        take(warp);
                    }
                }
                _ => {
                    if Q::reserve(warp, arena, CLASS, 1, &Group::alone(warp)) {
                        put.fetch_add(1, SeqCst);
                        let back = queue::positions(arena, CLASS, End::Back, 1);
                        queue::put::<_, _, Q>(warp, arena, CLASS, back, 1);
                        permits.signal(1);
                    }
                }
            }
        }
    });
    machine.launch(|warp| {
        while permits.try_take(1) {
            take(warp);
        }
    });
    let out = taken.load(SeqCst) + kept.load(SeqCst);
    assert_eq!(out, put.load(SeqCst), "{} were kept", kept.load(SeqCst));
    check_closed(machine, &memory);
}

/// The lanes put an entry each, half a warp together: a chunk has as many slots.
fn put_together<W: Warp, Q: Queue>(warp: W, arena: &Arena<Tiny>) {
    let half = (u32::from(u16::MAX) << (warp.lane() & 16)) & W::FULL;
    let group = Group::of_lanes(warp, half);
    assert!(Q::reserve(warp, arena, CLASS, group.size, &group));
    let mut first = 0;
    if group.leads() {
        first = queue::positions(arena, CLASS, End::Back, group.size);
    }
    let first = warp.shuffle(half, first, group.leader);
    let position = first.wrapping_add(group.rank);
    queue::put::<_, _, Q>(warp, arena, CLASS, position, 7);
}

/// The lanes take an entry each, a warp together, and say so a chunk together. Of
/// the entry at `held` nobody says so: its chunk is given back.
fn take_together<W: Warp, Q: Queue>(
    warp: W,
    arena: &Arena<Tiny>,
    keep: u32,
    held: u32,
) -> Option<u32> {
    let mut first = 0;
    if warp.lane() == 0 {
        first = queue::positions(arena, CLASS, End::Front, W::LANES);
    }
    let position = warp.shuffle(W::FULL, first, 0).wrapping_add(warp.lane());
    let (entry, chunk) = queue::take::<_, _, Q>(warp, arena, CLASS, position);
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

/// All chunks of a long queue are drained but the oldest, or all at the same time,
/// and return together while others put and take. As many as are to be kept stay.
fn drained_chunks_return<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    const CHUNKS: u32 = 40;
    let memory = heap::<M, Q>(machine, 600);
    let warps = M::THREADS / M::Warp::LANES;
    let turns = CHUNKS * ENTRIES / M::THREADS;
    // None, fewer than a warp has lanes, as many as there are.
    let keep = [0, 5, 17, CHUNKS][seed as usize % 4];
    let (is_held, is_alone) = (seed & 4 != 0, seed & 8 != 0);
    for _ in 0..3 {
        let front = AtomicU32::new(0);
        machine.launch(|warp| {
            let arena = &arena(&memory);
            for _ in 0..turns {
                put_together::<_, Q>(warp, arena);
            }
            if warp.thread() == 0 {
                front.store(queue::positions(arena, CLASS, End::Front, 0), SeqCst);
            }
        });
        let held = AtomicU32::new(NONE);
        let first = front.load(SeqCst);
        // Positions that are given out are behind the first.
        let to_hold = if is_held {
            first
        } else {
            first.wrapping_sub(1)
        };
        machine.launch(|warp| {
            let arena = &arena(&memory);
            for _ in 0..turns {
                if let Some(chunk) = take_together::<_, Q>(warp, arena, keep, to_hold) {
                    held.store(chunk, SeqCst);
                }
            }
        });
        machine.launch(|warp| {
            let arena = &arena(&memory);
            if is_held && warp.warp() == 0 {
                let all = Group::of_lanes(warp, M::Warp::FULL);
                Q::finish(warp, arena, CLASS, held.load(SeqCst), 1, keep, &all);
            } else if !is_alone {
                for _ in 0..4 {
                    put_together::<_, Q>(warp, arena);
                    put_together::<_, Q>(warp, arena);
                    take_together::<_, Q>(warp, arena, keep, to_hold);
                    take_together::<_, Q>(warp, arena, keep, to_hold);
                }
            }
        });
        let used = AtomicU32::new(0);
        machine.launch(|warp| {
            if warp.thread() == 0 {
                let arena = arena(&memory);
                let free: Vec<u32> = std::iter::repeat_with(|| arena.take_chunk(warp))
                    .take_while(|chunk| *chunk != NONE)
                    .collect();
                used.store(arena.chunks - free.len() as u32, SeqCst);
                free.iter().for_each(|chunk| arena.give_chunk(warp, *chunk));
            }
        });
        let used = used.load(SeqCst);
        assert!(used >= keep, "{used} chunks are left of {keep}");
        // Those who return chunks at the same time may each keep as many. A few
        // were brought and not needed.
        if keep == 0 || is_held && is_alone {
            assert!(used <= keep + 2 * warps, "{used} chunks are left of {keep}");
        }
    }
    check_closed(machine, &memory);
}

#[test]
fn drained_chunks_return_together() {
    everywhere(
        64,
        drained_chunks_return::<_, Linked>,
        drained_chunks_return::<_, Linked>,
    );
    everywhere(
        8,
        drained_chunks_return::<_, Hierarchy>,
        drained_chunks_return::<_, Hierarchy>,
    );
}

macro_rules! queues {
    ($($name:ident: $queue:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn every_entry_comes_out_once() {
                everywhere(120, queue_is_exact::<_, $queue>, queue_is_exact::<_, $queue>);
            }

            #[test]
            fn positions_wrap() {
                let wraps = |machine: &Coroutines, _| queue_wraps::<_, $queue>(machine);
                let threads = |machine: &OsThreads, _| queue_wraps::<_, $queue>(machine);
                everywhere(20, wraps, threads);
            }

            #[test]
            fn it_is_closed_under_use() {
                everywhere(120, closed_under_use::<_, $queue>, closed_under_use::<_, $queue>);
            }
        }
    )*};
}

queues! {
    array: Array;
    hierarchy: Hierarchy;
    linked: Linked;
}
