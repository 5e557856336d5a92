//! Setting up, resetting, and what a heap says about itself.

use std::ptr;

use heapwood_device::allocator::{Handle, Observe, Request, SetupError};

use crate::conformance::bench::Bench;
use crate::conformance::machine::Machine;
use crate::lockstep::Random;

/// Pools that are too small or too large and parameters that do not exist are
/// refused; the least pool that is named works.
pub fn setup<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let request = |pool_bytes, parameters| Request {
        base: ptr::null_mut::<u8>().wrapping_add(1 << 20),
        pool_bytes,
        processors: M::PROCESSORS,
        parameters,
        observe: Observe::GUARDS,
    };
    let Err(SetupError::PoolTooSmall { needed }) = (bench.setup)(&request(64, &[])) else {
        panic!("a pool of 64 bytes is not refused as too small");
    };
    assert!(matches!(
        (bench.setup)(&request(needed - 1, &[])),
        Err(SetupError::PoolTooSmall { .. })
    ));
    let least = (bench.make_pool)(needed, M::PROCESSORS, &[]).expect("the least pool");
    bench.machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { least.allocator().init(warp) };
    });
    let served = bench.alone(|warp| {
        let block = least.allocator().malloc(warp, 1);
        // SAFETY: the block was just requested, or is null.
        unsafe { least.allocator().free(warp, block) };
        !block.is_null()
    });
    assert!(served, "the least pool of {needed} bytes serves nothing");
    assert!(least.guards_intact());
    let Err(SetupError::PoolTooLarge { limit }) = (bench.setup)(&request(1 << 60, &[])) else {
        panic!("a pool of 2^60 bytes is not refused as too large");
    };
    let largest = (bench.setup)(&request(limit, &[]));
    assert!(largest.is_ok(), "{limit} bytes: {largest:?}");
    let unknown = (bench.setup)(&request(1 << 20, &[("no such parameter", "1")]));
    assert!(matches!(unknown, Err(SetupError::BadParameter { .. })));
}

/// Initialising again makes the heap empty, whatever was in it.
pub fn reset<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    let most = bench.max_block();
    for round in 0..3 {
        let block = bench.alone(|warp| bench.obtain(warp, most, false));
        assert!(block.is_some(), "{:?}: round {round}", bench.case);
        bench.reset();
        let live = bench.alone(|warp| {
            let mut random = Random::new(round);
            (0..40)
                .filter_map(|_| bench.obtain(warp, random.below(most / 100), false))
                .count()
        });
        assert!(live > 20, "{:?}: {live} blocks", bench.case);
        bench.check_at_rest();
        bench.reset();
        bench.check_at_rest();
        bench.reset();
    }
}

/// The walk's figures are right at any moment of rest, and the largest free
/// block that it names is to be had.
pub fn walk<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.walkable {
        return;
    }
    let most = bench.max_block();
    let mut random = Random::new(most);
    for round in 0..30 {
        let live = bench.ledger.live();
        bench.alone(|warp| {
            let mut random = Random::new(round);
            for block in live.iter().filter(|_| random.one_in(3)) {
                bench.retire(warp, *block, false);
            }
        });
        let bytes = random.below(most / 20) + 1;
        bench.alone(|warp| bench.obtain(warp, bytes, false));
        bench.check_at_rest();
        let largest = bench.occupancy().largest_free_bytes;
        if let (true, Some(asked)) = (
            bench.properties.reuses_across_sizes,
            largest.checked_sub(bench.overhead() + 1),
        ) {
            let asked = asked + 1;
            let block = bench.alone(|warp| bench.obtain(warp, asked, false));
            let block = block
                .unwrap_or_else(|| panic!("{:?}: {asked} of {largest} free bytes", bench.case));
            bench.check_at_rest();
            bench.alone(|warp| bench.retire(warp, block, false));
        }
    }
}

/// An allocator that may hand out a live block again says so when that block is
/// freed, and is silent otherwise.
pub fn overwritten<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.may_overwrite {
        return;
    }
    let allocator = || bench.pool.allocator();
    let overwritten = || allocator().faults().overwritten;
    // Eight blocks fit, in whole units, and not nine.
    let bytes = bench.max_block() / 8 / 16 * 16;
    // SAFETY: both blocks came from `malloc` and are freed once.
    let turn = |requests: u32| unsafe {
        bench.alone(|warp| {
            let block = allocator().malloc(warp, bytes);
            for _ in 0..requests {
                let other = allocator().malloc(warp, bytes);
                assert!(!other.is_null());
                allocator().free(warp, other);
            }
            allocator().free(warp, block);
        })
    };
    turn(7);
    assert_eq!(overwritten(), 0, "the pool holds eight blocks");
    bench.reset();
    turn(8);
    assert_eq!(overwritten(), 1, "the ninth block lies over the first");
    turn(30);
    assert_eq!(overwritten(), 2, "further turns count the block once");
    bench.reset();
    assert_eq!(overwritten(), 0);
}
