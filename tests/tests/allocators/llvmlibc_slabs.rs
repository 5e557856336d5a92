//! The slabs of LLVM libc's malloc: which requests share one, that the last user gives it back, and
//! that a thread which stops in the middle of a call holds back no more than it was about to take.

use cuda_std::atomic::Ordering::Relaxed;
use cuda_std::atomic::{AtomicU32, AtomicU64};
use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::LlvmLibc;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

const SLAB: u64 = 1024;
/// The class of chunks of 16 bytes, and the tags of a slot that is claimed for it and of one that
/// is live with its slabs.
const FIRST_CLASS: u64 = 0;
const CLAIMED: u64 = 1 << 63 | FIRST_CLASS << 48;
const LIVE: u64 = 1 << 62 | FIRST_CLASS << 48;
/// Chunks of 16 bytes of a slab, beside a bitfield of 128 bytes.
const CHUNKS: usize = 56;

/// An empty heap of so many slabs.
fn heap<M: Machine>(machine: &M, slabs: u64) -> Pool<LlvmLibc> {
    let bytes = 256 + 64 + slabs * (SLAB + 12);
    let pool = Pool::<LlvmLibc>::new(bytes, M::PROCESSORS, &[("slab", "1024")]).expect("a pool");
    assert_eq!(LlvmLibc::max_block(pool.heap()), slabs * SLAB);
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

/// The word of a slot of a heap with at most 16 slabs.
fn slot(pool: &Pool<LlvmLibc>, slot: usize) -> &AtomicU64 {
    // SAFETY: behind the hints and a row of owner words lie the slots.
    unsafe { &*pool.heap().pointers[1].add(256 + 64 + 8 * slot).cast() }
}

/// The owner word of a slab.
fn owner(pool: &Pool<LlvmLibc>, slab: usize) -> &AtomicU32 {
    // SAFETY: behind the hints lie the owner words.
    unsafe { &*pool.heap().pointers[1].add(256 + 4 * slab).cast() }
}

/// Blocks of `bytes` until the heap refuses one.
fn fill<W: Warp>(pool: &Pool<LlvmLibc>, warp: W, bytes: u64) -> Vec<u32> {
    let request = || Some(pool.allocator().malloc(warp, bytes)).filter(|block| !block.is_null());
    std::iter::from_fn(request).collect()
}

/// Frees blocks.
fn free<W: Warp>(pool: &Pool<LlvmLibc>, warp: W, blocks: Vec<u32>) {
    for block in blocks {
        // SAFETY: the block lives.
        unsafe { pool.allocator().free(warp, block) };
    }
}

#[test]
fn requests_share_slabs_of_their_class() {
    let pool = heap(&OsThreads, 16);
    alone(&OsThreads, |warp| {
        let heap = pool.allocator();
        for (bytes, granted) in [
            (1, 16),
            (48, 48),
            (65, 96),
            (100, 112),
            (448, 448),
            (449, 1024),
        ] {
            let blocks = [bytes, granted].map(|bytes| heap.malloc(warp, bytes));
            for block in blocks {
                // SAFETY: the block lives.
                assert_eq!(unsafe { heap.granted(block, bytes) }, granted);
            }
            let slabs = blocks.map(|block| block / 64);
            assert_eq!(slabs[0] == slabs[1], granted < SLAB, "{bytes}");
            // Chunks lie side by side, behind the bits.
            if granted < SLAB {
                let first = 128 / 16;
                assert_eq!(
                    blocks.map(|block| block % 64),
                    [first, first + (granted / 16) as u32]
                );
            }
        }
    });
}

#[test]
fn the_last_user_of_a_slab_gives_it_back() {
    let pool = heap(&OsThreads, 12);
    alone(&OsThreads, |warp| {
        for bytes in [16, 448, 12 << 10, 48, 1 << 10, 6 << 10, 200] {
            let blocks = fill(&pool, warp, bytes);
            let chunks = match bytes {
                16 => CHUNKS,
                48 => 18,
                200 => 4,
                448 => 2,
                _ => 1,
            };
            let slabs = bytes.div_ceil(SLAB) as usize;
            assert_eq!(blocks.len(), 12 / slabs * chunks, "{bytes} bytes");
            free(&pool, warp, blocks);
            for index in 0..12 {
                assert_eq!(slot(&pool, index).load(Relaxed), 0, "{bytes} bytes");
                // Free, with the class of its last chunks if their bits are clear.
                let word = owner(&pool, index).load(Relaxed);
                assert_eq!((word < 64, word == 0), (true, chunks == 1), "{bytes} bytes");
            }
        }
    });
}

#[test]
fn a_block_beside_another_of_its_class_costs_few_accesses() {
    let pool = heap(&OsThreads, 4);
    alone(&OsThreads, |warp| {
        assert!(!pool.allocator().malloc(warp, 16).is_null())
    });
    let accesses = OsThreads.count_atomics(&|warp| {
        let handle = pool.allocator().malloc(warp, 16);
        // SAFETY: the block lives.
        unsafe { pool.allocator().free(warp, handle) };
    });
    assert_eq!(accesses, 5 + 3);
}

/// Another thread has claimed the slot of a class, and stops before it has a slab for it.
#[test]
fn requests_pass_a_slot_that_stays_claimed() {
    let pool = heap(&OsThreads, 4);
    slot(&pool, 0).fetch_add(CLAIMED, Relaxed);
    let most = 2_000;
    let accesses = OsThreads.count_atomics(&|warp| {
        let block = pool.allocator().malloc(warp, 16);
        assert!(!block.is_null());
    });
    assert!((64..most).contains(&accesses), "{accesses} accesses");
    // Others find the slot that it has claimed instead.
    let accesses = OsThreads.count_atomics(&|warp| {
        assert!(!pool.allocator().malloc(warp, 16).is_null());
    });
    assert!(accesses < 10, "{accesses} accesses");
    alone(&OsThreads, |warp| {
        // One slot less than slabs: three serve chunks, the last one serves whole slabs.
        assert_eq!(fill(&pool, warp, 16).len(), 3 * CHUNKS - 2);
        assert_eq!(fill(&pool, warp, SLAB).len(), 1);
    });
}

/// Another thread has entered a slot that became another's meanwhile, and stops before it leaves.
#[test]
fn a_slot_that_is_entered_in_vain_is_another_s_as_soon_as_it_is_left() {
    let pool = heap(&OsThreads, 4);
    slot(&pool, 0).fetch_add(1, Relaxed);
    alone(&OsThreads, |warp| {
        assert_eq!(fill(&pool, warp, 448).len(), 6);
        slot(&pool, 0).fetch_add(u64::MAX, Relaxed);
        assert_eq!(fill(&pool, warp, 448).len(), 2);
    });
}

/// Another thread has left a slab, and stops before it retires it.
#[test]
fn a_slab_without_users_serves_other_classes() {
    let pool = heap(&OsThreads, 1);
    alone(&OsThreads, |warp| {
        let heap = pool.allocator();
        let block = heap.malloc(warp, 16);
        assert_eq!(slot(&pool, 0).load(Relaxed), LIVE | 1);
        slot(&pool, 0).fetch_add(u64::MAX, Relaxed);
        let other = heap.malloc(warp, 448);
        assert!(!block.is_null() && !other.is_null());
        free(&pool, warp, vec![other]);
        assert_eq!(heap.walk(warp).largest_free_bytes, SLAB);
    });
}

/// Threads with requests of many sizes contend for few slabs.
fn slabs_come_back<M: Machine>(machine: &M, seed: u64) {
    let pool = heap(machine, 5);
    machine.launch(&|warp| {
        let heap = pool.allocator();
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        for _ in 0..12 {
            let bytes = random.choose(&[16, 40, 96, 200, 448, 1024, 2048, 5 << 10]);
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
        free(&pool, warp, vec![block]);
        assert_eq!(heap.walk(warp).used_bytes, 0);
    });
}

#[test]
fn slabs_that_are_entered_in_vain_come_back() {
    for seed in 0..60 {
        slabs_come_back(&Coroutines::new(seed), seed);
        slabs_come_back(&OsThreads, seed);
    }
}
