//! Requests and frees by all threads on a heap that is full, and what it serves
//! afterwards.

use heapwood_device::allocator::Handle;
use heapwood_device::bench::{CHURN_WORDS, Churn, ChurnArguments, ChurnCounts, PLACE_WORDS};
use heapwood_device::kernel::Kernel;

use crate::conformance::bench::Bench;
use crate::conformance::machine::Machine;

/// Octaves of sizes.
const OCTAVES: u32 = 6;
/// Numbers of places, each twice the one before: the third is for half the requests refused by a
/// heap that is filled in order. A heap on which blocks come and go is fragmented: it holds a
/// fourth to all of that, depending on the schedule. Over all of these numbers together some
/// requests are granted and some refused, whatever it holds.
const DEMANDS: u32 = 4;

/// Arguments whose pointers outlive the launch.
struct Shared(ChurnArguments);

// SAFETY: each thread uses its own places, and the counters by atomic operations.
unsafe impl Sync for Shared {}

impl Shared {
    /// The arguments; a method, so that closures capture the whole.
    fn get(&self) -> ChurnArguments {
        self.0
    }
}

/// The sizes of all octaves, the largest first.
fn octaves(least_bytes: u32) -> Vec<u64> {
    let sizes = (0..OCTAVES).rev();
    sizes
        .map(|octave| u64::from(least_bytes << octave))
        .collect()
}

/// Fills the heap with blocks of these sizes, the largest first, so that what serves one
/// size only is filled too; returns the bytes granted.
fn fill<M: Machine, H: Handle>(bench: &Bench<M, H>, sizes: &[u64]) -> u64 {
    bench.alone(|warp| {
        let allocator = bench.pool.allocator();
        let mut sum = 0;
        for bytes in sizes {
            let served = || Some(allocator.malloc(warp, *bytes)).filter(|block| !block.is_null());
            sum += std::iter::from_fn(served)
                // SAFETY: the block was just requested.
                .map(|block| unsafe { allocator.granted(block, *bytes) })
                .sum::<u64>();
        }
        sum
    })
}

/// The bytes that the heap holds in blocks of all octaves. A heap with separate regions for small
/// and large blocks holds more than its largest block.
fn holds<M: Machine, H: Handle>(bench: &Bench<M, H>, least_bytes: u32) -> u64 {
    let filled = fill(bench, &octaves(least_bytes));
    bench.reset();
    filled.max(bench.max_block())
}

/// Blocks of mixed sizes come and go on a heap that fills, about half the requests are
/// refused, and every block keeps its contents. Once all are freed the heap serves
/// what it served when it was fresh.
pub fn churn<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.frees || bench.properties.may_overwrite {
        return;
    }
    let case = &bench.case;
    // A refusal may look at all of the pool, and lanes in lockstep make a step at a
    // time: large pools are for OS threads.
    if case.pool_bytes > u64::from(M::TURNS) << 15 {
        return;
    }
    // As many places a thread as it comes by several times, whatever the pool.
    let most_places = u64::from(M::THREADS * M::TURNS / 4);
    let mut least_bytes = 16;
    let places = loop {
        // Large requests are the first to be refused, so that the many small ones
        // alone must fill the heap: as many times what it holds as there are octaves.
        let heap_bytes = holds(bench, least_bytes) * u64::from(OCTAVES) / 3;
        let places = ChurnArguments::places_for(heap_bytes, least_bytes, OCTAVES);
        if places <= most_places {
            break places;
        }
        least_bytes *= 2;
    };
    // The last number of places is twice the third.
    let most_kept = 2 * places.div_ceil(u64::from(M::THREADS)) as u32;
    let mut words = vec![0; PLACE_WORDS * (most_kept * M::THREADS) as usize];
    let mut counters = [0; CHURN_WORDS];
    let mut launch = |kept, turns, seed| {
        let arguments = Shared(ChurnArguments {
            places: words.as_mut_ptr(),
            counters: counters.as_mut_ptr(),
            kept,
            turns,
            least_bytes,
            octaves: OCTAVES,
            seed,
        });
        bench.launch(&|warp| {
            // SAFETY: places for all threads of the launch, 0 at first, and counters.
            unsafe { Churn::run(warp, bench.pool.allocator(), arguments.get()) };
        });
    };
    let launches = M::REPEATS.max(DEMANDS);
    for seed in 0..launches {
        let halvings = DEMANDS - 1 - seed * DEMANDS / launches;
        launch((most_kept >> halvings).max(1), M::TURNS, seed);
    }
    // Frees what is left.
    launch(most_kept, 0, launches);
    let counts = ChurnCounts::from_words(&counters);
    assert_eq!(counts.corrupt, 0, "{case:?}: {counts:?}");
    assert_eq!(counts.granted, counts.freed, "{case:?}: {counts:?}");
    let requests = counts.granted + counts.refused;
    let refused = 100 * counts.refused / requests;
    assert!((20..=80).contains(&refused), "{case:?}: {counts:?}");
    bench.check_all_free();
}
