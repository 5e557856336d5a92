//! The contract of allocators on the program's backends: in full on a GPU,
//! where tests say that they are skipped if there is none, and at a small scale
//! on the CPU. `HEAPWOOD_TEST_SCALE=small` does little on the GPU too, for tools
//! under which a kernel takes a thousand times as long,
//! `HEAPWOOD_TEST_ALLOCATORS=A,B` tries only some allocators, and
//! `HEAPWOOD_TEST_OPERATIONS=N` sets how many requests and frees the test at
//! exhaustion makes over each. `gpu_system_heap` tries the heap of the system.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood_device::bench::{AllocCycleDealloc, AllocDealloc};
use heapwood_tests::clauses;
use heapwood_tests::gpu::Lanes::{Apart, Together};
use heapwood_tests::gpu::{Churn, Stress, Trial, specs_with_pools};

mod exhaustion;

use exhaustion::full_heaps_keep_contents_and_lose_nothing;

const MIB: u64 = 1 << 20;

/// How much is done.
#[derive(Clone, Copy)]
struct Scale {
    /// Threads that allocate together.
    threads: u32,
    /// Bytes of a pool.
    pool: u64,
    /// Bytes of a pool from which little is requested. Some allocators write all over a pool to make
    /// it empty.
    least_pool: u64,
    /// Bytes of the pool for the largest block, through which one thread goes
    /// word by word.
    largest_pool: u64,
    /// Bytes of the pool that is filled with the smallest blocks, and the percentage
    /// that blocks fill at least: in a small pool the chunks that queues hold at
    /// the moment when others are refused count for more.
    filled: (u64, u64),
    /// Requests and frees of the stress test, for each allocator.
    operations: u64,
    /// Bytes of the largest requests of all tests, except one block as large as the allocator
    /// gives.
    largest: u32,
    /// The operations on a full heap.
    churn: Churn,
    /// How many times more its places ask for than the pool has. Large requests are the
    /// first to be refused, so that many small ones must fill the heap; a small pool is
    /// a fifth tables, and is full sooner.
    demand: u64,
}

impl Scale {
    /// Bytes of a pool from which a quarter is requested at most, in `blocks` blocks of `bytes`.
    fn pool_for(&self, blocks: u64, bytes: u64) -> u64 {
        (4 * blocks * (bytes + OVERHEAD)).clamp(self.least_pool, self.pool)
    }
}

const FULL: Scale = Scale {
    threads: 100_000,
    pool: 2048 * MIB,
    least_pool: 2048 * MIB,
    largest_pool: 16 * MIB,
    filled: (2048 * MIB, 98),
    operations: 100_000_000,
    largest: 1_000_000,
    churn: Churn {
        threads: 1 << 18,
        kept: 32,
        turns: 64,
        least_bytes: 16,
        octaves: 12,
        operations: 1_000_000_000,
    },
    demand: 4,
};

const SMALL: Scale = Scale {
    threads: 2_000,
    pool: 64 * MIB,
    least_pool: 16 * MIB,
    largest_pool: 4 * MIB,
    filled: (8 * MIB, 98),
    operations: 100_000,
    largest: 1_000_000,
    churn: Churn {
        threads: 256,
        kept: 293,
        turns: 300,
        least_bytes: 16,
        octaves: 6,
        operations: 150_000,
    },
    demand: 4,
};

/// A launch has whole blocks of threads, and each thread may hold one of the largest memory blocks:
/// these are smaller here. Pools are smaller too, because a sanitizer tracks all of their memory.
const SMALL_ON_GPU: Scale = Scale {
    threads: 1_000,
    least_pool: 64 * MIB,
    largest_pool: MIB,
    filled: (8 * MIB, 90),
    operations: 20_000,
    largest: 70_000,
    ..SMALL
};

clauses! {
    FULL, SMALL_ON_GPU, SMALL;
    blocks_of_every_size_keep_their_contents
    exhaustion_gives_nulls_and_passes
    small_blocks_fill_virtualized_queues
    warps_allocate_and_free_in_one_kernel
    blocks_change_hands_under_stress
    full_heaps_keep_contents_and_lose_nothing
    overwriting_is_reported
}

/// Bytes that an allocator may need beyond those asked for, a block.
const OVERHEAD: u64 = 96;

/// Whether null may be given though there is room: the published walk has to end, and
/// may come by no chunks but those that others hold.
fn may_miss(spec: &Spec) -> bool {
    spec.parameters()
        .get("walk")
        .is_some_and(|walk| walk == "paper")
}

/// No two live blocks have one handle, and none is null unless that may be; how many are.
fn assert_distinct(handles: &[u64], spec: &Spec, what: &str) -> u32 {
    let mut blocks: Vec<u64> = handles.to_vec();
    blocks.retain(|&handle| handle != u64::MAX);
    let nulls = handles.len() - blocks.len();
    assert!(nulls == 0 || may_miss(spec), "{what}: {nulls} nulls");
    let served = blocks.len();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), served, "{what}: a block given twice");
    nulls as u32
}

