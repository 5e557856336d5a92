//! The memory of an Ouroboros heap: the amounts of payload and of static data. Empty chunks serve
//! any size again, and a heap that is too small can be set up again in a larger area.

use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Handle, Observe, Request};
use heapwood_device::allocators::{
    OuroborosCS, OuroborosCVa, OuroborosCVl, OuroborosPS, OuroborosPVa, OuroborosPVl,
};
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

const CHUNK: u64 = 8192;

fn empty<A: Allocator>(bytes: u64) -> Pool<A> {
    let pool = Pool::<A>::new(bytes, 4, &[]).expect("a pool");
    init(&pool);
    pool
}

fn init<A: Allocator>(pool: &Pool<A>) {
    // SAFETY: a launch of all threads; no block is used afterwards.
    OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
}

/// Blocks of `bytes` by all threads, until each has got null.
fn fill<M: Machine, A: Allocator>(machine: &M, pool: &Pool<A>, bytes: u64) -> Vec<A::Handle>
where
    A::Handle: Send,
{
    let all = Mutex::new(Vec::new());
    machine.launch(&|warp| {
        let mut own = Vec::new();
        loop {
            let block = pool.allocator().malloc(warp, bytes);
            if block.is_null() {
                break;
            }
            own.push(block);
        }
        all.lock().expect("no panic in here").extend(own);
    });
    all.into_inner().expect("no panic in here")
}

fn free<M: Machine, A: Allocator>(machine: &M, pool: &Pool<A>, blocks: &[A::Handle])
where
    A::Handle: Sync,
{
    machine.launch(&|warp| {
        let own = blocks
            .iter()
            .skip(heapwood_device::simt::Warp::thread(warp) as usize);
        for block in own.step_by(M::THREADS as usize) {
            // SAFETY: each block is live and freed once.
            unsafe { pool.allocator().free(warp, *block) };
        }
    });
}

/// Blocks of 16 bytes, until there are no more, are 98 % of the pool: again and
/// again, and no block is given twice.
fn blocks_of_16_bytes_fill<A: Allocator<Handle = u32>>(percent: u64) {
    let bytes = 32 << 20;
    let pool = empty::<A>(bytes);
    let mut first = 0;
    for _ in 0..2 {
        let mut blocks = fill(&OsThreads, &pool, 16);
        let used = blocks.len() as u64 * 16;
        assert!(100 * used >= percent * bytes, "{used} bytes of {bytes}");
        assert!(used >= first, "{first} bytes, then {used}");
        first = used - used / 1000;
        free(&OsThreads, &pool, &blocks);
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len() as u64 * 16, used);
    }
}

#[test]
fn pages_fill_the_pool() {
    blocks_of_16_bytes_fill::<OuroborosPVa>(98);
    blocks_of_16_bytes_fill::<OuroborosPVl>(98);
    // The static queues take their part of a pool of this size.
    blocks_of_16_bytes_fill::<OuroborosPS>(85);
}

#[test]
fn chunks_fill_the_pool() {
    blocks_of_16_bytes_fill::<OuroborosCVa>(98);
    blocks_of_16_bytes_fill::<OuroborosCVl>(98);
    blocks_of_16_bytes_fill::<OuroborosCS>(97);
}

/// All of the memory, to the last chunk, serves one page size after the other.
fn sizes_follow_each_other<M: Machine, A: Allocator<Handle = u32>>(machine: &M, bytes: u64) {
    let pool = empty::<A>(bytes);
    let chunks = A::max_block(pool.heap()) / CHUNK;
    for size in [16, 8192, 100, 1024, 8192, 16] {
        let blocks = fill(machine, &pool, size);
        let pages = CHUNK / size.next_power_of_two();
        let least = if size == 8192 {
            chunks
        } else {
            // A queue may need a chunk while there are chunks with free pages.
            (chunks - 2) * pages
        };
        assert!(
            blocks.len() as u64 >= least,
            "{} blocks of {size} in {chunks} chunks",
            blocks.len()
        );
        free(machine, &pool, &blocks);
    }
}

#[test]
fn chunks_serve_every_size_again() {
    sizes_follow_each_other::<_, OuroborosCS>(&OsThreads, 8 << 20);
    sizes_follow_each_other::<_, OuroborosCVa>(&OsThreads, 8 << 20);
    sizes_follow_each_other::<_, OuroborosCVl>(&OsThreads, 8 << 20);
}

#[test]
fn chunks_serve_every_size_again_in_lockstep() {
    let machine = Coroutines::new(1);
    sizes_follow_each_other::<_, OuroborosCS>(&machine, 1 << 18);
    sizes_follow_each_other::<_, OuroborosCVa>(&machine, 1 << 18);
    sizes_follow_each_other::<_, OuroborosCVl>(&machine, 1 << 18);
}

fn static_bytes<A: Allocator>() -> u64 {
    let heap = A::setup(&Request {
        base: std::ptr::null_mut(),
        pool_bytes: 2 << 30,
        processors: 132,
        parameters: &[],
        observe: Observe::GUARDS,
    });
    // For each of ten classes.
    10 * heap.expect("2 GiB are enough").integers[2]
}

#[test]
fn virtualized_queues_need_little_static_memory() {
    let pages = [
        static_bytes::<OuroborosPS>(),
        static_bytes::<OuroborosPVa>(),
        static_bytes::<OuroborosPVl>(),
    ];
    let chunks = [
        static_bytes::<OuroborosCS>(),
        static_bytes::<OuroborosCVa>(),
        static_bytes::<OuroborosCVl>(),
    ];
    // Four bytes an entry; a pointer for each chunk that entries may fill; one word,
    // which a linked queue has no use for. docs/results/fragmentation.md has these figures.
    assert_eq!(pages, [83_886_080, 2_621_440, 40]);
    assert_eq!(chunks, [10_485_760, 20_480, 40]);
}

/// A heap that is exhausted is set up again in four times the memory, and holds
/// at least four times as much.
fn grows<A: Allocator<Handle = u32>>() {
    let small = empty::<A>(1 << 20);
    let before = fill(&OsThreads, &small, 1000).len();
    let large = empty::<A>(4 << 20);
    assert!(fill(&OsThreads, &large, 1000).len() >= 4 * before);
    // In the same memory, too.
    init(&large);
    assert!(fill(&OsThreads, &large, 3000).len() >= before);
}

#[test]
fn a_heap_is_set_up_again_in_a_larger_area() {
    grows::<OuroborosPS>();
    grows::<OuroborosPVa>();
    grows::<OuroborosPVl>();
    grows::<OuroborosCS>();
    grows::<OuroborosCVa>();
    grows::<OuroborosCVl>();
}
