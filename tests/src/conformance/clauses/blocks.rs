//! Clauses about a single block, and about many that must not overlap.

use heapwood_device::allocator::Handle;
use heapwood_device::simt::Warp;

use crate::conformance::bench::Bench;
use crate::conformance::machine::Machine;
use crate::lockstep::Random;

/// Every size from 0 to `max_block` is served from an empty heap, with and
/// without the warp's company; what is too large gives null.
pub fn sizes<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let most = bench.max_block();
    assert!(
        most <= bench.pool.bytes(),
        "{:?}: max_block {most}",
        bench.case
    );
    let small = [0, 1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100];
    let large = [most / 64, most / 8, most / 2, most - 1, most];
    for bytes in small.into_iter().chain(large) {
        for coalesced in [false, true] {
            if bytes > 100 {
                bench.reset();
            }
            let block = bench
                .alone(|warp| bench.obtain(warp, bytes, coalesced))
                .unwrap_or_else(|| panic!("{:?}: no block of {bytes}", bench.case));
            bench.check_at_rest();
            bench.alone(|warp| bench.retire(warp, block, coalesced));
            bench.check_at_rest();
        }
    }
    for bytes in [most + 1, bench.pool.bytes(), u64::MAX / 2, u64::MAX] {
        for coalesced in [false, true] {
            bench.reset();
            if bytes > most {
                let block = bench.alone(|warp| bench.obtain(warp, bytes, coalesced));
                assert_eq!(block, None, "{:?}: {bytes} of {most} bytes", bench.case);
                bench.check_at_rest();
            }
        }
    }
}

/// Blocks of all threads lie apart and keep their contents; null is ignored.
pub fn disjoint<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let share = bench.max_block() / u64::from(M::THREADS) / 16;
    for repeat in 0..M::REPEATS {
        bench.reset();
        bench.launch(&|warp| {
            let mut random = Random::new(u64::from(repeat << 16 | warp.thread()));
            for _ in 0..4 {
                bench.obtain(warp, random.below(share) + 1, random.one_in(2));
            }
            // SAFETY: null is no block.
            unsafe { bench.pool.allocator().free(warp, H::NULL) };
        });
        let live = bench.ledger.live();
        let all = 4 * M::THREADS as usize;
        // A quarter of the pool: nothing but a wild split may fail to serve it.
        assert!(
            live.len() >= all / 2,
            "{:?}: {} blocks",
            bench.case,
            live.len()
        );
        bench.check_at_rest();
        bench.retire_all(&live);
        if bench.properties.frees {
            bench.check_all_free();
        }
    }
}