fn blocks_of_every_size_keep_their_contents(backend: &dyn Backend, scale: Scale) {
    for spec in specs_with_pools() {
        let allocator = spec.allocator;
        let largest = Trial::new(backend, &spec, scale.largest_pool, 1).max_block();
        for bytes in [
            1, 4, 15, 16, 17, 100, 256, 1024, 8191, 0, 65_536, 1_000_000, largest,
        ] {
            if bytes > u64::from(scale.largest) && bytes != largest {
                continue;
            }
            let threads = match bytes {
                _ if bytes == largest => 1,
                0 => (scale.pool / 4 / 8192) as u32,
                _ => (scale.pool / 4 / (bytes + OVERHEAD)) as u32,
            };
            let threads = threads.clamp(1, scale.threads);
            let pool = match bytes {
                _ if bytes == largest => scale.largest_pool,
                0 => scale.pool,
                _ => scale.pool_for(threads.into(), bytes),
            };
            let trial = Trial::new(backend, &spec, pool, threads);
            for (malloc, free) in [
                (Apart, Apart),
                (Together, Together),
                (Together, Apart),
                (Apart, Together),
            ] {
                let what = format!("{}, {threads} x {bytes} B {malloc:?}", trial.name);
                let handles = trial.malloc(bytes, malloc);
                let nulls = assert_distinct(&handles, &spec, &what);
                assert_eq!(trial.fill_and_verify(bytes), (nulls, 0), "{what}");
                trial.exchange_blocks();
                trial.free(free);
                let (occupancy, faults) = trial.state();
                assert_eq!(faults, Default::default(), "{what}");
                if allocator.properties.walkable && allocator.properties.frees {
                    assert_eq!(occupancy.used_bytes, 0, "{what}");
                }
                if !allocator.properties.frees {
                    trial.init();
                }
            }
        }
    }
}

fn exhaustion_gives_nulls_and_passes(backend: &dyn Backend, scale: Scale) {
    let bytes = 1024;
    let threads = scale.threads.min(40_000);
    let pool = u64::from(threads) * bytes / 2;
    for spec in specs_with_pools() {
        let allocator = spec.allocator;
        if allocator.properties.may_overwrite {
            continue;
        }
        let mut trial = Trial::new(backend, &spec, pool, threads);
        let name = trial.name;
        let mut first = None;
        for _ in 0..3 {
            trial.malloc(bytes, Apart);
            let (nulls, corrupt) = trial.fill_and_verify(bytes);
            assert_eq!(corrupt, 0, "{name}");
            let served = threads - nulls;
            assert!(u64::from(served) * bytes <= pool, "{name}: {served} served");
            let fit = (pool / (bytes + OVERHEAD)) as u32;
            let first = *first.get_or_insert(served);
            // An allocator that may refuse while memory is free does so where many threads ask at
            // once.
            let least = match allocator.properties.exact_null {
                // The remainder of the pool's split is lost to this size; freed blocks serve again.
                true => (fit / 2).max(first / 10 * 9),
                false => 1,
            };
            assert!(served >= least, "{name}: {served} of {fit}, first {first}");
            trial.free(Apart);
            if allocator.properties.walkable && allocator.properties.frees {
                assert_eq!(trial.state().0.used_bytes, 0, "{name}");
            }
            if !allocator.properties.frees {
                trial.init();
            }
        }
        if allocator.properties.reuses_across_sizes {
            let large = Trial::new(backend, &spec, pool, 1).max_block() / 2;
            trial.init();
            trial.malloc(bytes, Apart);
            trial.free(Apart);
            // One thread: a block of a GPU has several warps, whose requests
            // would not all fit.
            trial.threads = 1;
            let handles = trial.malloc(large, Apart);
            let (nulls, corrupt) = trial.fill_and_verify(large);
            assert_eq!(
                (nulls, corrupt),
                (0, 0),
                "{name}: no {large} bytes after small blocks: {handles:?}"
            );
        }
    }
}

/// Winter et al. 2020, section 6.1.3: 16-byte blocks are 98.35 % of the pool, for
/// what the queues need is in the pool itself and given back.
fn small_blocks_fill_virtualized_queues(backend: &dyn Backend, scale: Scale) {
    let bytes = 16;
    let (pool, percent) = scale.filled;
    let threads = (pool / bytes) as u32;
    // Without the checked ones, whose blocks have headers.
    let virtualized = ["p_va", "p_vl", "c_va", "c_vl"].map(|kind| format!("ouroboros_{kind}"));
    let is_virtualized = |spec: &Spec| virtualized.iter().any(|name| name == spec.allocator.name);
    for spec in specs_with_pools().filter(is_virtualized) {
        let name = spec.name();
        let trial = Trial::new(backend, &spec, pool, threads);
        for _ in 0..2 {
            drop(trial.malloc(bytes, Apart));
            let (nulls, corrupt) = trial.fill_and_verify(bytes);
            assert_eq!(corrupt, 0, "{name}");
            let filled = u64::from(threads - nulls) * bytes;
            println!("{name}: {filled} bytes of {pool}");
            assert!(filled * 100 >= pool * percent, "{name}: {filled} B");
            trial.free(Apart);
            assert_eq!(trial.state().0.used_bytes, 0, "{name}");
        }
    }
}

