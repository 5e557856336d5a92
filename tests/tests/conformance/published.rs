//! The circular allocators with their published walk, which are forms of their own:
//! held to the contract of all allocators by their abilities, and to what the paper
//! says that they do.

use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Observe, REFUSAL_ACCESSES, Request, SetupError};
use heapwood_device::allocators::{CMallocPaper, CfMallocPaper, CfmMallocPaper, CmMallocPaper};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance;
use heapwood_tests::conformance::circular::{heads, published, table};
use heapwood_tests::conformance::{
    Case, Coroutines, Machine, OsThreads, POOLS, Pool, case, clauses, each, stress,
};

/// Small ones for lanes in lockstep, where a walk over many chunks takes long.
const SMALL_POOLS: &[Case] = &[case(1 << 16, &[]), case(100_003, &[])];

conformance!(cmalloc: CMallocPaper, published::<2>(), POOLS, SMALL_POOLS);
conformance!(cfmalloc: CfMallocPaper, published::<1>(), POOLS, SMALL_POOLS);
conformance!(cmmalloc: CmMallocPaper, published::<2>(), POOLS, SMALL_POOLS);
conformance!(cfmmalloc: CfmMallocPaper, published::<1>(), POOLS, SMALL_POOLS);

const PARAMETERS: &[Case] = &[
    case(1 << 16, &[("split", "uniform")]),
    case(100_003, &[("split", "heap")]),
    case(1 << 18, &[("split", "heap"), ("chunk", "512")]),
    case(1 << 16, &[("region", "64")]),
    case(77_777, &[("region", "65536"), ("split", "uniform")]),
    case(1 << 16, &[("frag", "16"), ("split", "heap")]),
    case(1 << 17, &[("chunk", "256"), ("frag", "1.5")]),
];

/// Small pools near exhaustion with small chunks, under many schedules.
const ATTACKED: &[Case] = &[
    case(12_000, &[("region", "64")]),
    case(11_111, &[("split", "heap")]),
];

fn is_attacked<A: Allocator<Handle = u32>, const WORDS: usize>(name: &str) {
    let traits = published::<WORDS>();
    each::<A, _>(PARAMETERS, &OsThreads, &traits, clauses::sizes);
    each::<A, _>(PARAMETERS, &OsThreads, &traits, clauses::exhaustion);
    each::<A, _>(PARAMETERS, &OsThreads, &traits, clauses::recovery);
    each::<A, _>(PARAMETERS, &OsThreads, &traits, clauses::concurrent);
    let machine = Coroutines::new(1 << 32);
    each::<A, _>(ATTACKED, &machine, &traits, clauses::concurrent);
    each::<A, _>(ATTACKED, &OsThreads, &traits, clauses::concurrent);
    stress(name);
}

#[test]
fn cmalloc_is_attacked() {
    is_attacked::<CMallocPaper, 2>("cmalloc_walk_paper");
}

#[test]
fn cfmalloc_is_attacked() {
    is_attacked::<CfMallocPaper, 1>("cfmalloc_walk_paper");
}

#[test]
fn cmmalloc_is_attacked() {
    is_attacked::<CmMallocPaper, 2>("cmmalloc_walk_paper");
}

#[test]
fn cfmmalloc_is_attacked() {
    is_attacked::<CfmMallocPaper, 1>("cfmmalloc_walk_paper");
}

fn empty<A: Allocator>(bytes: u64, parameters: &[(&str, &str)]) -> Pool<A> {
    let pool = Pool::<A>::new(bytes, OsThreads::PROCESSORS, parameters).expect("a pool");
    // SAFETY: a launch of all threads over a heap without blocks.
    OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
    pool
}

/// Equation 1: of every power of two `k` there are `k` chunks of the `k`-th part
/// of the root, one behind the other; a heap of them for each offset, which starts
/// at its root (section 5.4); what is left is one chunk.
fn heaps_by_equation_1<A: Allocator<Handle = u32>, const WORDS: usize>(offsets: u32) {
    let pool = empty::<A>(1 << 20, &[("split", "heap"), ("chunk", "512")]);
    let least: u32 = if WORDS == 1 { 512 / 16 } else { 512 / 32 };
    let units = table::<WORDS>(pool.heap()).len() as u32;
    let mut root = least;
    // The largest that fits: a root, two halves, and so on.
    while (2 * root) * ((2 * root / least).ilog2() + 1) <= units / offsets {
        root *= 2;
    }
    let mut expected = Vec::new();
    let mut roots = Vec::new();
    let mut unit = 0;
    for _ in 0..offsets {
        roots.push(unit);
        let mut size = root;
        while size >= least {
            for _ in 0..root / size {
                expected.push(unit);
                unit += size;
            }
            size /= 2;
        }
    }
    expected.extend((unit < units).then_some(unit));
    assert_eq!(heads(&table::<WORDS>(pool.heap())), expected);

    let first = Mutex::new(Vec::new());
    for thread in 0..OsThreads::THREADS {
        // One after the other, for with one offset they follow each other.
        OsThreads.launch(&|warp| {
            if warp.thread() == thread {
                let block = pool.allocator().malloc(warp, 16);
                first.lock().expect("no panic in here").push(block);
            }
        });
    }
    let first = first.into_inner().expect("no panic in here");
    if offsets == 1 {
        assert_eq!(first, [0, 1, 2, 3]);
    } else {
        assert_eq!(first, roots);
    }
}

#[test]
fn each_offset_starts_at_the_root_of_its_own_heap() {
    heaps_by_equation_1::<CMallocPaper, 2>(1);
    heaps_by_equation_1::<CfMallocPaper, 1>(1);
    heaps_by_equation_1::<CmMallocPaper, 2>(OsThreads::PROCESSORS);
    heaps_by_equation_1::<CfmMallocPaper, 1>(OsThreads::PROCESSORS);
}

