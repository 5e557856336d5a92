//! The index of free units of the circular allocators: what is free is found wherever
//! it lies, and what is not is refused within the bound, whatever the heap looks like.

use heapwood_device::allocator::{Allocator, Handle, REFUSAL_ACCESSES};
use heapwood_device::allocators::circular::runs::{NONE, Runs, Scan};
use heapwood_device::allocators::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
use heapwood_device::device_heap::AnyHeap;
use heapwood_device::simt::{Solo, Warp};
use heapwood_tests::conformance::{AnyPool, Bench, Machine, OsThreads, Pool, case, plain};
use heapwood_tests::lockstep::Random;

/// Whether the block of this number is kept.
type Keeps<'a> = &'a (dyn Fn(u32) -> bool + Sync);

/// Runs `kernel` on one thread of a launch.
fn alone(kernel: impl Fn(Solo) + Sync) {
    OsThreads.launch(&|warp| {
        if warp.thread() == 1 {
            kernel(warp);
        }
    });
}

/// An empty heap.
fn heap<A: Allocator<Handle = u32>>(bytes: u64, parameters: &[(&str, &str)]) -> AnyPool<Solo> {
    let pool = Pool::<A>::new(bytes, 4, parameters).expect("a pool");
    let pool = pool.erased();
    // SAFETY: a launch of all threads over a heap without blocks.
    OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
    pool
}

/// Fills a heap to the last unit; gives back the blocks by address.
fn fill(allocator: &AnyHeap<'_, Solo, u32>, warp: Solo, units: u32) -> Vec<u32> {
    let mut blocks: Vec<u32> = std::iter::from_fn(|| {
        let block = allocator.malloc(warp, 1);
        (!block.is_null()).then_some(block)
    })
    .collect();
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq(0..units), "{}", blocks.len());
    blocks
}

fn free_all(allocator: &AnyHeap<'_, Solo, u32>, warp: Solo, blocks: &[u32]) {
    for &block in blocks {
        // SAFETY: live blocks, which the caller gives up.
        unsafe { allocator.free(warp, block) };
    }
}

/// Neighbours that come free, in any order and at every position of a full heap, serve
/// one request of all their memory, and as many small ones as they were.
fn clusters_serve<A: Allocator<Handle = u32>>(pool_bytes: u64, parameters: &[(&str, &str)]) {
    let pool = heap::<A>(pool_bytes, parameters);
    let most = A::max_block(pool.heap());
    let region_units = 1 << (pool.heap().integers[1] >> 32);
    alone(|warp| {
        let allocator = pool.allocator();
        let units = pool.heap().integers[0] as u32;
        let unit = most / u64::from(units);
        let blocks = fill(allocator, warp, units);
        let mut random = Random::new(most);
        for count in [1, 7, 100, units / 50] {
            let last = units - count;
            let boundary = last / 2 / region_units * region_units;
            let across = boundary.saturating_sub(count / 2);
            for start in [0, across, last / 10, last / 10 * 9, last] {
                let range = start as usize..(start + count) as usize;
                let mut cluster = blocks[range].to_vec();
                match random.below(3) {
                    0 => {}
                    1 => cluster.reverse(),
                    _ => random.shuffle(&mut cluster),
                }
                free_all(allocator, warp, &cluster);
                let bytes = u64::from(count) * unit;
                assert!(allocator.malloc(warp, bytes + 1).is_null());
                let block = allocator.malloc(warp, bytes);
                assert_eq!(block, start, "{count} of {units}, {parameters:?}");
                assert!(allocator.malloc(warp, 1).is_null());
                free_all(allocator, warp, &[block]);
                let served = (0..count).filter(|_| !allocator.malloc(warp, 1).is_null());
                assert_eq!(served.count() as u32, count, "{start}, {parameters:?}");
                assert!(allocator.malloc(warp, 1).is_null());
            }
        }
    });
}

/// A refusal takes no more accesses than it may, and comes with evidence: `wanted`
/// units lie side by side in none of these heaps.
fn refusals_are_bounded<A: Allocator<Handle = u32>>(pool_bytes: u64) {
    let pool = heap::<A>(pool_bytes, &[]);
    let most = A::max_block(pool.heap());
    let refused = |state: &str, bytes: u64| {
        for round in 0..2 {
            let accesses = OsThreads.count_atomics(&|warp| {
                assert!(
                    pool.allocator().malloc(warp, bytes).is_null(),
                    "{state}: {bytes}"
                );
            });
            assert!(
                accesses <= REFUSAL_ACCESSES,
                "{state}: {bytes} refused after {accesses} accesses"
            );
            // The second finds notes of all spans.
            assert!(round == 0 || accesses < 8192, "{state}: {accesses} again");
        }
    };
    let units = pool.heap().integers[0] as u32;
    let unit = most / u64::from(units);
    let part = |blocks: &[u32], keep: &dyn Fn(u32) -> bool| -> Vec<u32> {
        blocks
            .iter()
            .copied()
            .filter(|&block| !keep(block))
            .collect()
    };
    let mut random = Random::new(most);
    let halves: Vec<bool> = (0..units).map(|_| random.one_in(2)).collect();
    let is_kept: [(&str, Keeps, u64); 4] = [
        ("full", &|_| true, 1),
        ("every second", &|block| block % 2 == 1, 2 * unit),
        (
            "all but the middle",
            &|block| block == units / 2,
            most / 5 * 3,
        ),
        ("random halves", &|block| halves[block as usize], 64 * unit),
    ];
    for (state, keep, least) in is_kept {
        // SAFETY: a launch of all threads, and no block is used afterwards.
        OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
        alone(|warp| {
            let blocks = fill(pool.allocator(), warp, units);
            free_all(pool.allocator(), warp, &part(&blocks, keep));
        });
        for bytes in [least, most / 100 * 61, most] {
            refused(state, bytes);
        }
    }
}