fn warps_allocate_and_free_in_one_kernel(backend: &dyn Backend, scale: Scale) {
    let warps = scale.threads / 16;
    for spec in specs_with_pools() {
        for (bytes, kept) in [(16, 1), (1024, 1), (16, 10), (1024, 10)] {
            let pool = scale.pool_for(u64::from(warps * kept), bytes);
            let trial = Trial::new(backend, &spec, pool, 1);
            let name = trial.name;
            for cycles in [false, true] {
                let nulls = if cycles {
                    trial.warps::<AllocCycleDealloc>(warps, bytes, kept)
                } else {
                    trial.warps::<AllocDealloc>(warps, bytes, 1)
                };
                let what = format!("{name}, {bytes} B, cycles: {cycles}");
                assert!(nulls == 0 || may_miss(&spec), "{what}: {nulls} nulls");
                let (occupancy, faults) = trial.state();
                assert_eq!(faults.invalid_frees + faults.overruns, 0, "{name}");
                if spec.allocator.properties.walkable && spec.allocator.properties.frees {
                    assert_eq!(occupancy.used_bytes, 0, "{what}");
                }
            }
        }
    }
}

fn blocks_change_hands_under_stress(backend: &dyn Backend, scale: Scale) {
    // Parts of the operations by size: large blocks take long to fill.
    let ranges: [((u32, u32), u64); 4] = [
        ((8, 64), 600),
        ((8, 4096), 350),
        ((8, 65_536), 49),
        ((8, scale.largest), 1),
    ];
    for spec in specs_with_pools() {
        let allocator = spec.allocator;
        let keeps = allocator.properties.frees && !allocator.properties.may_overwrite;
        let mut done = 0;
        for (bytes, part) in ranges {
            let most = u64::from(bytes.1) + OVERHEAD;
            // Each thread holds one block, each slot another.
            let share = (scale.pool / 4 / most / 2) as u32;
            let threads = share.clamp(1, scale.threads.min(32_768));
            let operations = (scale.operations * part).div_ceil(1000);
            let mut stress = Stress {
                slots: share.clamp(1, 65_536),
                threads,
                turns: (operations.min(2_000_000) as u32 / threads).clamp(1, 1024),
                bytes,
                operations,
            };
            if !keeps {
                // No more than the pool holds without using anything again.
                let fit = scale.pool / 2 / most / u64::from(threads.next_multiple_of(256));
                let turns = fit.min(scale.operations / u64::from(threads));
                stress.turns = (turns as u32).max(1);
                stress.operations = 0;
            }
            let trial = Trial::new(backend, &spec, scale.pool, 1);
            let counts = trial.stress(stress);
            let what = format!("{}, {stress:?}: {counts:?}", trial.name);
            assert_eq!(counts.corrupt, 0, "{what}");
            assert!(counts.nulls == 0 || may_miss(&spec), "{what}");
            assert_eq!(counts.served, counts.freed, "{what}");
            let (occupancy, faults) = trial.state();
            assert_eq!(faults, Default::default(), "{what}");
            if allocator.properties.walkable && allocator.properties.frees {
                assert_eq!(occupancy.used_bytes, 0, "{what}");
            }
            done += counts.served + counts.freed;
        }
        if keeps {
            assert!(done >= scale.operations, "{}: {done}", allocator.name);
        }
        println!("{}: {done} operations", allocator.name);
    }
}

fn overwriting_is_reported(backend: &dyn Backend, scale: Scale) {
    let bytes = 1024;
    let threads = scale.threads.min(40_000);
    let pool = u64::from(threads) * bytes / 2;
    // A checked block's header may be gone with the block.
    let plain = |spec: &Spec| spec.name() == spec.allocator.name;
    let overwriting = |spec: &Spec| spec.allocator.properties.may_overwrite && plain(spec);
    for spec in specs_with_pools().filter(overwriting) {
        let trial = Trial::new(backend, &spec, pool, threads);
        trial.malloc(bytes, Apart);
        trial.free(Apart);
        let (_, faults) = trial.state();
        // Half of the blocks, or some more, lie under those of the second turn.
        let expected = u64::from(threads) / 4..=u64::from(threads);
        assert!(
            expected.contains(&faults.overwritten),
            "{}: {faults:?}",
            trial.name
        );
    }
}
