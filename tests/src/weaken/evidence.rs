//! Heaps that are nearly full, in which null must be evidence: a request is refused only if no
//! memory was free for it during the whole call ([`super::witness`]). Other threads must therefore
//! learn in time how a thread changes unowned memory and its counts.

use cuda_std::atomic::{AtomicU32, Ordering::AcqRel};
use heapwood_device::allocator::{Allocator, Observe, Request};
use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Linked};
use heapwood_device::allocators::ouroboros::{
    Arena, Chunk, Class, Instance, NONE, Ouroboros, OuroborosChunks, OuroborosPages, Parameters,
};
use heapwood_device::allocators::{CMalloc, CfMalloc, SpreadMalloc};
use heapwood_device::simt::Warp;

use super::Workload;
use super::witness::{Enough, Record};
use crate::conformance::{AnyPool, Pool};
use crate::lockstep::{self, Lockstep, Model, Plan, Random};

/// Chunks of 64 bytes: four pages of the first class, and queues of 16 entries a chunk.
#[derive(Clone, Copy)]
struct Tiny;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Tiny {
    const CHUNK_BITS: u32 = 6;
    const CAPACITY_BITS: u32 = 6;
}

/// Bytes of a page.
const PAGE: u64 = 16;

/// A heap of so many chunks.
fn chunks<A: Allocator<Handle = u32>>(count: u64) -> AnyPool<Lockstep> {
    let bytes = count * Tiny::CHUNK_BYTES;
    let fits = |pool_bytes: &u64| {
        let request = Request {
            base: std::ptr::null_mut(),
            pool_bytes: *pool_bytes,
            processors: 4,
            parameters: &[],
            observe: Observe::NOTHING,
        };
        A::setup(&request).is_ok_and(|heap| A::max_block(&heap) >= bytes)
    };
    let pool_bytes = (0..1 << 16).step_by(64).find(fits).expect("a size");
    Pool::<A>::new(pool_bytes, 4, &[]).expect("a pool").erased()
}

fn launch(plan: Plan, kernel: impl Fn(Lockstep)) {
    if let Err(error) = lockstep::run(plan, kernel) {
        panic!("{error}");
    }
}

/// The plan of a seed, for so many lanes a warp, and one without surprises.
fn plans(lanes: u32, seed: u64) -> (Plan, Plan) {
    let plan = Plan {
        step_limit: 1_000_000,
        ..Plan::varied(2, lanes, 60, seed)
    };
    let quiet = Plan {
        memory: Model::Sequential,
        ..plan
    };
    (plan.weak(), quiet)
}

fn judge(record: &Record, enough: &Enough) {
    let (refusals, wrong) = record.judge(enough);
    if let Some((bytes, memory)) = wrong {
        panic!("of {refusals} refusals one for {bytes} bytes is wrong: {memory:x?} was free");
    }
}

/// Uses a chunk of the pool for another purpose and announces the move to other lanes.
fn borrow(arena: &Arena<Tiny>, warp: Lockstep) {
    // SAFETY: the chunk was taken here.
    unsafe {
        arena.begin_move(warp);
        let chunk = arena.take_chunk(warp);
        if chunk != NONE {
            let address = arena.address(arena.block(Class::new(0), chunk, 0)) as usize;
            lockstep::writes(address, Tiny::CHUNK_BYTES as usize);
            arena.give_chunk(warp, Chunk::new(chunk));
        }
        arena.end_move(warp, chunk != NONE);
    }
}

/// As many requests as there are pages, and nothing is freed: none is refused, though
/// most find that another has taken the chunk, and has not yet shared it.
fn first_pages<I: Instance>(seed: u64) {
    let mut random = Random::new(seed);
    // A virtualized queue may take the chunks behind the first.
    let count = random.choose(&[1, 2, 3]);
    let pool = chunks::<Ouroboros<Tiny, I>>(count);
    let allocator = pool.allocator();
    let bytes = random.choose(&[PAGE, PAGE, 2 * PAGE]);
    let enough = Tiny::CHUNK_BYTES / bytes * if I::is_virtual(0) { 1 } else { count };
    let lanes = random.choose(&[1, 2, 4, 8]);
    let mut wanted = [0; 64];
    for _ in 0..enough {
        let thread = random.below(2) * 32 + random.below(lanes);
        wanted[thread as usize] += 1;
    }
    let coalesced = random.one_in(2);
    // Chunks that were given back are found elsewhere than those never used.
    let used = random.below(count + 1);
    let (plan, quiet) = plans(lanes as u32, seed);
    // SAFETY: a launch of all threads over a heap without blocks.
    launch(quiet, |warp| unsafe { allocator.init(warp) });
    // SAFETY: the pool was set up for these parameters.
    let arena = unsafe { Arena::<Tiny>::new(pool.heap()) };
    launch(quiet, |warp| {
        if warp.thread() == 0 {
            let taken: Vec<_> = (0..used).map(|_| arena.take_chunk(warp)).collect();
            for chunk in taken.into_iter().filter(|chunk| *chunk != NONE) {
                // SAFETY: it was taken here.
                unsafe { arena.give_chunk(warp, Chunk::new(chunk)) };
            }
        }
    });
    let record = Record::default();
    let borrows = random.one_in(2);
    launch(plan, |warp| {
        if borrows && warp.lane() == 0 {
            borrow(&arena, warp);
        }
        for _ in 0..wanted[warp.thread() as usize] {
            record.malloc(allocator, warp, bytes, coalesced);
        }
    });
    judge(&record, &Enough::Always);
}