/// Algorithm 3 by one thread: where the offset is left (lines 20 and 28), what is
/// merged (line 26), and the first chunk that fits (line 9).
fn walks_as_published<A: Allocator<Handle = u32>, const WORDS: usize>() {
    let pool = empty::<A>(1 << 16, &[("region", "1024")]);
    let unit_bytes = if WORDS == 1 { 16 } else { 32 };
    let piece = 1024 / unit_bytes as u32;
    OsThreads.launch(&|warp| {
        if warp.thread() != 0 {
            return;
        }
        let heap = pool.allocator();
        let malloc = |units: u64| heap.malloc(warp, units * unit_bytes);
        // SAFETY: each block is freed once.
        let free = |block| unsafe { heap.free(warp, block) };
        assert_eq!([malloc(4), malloc(4), malloc(4)], [0, 4, 8]);
        // Behind is a used chunk: nothing merges, and the offset stays.
        free(0);
        assert_eq!(malloc(4), 12);
        // It merges with what was left of the piece; the offset goes behind the two.
        free(12);
        assert_eq!(malloc(4), piece);
        // Too large for the next pieces: the first chunk that holds it is the last.
        let last = *heads(&table::<WORDS>(pool.heap())).last().expect("a chunk");
        assert_eq!(malloc(2 * u64::from(piece)), last);
        assert_eq!(malloc(4), last + 2 * piece);
        // From the end round to the beginning, past what is too small.
        let rest = A::max_block(pool.heap()) / unit_bytes - 2 * u64::from(piece) - 4;
        assert_eq!(malloc(rest), last + 2 * piece + 4);
        assert_eq!(malloc(5), 12);
        // A chunk that fits exactly is not split.
        assert_eq!(malloc(u64::from(piece) - 17), 17);
        assert_eq!(malloc(4), piece + 4);
    });
}

#[test]
fn the_offset_is_left_as_published() {
    walks_as_published::<CMallocPaper, 2>();
    walks_as_published::<CfMallocPaper, 1>();
}

/// The published walk has no end, ours has. Of more chunks than it may look at it
/// may miss free ones, which is why its null is no evidence.
fn gives_up<A: Allocator<Handle = u32>, const WORDS: usize>() {
    let pool = empty::<A>(8 << 20, &[]);
    let blocks = Mutex::new(Vec::new());
    OsThreads.launch(&|warp| {
        if warp.thread() == 0 {
            let all = std::iter::from_fn(|| {
                let block = pool.allocator().malloc(warp, 16);
                (block != u32::MAX).then_some(block)
            });
            *blocks.lock().expect("one thread") = all.collect();
        }
    });
    let blocks = blocks.into_inner().expect("one thread");
    let units = table::<WORDS>(pool.heap()).len();
    assert!(blocks.len() > units / 2, "{} of {units}", blocks.len());
    let refused = |bytes| {
        OsThreads.count_atomics(&|warp| {
            assert_eq!(pool.allocator().malloc(warp, bytes), u32::MAX);
        })
    };
    assert!(refused(16) <= REFUSAL_ACCESSES);
    // Every second chunk free, none of them large enough: each is taken, and given
    // back.
    OsThreads.launch(&|warp| {
        for block in blocks.iter().step_by(2) {
            if warp.thread() == 0 {
                // SAFETY: the block is live and freed once.
                unsafe { pool.allocator().free(warp, *block) };
            }
        }
    });
    assert!(refused(4096) <= REFUSAL_ACCESSES);
}

#[test]
fn a_walk_ends() {
    gives_up::<CMallocPaper, 2>();
    gives_up::<CfMallocPaper, 1>();
}

#[test]
fn parameters_are_checked() {
    for parameter in [
        ("split", "none"),
        ("frag", "0.5"),
        ("frag", "NaN"),
        ("chunk", "-1"),
        ("region", "100"),
        ("region", "8"),
        ("region", "0"),
        ("region", "68719476736"),
        ("region", "9223372036854775808"),
    ] {
        let refused = Pool::<CfmMallocPaper>::new(1 << 20, 4, &[parameter]).err();
        assert!(
            matches!(refused, Some(SetupError::BadParameter { .. })),
            "{parameter:?}"
        );
    }
    // More multiprocessors than chunks, pieces larger than the pool, and chunks that
    // are never split.
    for parameter in [
        ("split", "heap"),
        ("split", "uniform"),
        ("region", "8589934592"),
        ("chunk", "18446744073709551615"),
    ] {
        for processors in [0, 1, 132, 1000] {
            for bytes in [10_000, 15_000, 40_000, 80_000] {
                let plan = CfmMallocPaper::setup(&Request {
                    base: std::ptr::null_mut(),
                    pool_bytes: bytes,
                    processors,
                    parameters: &[parameter],
                    observe: Observe::GUARDS,
                });
                if plan.is_err() {
                    continue;
                }
                let pool = Pool::<CfmMallocPaper>::new(bytes, processors, &[parameter]);
                let pool = pool.expect("it was planned");
                OsThreads.launch(&|warp| {
                    // SAFETY: a launch of all threads over a heap without blocks.
                    unsafe { pool.allocator().init(warp) };
                });
                assert!(pool.guards_intact(), "{parameter:?} {processors} {bytes}");
                let heads = heads(&table::<1>(pool.heap()));
                assert_eq!(heads[0], 0, "{parameter:?} {processors} {bytes}");
            }
        }
    }
}