/// The lengths of the first, the longest and the last run of a map, found bit by bit,
/// and where those start that have `wanted` bits.
fn runs_of(bits: &[bool], wanted: usize) -> (Runs, Vec<u32>) {
    let ones = |bits: &mut dyn Iterator<Item = &bool>| bits.take_while(|bit| **bit).count() as u32;
    let longest = bits.split(|bit| !bit).map(<[bool]>::len).max().unwrap_or(0);
    let starts = (0..bits.len()).filter(|&at| {
        let is_start = bits[at] && (at == 0 || !bits[at - 1]);
        is_start && bits[at..].iter().take_while(|bit| **bit).count() >= wanted
    });
    let runs = Runs {
        prefix: ones(&mut bits.iter()),
        longest: longest as u32,
        suffix: ones(&mut bits.iter().rev()),
    };
    (runs, starts.map(|at| at as u32).collect())
}

#[test]
fn scans_find_the_runs() {
    let mut random = Random::new(7);
    for round in 0..20_000 {
        let length = 1 + random.below(200) as usize;
        let from = random.below(100) as u32;
        let period = random.choose(&[2, 8, 64]);
        let is_full = round % 2 == 0;
        let map: Vec<bool> = (0..length)
            .map(|_| random.one_in(period) != is_full)
            .collect();
        let wanted = 1 + random.below(length as u64) as usize;
        let to = from + length as u32;
        let near = from + random.below(length as u64) as u32;
        let mut scan = Scan::new(from, to, wanted as u32, near);
        for at in (0..to.next_multiple_of(32) + 32).step_by(32) {
            // The scan ignores bits outside its range, so they are random here.
            let word = (0..32).fold(0, |word, bit| {
                let inside = (at + bit).checked_sub(from);
                let known = inside.and_then(|index| map.get(index as usize).copied());
                word | u32::from(known.unwrap_or_else(|| random.one_in(2))) << bit
            });
            let belongs = at < to && at + 32 > from && random.one_in(2);
            if word == 0 && belongs {
                scan.add_none(at);
            } else if word == u32::MAX && belongs {
                scan.add_all(at, at + 32);
            } else {
                scan.add(word, at);
            }
        }
        let (seen, found) = scan.finish();
        let (runs, starts) = runs_of(&map, wanted);
        let case = format!("{map:?} from {from}, {wanted} wanted near {near}");
        assert_eq!(seen, runs, "{case}");
        if starts.is_empty() {
            assert_eq!(found, NONE, "{case}");
            continue;
        }
        assert!(starts.contains(&(found - from)), "{found}: {case}");
        // Of several in a word the first, so that a later one may be nearer.
        if starts.iter().any(|start| from + start >= near) {
            assert!(found >= near / 32 * 32, "{found}: {case}");
        }
        if near == from {
            assert_eq!(found - from, starts[0], "{case}");
        }
    }
}

/// The rest of a long chunk becomes two chunks, so that two threads can go on. Together the two
/// still serve one request.
fn long_rests_are_cut<A: Allocator<Handle = u32>>(pool_bytes: u64) {
    let traits = plain();
    let bench = Bench::new::<A>(case(pool_bytes, &[]), &OsThreads, &traits);
    let take = |bytes| {
        let is_served = |warp| !bench.pool.allocator().malloc(warp, bytes).is_null();
        bench.alone(is_served)
    };
    let fresh = bench.occupancy().largest_free_bytes;
    assert!(take(fresh / 8));
    let left = bench.occupancy();
    assert!(left.largest_free_bytes <= fresh / 2, "{fresh} {left:?}");
    assert!(take(fresh / 8 * 7), "{fresh} {left:?}");
}

macro_rules! each {
    ($($name:ident: $allocator:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn finds_clusters() {
                clusters_serve::<$allocator>(1 << 20, &[]);
                clusters_serve::<$allocator>(1 << 23, &[("split", "uniform")]);
                clusters_serve::<$allocator>(300_000, &[("region", "128")]);
                clusters_serve::<$allocator>(1 << 18, &[("region", "262144")]);
            }

            #[test]
            fn cuts_long_rests() {
                long_rests_are_cut::<$allocator>(64 << 20);
            }

            #[test]
            fn refuses_soon() {
                refusals_are_bounded::<$allocator>(8 << 20);
            }
        }
    )*};
}

each! {
    cmalloc: CMalloc;
    cfmalloc: CfMalloc;
    cmmalloc: CmMalloc;
    cfmmalloc: CfmMalloc;
}