/// The workload of lanes on a heap that is full most of the time.
struct Mix<'a> {
    /// Lanes of each warp that do anything.
    lanes: u32,
    /// Sizes of requests.
    sizes: &'a [u64],
    /// Blocks that a lane has at most.
    most: usize,
    turns: u32,
    /// How often calls are coalesced: one in so many.
    coalesced: u64,
    seed: u64,
}

fn mix(pool: &AnyPool<Lockstep>, mix: &Mix, enough: &Enough) {
    let allocator = pool.allocator();
    let (plan, quiet) = plans(mix.lanes, mix.seed);
    // SAFETY: a launch of all threads over a heap without blocks.
    launch(quiet, |warp| unsafe { allocator.init(warp) });
    let record = Record::default();
    // Lanes tell each other how far they are: what was freed before that is there for
    // what is requested after it.
    let hub = AtomicU32::new(0);
    launch(plan, |warp| {
        if warp.lane() >= mix.lanes {
            return;
        }
        let mut random = Random::new(mix.seed << 8 | u64::from(warp.thread()));
        let mut blocks = Vec::new();
        for _ in 0..mix.turns {
            let together = random.one_in(mix.coalesced);
            if random.one_in(2) {
                hub.fetch_add(1, AcqRel);
            }
            if blocks.len() >= mix.most || (!blocks.is_empty() && random.one_in(2)) {
                let block = blocks.swap_remove(random.below(blocks.len() as u64) as usize);
                // SAFETY: a block of this lane, which has given it up.
                unsafe { record.free(allocator, warp, block, together) };
            } else {
                let bytes = random.choose(mix.sizes);
                blocks.extend(record.malloc(allocator, warp, bytes, together));
            }
        }
    });
    judge(&record, enough);
}

/// Lanes that request, free, and now and then request once more what they have freed.
/// Those of a warp do so together, and one of them may do for all what each of them goes
/// on from.
fn refill(pool: &AnyPool<Lockstep>, mix: &Mix, enough: &Enough) {
    let allocator = pool.allocator();
    let (plan, quiet) = plans(mix.lanes, mix.seed);
    // SAFETY: a launch of all threads over a heap without blocks.
    launch(quiet, |warp| unsafe { allocator.init(warp) });
    let record = Record::default();
    launch(plan, |warp| {
        if warp.lane() >= mix.lanes {
            return;
        }
        let mut random = Random::new(mix.seed << 8 | u64::from(warp.thread()));
        for _ in 0..mix.turns {
            let block = record.malloc(allocator, warp, mix.sizes[0], mix.coalesced == 1);
            if let Some(block) = block {
                // SAFETY: a block of this lane, which has given it up.
                unsafe { record.free(allocator, warp, block, mix.coalesced == 1) };
            }
            if random.one_in(u64::from(mix.lanes))
                && let Some(block) = record.malloc(allocator, warp, mix.sizes[0], false)
            {
                // SAFETY: as above.
                unsafe { record.free(allocator, warp, block, false) };
            }
        }
    });
    judge(&record, enough);
}

/// Pages that are freed and requested again, of more than there are.
fn pages<I: Instance>(seed: u64) {
    let mut random = Random::new(seed);
    let pool = chunks::<Ouroboros<Tiny, I>>(random.choose(&[1, 2, 4, 6]));
    // Where chunks change their class, pages of two sizes are not apart.
    let both: &[u64] = if I::REUSES {
        &[PAGE]
    } else {
        &[PAGE, 2 * PAGE]
    };
    let load = Mix {
        lanes: random.choose(&[1, 2, 4, 8]),
        sizes: random.choose(&[&[PAGE], &[2 * PAGE], both]),
        most: random.choose(&[1, 2, 4]),
        turns: random.choose(&[4, 8, 24]),
        coalesced: 2,
        seed,
    };
    mix(&pool, &load, &Enough::SomeBlock);
}

/// The same, by all lanes of a warp together.
fn pages_together<I: Instance>(seed: u64) {
    let mut random = Random::new(seed);
    let pool = chunks::<Ouroboros<Tiny, I>>(random.choose(&[1, 2, 3]));
    let load = Mix {
        lanes: random.choose(&[2, 4, 8]),
        sizes: random.choose(&[&[PAGE][..], &[2 * PAGE]]),
        most: 1,
        turns: random.choose(&[1, 2, 4, 8]),
        coalesced: 0,
        seed,
    };
    refill(&pool, &load, &Enough::SomeBlock);
}

