//! The pages of FlatterScatter: which requests share one, and that a page serves others once its
//! chunks are free, whoever enters it in vain.

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::FlatterScatter;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

/// An empty heap of so many pages, four to an access block.
fn heap<M: Machine>(machine: &M, pages: u64) -> Pool<FlatterScatter> {
    let parameters = &[("page", "1024"), ("block", "4096")];
    let bytes = 128 + pages * (1024 + 8);
    let pool = Pool::<FlatterScatter>::new(bytes, M::PROCESSORS, parameters).expect("a pool");
    assert_eq!(FlatterScatter::max_block(pool.heap()), pages * 1024);
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

/// Runs `kernel` on one thread.
fn alone<M: Machine>(machine: &M, kernel: impl Fn(M::Warp) + Sync) {
    machine.launch(&|warp| {
        if warp.thread() == 0 {
            kernel(warp);
        }
    });
}

#[test]
fn chunks_of_up_to_twice_the_size_serve_a_request() {
    let pool = heap(&OsThreads, 1);
    alone(&OsThreads, |warp| {
        let heap = pool.allocator();
        for bytes in [96, 48, 64, 40, 96] {
            let block = heap.malloc(warp, bytes);
            assert!(!block.is_null(), "{bytes} bytes");
            // SAFETY: the block lives.
            assert_eq!(unsafe { heap.granted(block, bytes) }, 96);
        }
        // Too large, and less than half.
        assert!(heap.malloc(warp, 112).is_null());
        assert!(heap.malloc(warp, 32).is_null());
    });
}

#[test]
fn a_page_without_chunks_serves_any_request() {
    let pool = heap(&OsThreads, 12);
    alone(&OsThreads, |warp| {
        let heap = pool.allocator();
        for bytes in [16, 500, 12 << 10, 48, 1 << 10, 6 << 10, 200] {
            let mut blocks = Vec::new();
            loop {
                let block = heap.malloc(warp, bytes);
                if block.is_null() {
                    break;
                }
                blocks.push(block);
            }
            // Chunks beside their bits, or pages in a row.
            let capacity = match bytes {
                16 => 63,
                48 => 21,
                200 => 4,
                _ => 1,
            };
            let pages = bytes.div_ceil(1024);
            assert_eq!(blocks.len() as u64, 12 / pages * capacity, "{bytes} bytes");
            for block in blocks {
                // SAFETY: a live block.
                unsafe { heap.free(warp, block) };
            }
        }
    });
}

/// Threads with requests of many sizes contend for few pages. Most of them enter in vain.
fn pages_come_back<M: Machine>(machine: &M, seed: u64) {
    let pool = heap(machine, 5);
    machine.launch(&|warp| {
        let heap = pool.allocator();
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        for _ in 0..12 {
            let bytes = random.choose(&[16, 40, 96, 200, 480, 1024, 2048, 5 << 10]);
            let block = heap.malloc(warp, bytes);
            if random.one_in(2) {
                warp.back_off();
            }
            // SAFETY: a live block, or null.
            unsafe { heap.free(warp, block) };
        }
    });
    alone(machine, |warp| {
        let heap = pool.allocator();
        let block = heap.malloc(warp, 5 << 10);
        assert!(!block.is_null(), "seed {seed}");
        // SAFETY: a live block.
        unsafe { heap.free(warp, block) };
        let walked = heap.walk(warp);
        assert_eq!(walked.used_bytes, 0);
    });
}

#[test]
fn pages_that_are_entered_in_vain_come_back() {
    for seed in 0..60 {
        pages_come_back(&Coroutines::new(seed), seed);
        pages_come_back(&OsThreads, seed);
    }
}
