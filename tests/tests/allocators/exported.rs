//! Allocators as the functions of `heapwood export`: lanes that call together pass the mask that
//! they have read, whatever they request and free, and no collective waits for a lane that takes
//! another way.

use std::collections::BTreeMap;
use std::sync::Mutex;

use heapwood_device::allocators::{CfMalloc, Gallatin, OuroborosCS, OuroborosPS, ScatterAlloc};
use heapwood_device::export::{self, Export};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

const POOL: u64 = 4 << 20;
/// Blocks that a thread has at a time.
const KEPT: usize = 3;

/// Bytes of a request: mostly those of one size, some of other sizes, some of none, some as
/// runs of pages or chunks, and some that no pool has.
fn bytes(thread: u32, turn: u32, seed: u32) -> u64 {
    let hash = (thread ^ turn << 8 ^ seed << 16).wrapping_mul(0x9e37_79b1) >> 16;
    match hash % 16 {
        0 => 0,
        1 | 2 => u64::from(hash % 2000),
        3 => 20_000,
        4 => 8192,
        5 => POOL + 1,
        _ => 48,
    }
}

/// Every block is there for one owner at a time, and none is refused that the pool has room for.
fn blocks_have_one_owner<M: Machine, A: Export>(machine: &M, seed: u32) {
    let pool = Pool::<A>::new(POOL, M::PROCESSORS, &[]).expect("a pool");
    // SAFETY: a launch of all threads over a heap without blocks.
    machine.launch(&|warp| unsafe { pool.allocator().init(warp) });
    let owned = Mutex::new(BTreeMap::new());
    let from = pool.allocator().address(0).addr();
    // An address may be another thread's as soon as it is freed, so it leaves the map before.
    let give = |warp: M::Warp, (block, bytes): (*mut u8, u64)| {
        if !block.is_null() {
            let mut owned = owned.lock().expect("no panic in here");
            assert_eq!(owned.remove(&block.addr()), Some(bytes));
            drop(owned);
            let mask = warp.converge();
            // SAFETY: the block is live, and freed once; the lanes of the mask call together.
            unsafe { export::free::<_, A>(warp, *pool.heap(), block, mask) };
        }
    };
    machine.launch(&|warp| {
        let mut kept = [(std::ptr::null_mut(), 0); KEPT];
        for turn in 0..M::TURNS {
            let bytes = bytes(warp.thread(), turn, seed);
            // Lanes that were in other branches before come in other groups.
            let mask = warp.converge();
            // SAFETY: the heap was made ready; the lanes of the mask call together.
            let block = unsafe { export::malloc::<_, A>(warp, *pool.heap(), bytes, mask) };
            assert_eq!(block.is_null(), bytes > POOL, "{bytes} bytes");
            if !block.is_null() {
                let at = block.addr();
                assert!(at.is_multiple_of(16) && at - from + bytes as usize <= POOL as usize);
                let mut owned = owned.lock().expect("no panic in here");
                let end = at + bytes.max(1) as usize;
                let before = owned.range(..end).next_back();
                let is_free = before.is_none_or(|(other, bytes): (&usize, &u64)| {
                    other + (*bytes).max(1) as usize <= at
                });
                assert!(is_free, "{bytes} bytes overlap another block");
                owned.insert(at, bytes);
            }
            let slot = turn as usize % KEPT;
            let old = std::mem::replace(&mut kept[slot], (block, bytes));
            give(warp, old);
        }
        for block in kept {
            give(warp, block);
        }
    });
    assert!(owned.into_inner().expect("no panic in here").is_empty());
    let used = Mutex::new(0);
    machine.launch(&|warp| {
        *used.lock().expect("no panic in here") += pool.allocator().walk(warp).used_bytes;
    });
    assert_eq!(used.into_inner().expect("no panic in here"), 0);
    assert!(pool.guards_intact());
}

fn exported<A: Export>() {
    for seed in 0..2 {
        blocks_have_one_owner::<_, A>(&OsThreads, seed);
    }
    for seed in 0..10 {
        let machine = Coroutines::new(u64::from(seed));
        blocks_have_one_owner::<_, A>(&machine, seed);
    }
}

#[test]
fn cfmalloc_is_exported() {
    exported::<CfMalloc>();
}

#[test]
fn ouroboros_p_s_is_exported() {
    exported::<OuroborosPS>();
}

#[test]
fn ouroboros_c_s_is_exported() {
    exported::<OuroborosCS>();
}

#[test]
fn gallatin_is_exported() {
    exported::<Gallatin>();
}

#[test]
fn scatteralloc_is_exported() {
    exported::<ScatterAlloc>();
}