/// Blocks of a circular heap.
fn circular<A: Allocator<Handle = u32>>(unit: u64, seed: u64) {
    let mut random = Random::new(seed);
    let parameters: &[(&str, &str)] = random.choose(&[
        &[("region", "64")][..],
        &[("region", "256"), ("split", "uniform")],
        &[("region", "256"), ("frag", "1.5")],
    ]);
    let pool = Pool::<A>::new(random.choose(&[7_524, 9_024]), 4, parameters).expect("a pool");
    let most = A::max_block(pool.heap());
    let sizes = [2, 3, 5, 8, 16].map(|part| most / part);
    let load = Mix {
        lanes: random.choose(&[1, 2, 4, 8]),
        sizes: random.choose(&[&sizes[..], &sizes[..3], &sizes[3..], &sizes[4..]]),
        most: random.choose(&[1, 2, 4]),
        turns: random.choose(&[4, 8, 24]),
        coalesced: random.choose(&[1, 2]),
        seed,
    };
    let start = pool.heap().pointers[0] as usize;
    let memory = start..start + most as usize;
    mix(&pool.erased(), &load, &Enough::Run(memory, unit as usize));
}

/// Neighbouring blocks of a circular heap, which are freed as one.
fn circular_together<A: Allocator<Handle = u32>>(unit: u64, seed: u64) {
    let mut random = Random::new(seed);
    let pool = Pool::<A>::new(7_524, 4, &[("region", "256")]).expect("a pool");
    let most = A::max_block(pool.heap());
    let lanes = random.choose(&[2, 4, 8]);
    let load = Mix {
        lanes,
        sizes: &[most / u64::from(lanes) / random.choose(&[1, 2])],
        most: 1,
        turns: random.choose(&[1, 2, 4]),
        coalesced: 1,
        seed,
    };
    let start = pool.heap().pointers[0] as usize;
    let memory = start..start + most as usize;
    refill(&pool.erased(), &load, &Enough::Run(memory, unit as usize));
}

/// A heap that never frees, until most requests are refused: memory that was granted has an owner
/// for ever, and the rest suffices for no request that is refused.
fn fill<A: Allocator<Handle = u32>>(seed: u64) {
    let mut random = Random::new(seed);
    let pool = Pool::<A>::new(random.choose(&[3_328, 5_376, 9_472]), 4, &[]).expect("a pool");
    let memory = pool.heap().pointers[0] as usize;
    let memory = memory..memory + A::max_block(pool.heap()) as usize;
    let pool = pool.erased();
    let allocator = pool.allocator();
    let lanes = random.choose(&[1, 2, 4, 8]);
    let sizes: &[u64] = random.choose(&[
        &[112][..],
        &[48, 112],
        &[16, 48, 112, 128],
        &[96, 112, 640],
        &[128, 1_024, 2_000],
    ]);
    let (plan, quiet) = plans(lanes, seed);
    // SAFETY: a launch of all threads over a heap without blocks.
    launch(quiet, |warp| unsafe { allocator.init(warp) });
    let record = Record::default();
    launch(plan, |warp| {
        if warp.lane() >= lanes {
            return;
        }
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        let mut refusals = 0;
        while refusals < 3 {
            let bytes = random.choose(sizes);
            if record.malloc(allocator, warp, bytes, false).is_none() {
                refusals += 1;
            }
        }
    });
    judge(&record, &Enough::Run(memory, 16));
}

pub(super) fn workloads() -> Vec<Workload> {
    macro_rules! workloads {
        ($($name:literal: $run:expr;)*) => {
            vec![$(Workload { name: $name, run: $run },)*]
        };
    }
    workloads! {
        "first-pages-array": first_pages::<OuroborosPages<Array>>;
        "first-pages-hierarchy": first_pages::<OuroborosPages<Hierarchy>>;
        "first-pages-linked": first_pages::<OuroborosPages<Linked>>;
        "first-chunks-array": first_pages::<OuroborosChunks<Array>>;
        "null-hierarchy": pages::<OuroborosPages<Hierarchy>>;
        "null-linked": pages::<OuroborosPages<Linked>>;
        "null-chunks": pages::<OuroborosChunks<Array>>;
        "together-hierarchy": pages_together::<OuroborosPages<Hierarchy>>;
        "together-linked": pages_together::<OuroborosPages<Linked>>;
        "together-chunks": pages_together::<OuroborosChunks<Array>>;
        "together-cmalloc": |seed| circular_together::<CMalloc>(32, seed);
        "together-cfmalloc": |seed| circular_together::<CfMalloc>(16, seed);
        "null-cmalloc": |seed| circular::<CMalloc>(32, seed);
        "null-cfmalloc": |seed| circular::<CfMalloc>(16, seed);
        "null-spread": fill::<SpreadMalloc>;
    }
}
