//! Checked mode finds wrong use of a heap, and counts it exactly. That it is
//! silent on correct use is what the other clauses see.

use heapwood_device::allocator::{Faults, Handle};
use heapwood_device::simt::Warp;

use crate::conformance::bench::Bench;
use crate::conformance::machine::Machine;

fn faults<M: Machine, H: Handle>(bench: &Bench<M, H>) -> Faults {
    bench.pool.allocator().faults()
}

/// Of all threads that free one block, every one but the first is counted, and
/// the heap stays whole.
pub fn double_frees<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    for coalesced in [false, true] {
        bench.reset();
        let block = bench.alone(|warp| bench.obtain(warp, 100, false));
        let block = block.expect("an empty heap");
        bench.ledger.strike(&block, block.requested_by);
        bench.launch(&|warp| {
            let handle = H::from_bits(block.bits);
            // SAFETY: no thread uses the block; the allocator must find that all but one of these
            // calls are wrong.
            unsafe {
                if coalesced {
                    bench.pool.allocator().free_coalesced(warp, handle);
                } else {
                    bench.pool.allocator().free(warp, handle);
                }
            }
        });
        let expected = Faults {
            invalid_frees: u64::from(M::THREADS) - 1,
            ..Faults::default()
        };
        assert_eq!(faults(bench), expected, "{:?}", bench.case);
        bench.reset();
        bench.check_all_free();
    }
}

/// Handles that name no block are counted and change nothing: outside the pool,
/// and in the middle of a block.
pub fn foreign_handles<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let block = bench.alone(|warp| bench.obtain(warp, 500, false));
    let block = block.expect("an empty heap");
    let outside = H::NULL.to_bits() - 1;
    for (count, bits) in [(1, outside), (2, block.bits + 1), (3, block.bits + 3)] {
        bench.alone(|warp| {
            // SAFETY: the handle names no block; that is what is to be found.
            unsafe { bench.pool.allocator().free(warp, H::from_bits(bits)) };
        });
        let expected = Faults {
            invalid_frees: count,
            ..Faults::default()
        };
        assert_eq!(faults(bench), expected, "{:?}: {bits:#x}", bench.case);
    }
    bench.alone(|warp| bench.retire(warp, block, false));
    assert_eq!(faults(bench).invalid_frees, 3, "{:?}", bench.case);
    bench.reset();
    bench.check_all_free();
}

/// A block written past its end by a single byte, the first or the last of the
/// canary's, is counted when it is freed, one written to its last byte is not.
pub fn overruns<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    for bytes in [0, 1, 15, 16, 17, 500] {
        bench.reset();
        bench.launch(&|warp| {
            let block = bench.obtain(warp, bytes, false).expect("an empty heap");
            if warp.thread() % 2 == 1 {
                let past = bytes.max(1) as usize + if warp.thread() % 4 == 1 { 0 } else { 15 };
                let start = block.address as *mut u8;
                // SAFETY: the 16 bytes behind the block are the canary, which checked
                // mode keeps there for this.
                unsafe { start.add(past).write(0) };
            }
            bench.retire(warp, block, false);
        });
        let expected = Faults {
            overruns: u64::from(M::THREADS) / 2,
            ..Faults::default()
        };
        assert_eq!(faults(bench), expected, "{:?}: {bytes} bytes", bench.case);
    }
    bench.reset();
    bench.check_all_free();
}
