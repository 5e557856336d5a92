//! A heap on a machine, with everything that the clauses of the suite check on
//! each block and whenever the heap is at rest.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::allocator::{Allocator, Faults, Handle, Heap, Occupancy};
use heapwood_device::allocator::{Properties, Request, SetupError};
use heapwood_device::simt::Warp;

use super::ledger::{Block, Ledger};
use super::machine::Machine;
use super::pool::{AnyPool, Pool};

/// A heap to test.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// The allocator's parameters.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// What the suite must know of an allocator beyond its constants.
pub struct Traits {
    /// Bytes a block that `walk` counts as used though they are not granted.
    pub overhead: u64,
    /// Bytes that an empty heap may keep for itself once it was full: the chunks of
    /// virtualized queues.
    pub kept: u64,
    /// The largest request that the empty heap serves, of what `max_block` says: of the user's
    /// functions that does not know what they keep for themselves.
    pub most: fn(u64) -> u64,
    /// A look at the allocator's own structures when the heap is at rest.
    pub inspect: fn(&Heap, &[Block]),
}

/// Makes a heap, not yet initialised; arguments as for [`Pool::new`].
type MakePool<W, H> = fn(u64, u32, &[(&str, &str)]) -> Result<AnyPool<W, H>, SetupError>;

/// A heap on a machine.
///
/// The allocator's type is known to [`Bench::new`] alone, so that the clauses are compiled
/// once for each kind of handle and not for each allocator.
pub struct Bench<'a, M: Machine, H: Handle = u32> {
    /// The case, for messages.
    pub case: Case,
    /// The heap.
    pub pool: AnyPool<M::Warp, H>,
    /// The machine.
    pub machine: &'a M,
    /// The live blocks.
    pub ledger: Ledger,
    /// What the allocator declares of itself.
    pub properties: Properties,
    /// [`Allocator::setup`].
    pub setup: fn(&Request) -> Result<Heap, SetupError>,
    /// Makes another heap of the same allocator.
    pub make_pool: MakePool<M::Warp, H>,
    max_block: u64,
    traits: &'a Traits,
    seeds: AtomicU64,
}

impl<'a, M: Machine, H: Handle> Bench<'a, M, H> {
    /// An empty heap of allocator `A` for `case`.
    pub fn new<A: Allocator<Handle = H>>(case: Case, machine: &'a M, traits: &'a Traits) -> Self {
        let make_pool: MakePool<M::Warp, H> = |bytes, processors, parameters| {
            let pool = Pool::<A>::new(bytes, processors, parameters)?;
            Ok(pool.erased())
        };
        let pool = make_pool(case.pool_bytes, M::PROCESSORS, case.parameters)
            .unwrap_or_else(|error| panic!("{case:?}: {error:?}"));
        let bench = Self {
            case,
            properties: Properties::of::<A>(),
            max_block: (traits.most)(A::max_block(pool.heap())),
            pool,
            machine,
            ledger: Ledger::default(),
            setup: A::setup,
            make_pool,
            traits,
            seeds: AtomicU64::new(1),
        };
        bench.reset();
        bench
    }

    /// Bytes that the heap may keep for itself: [`Traits::kept`].
    pub fn kept(&self) -> u64 {
        self.traits.kept
    }

    /// Makes the heap empty: by freeing what lives, if `init` does not.
    pub fn reset(&self) {
        if self.properties.system_heap {
            self.retire_all(&self.ledger.live());
        }
        self.ledger.clear();
        if self.properties.external {
            self.pool.zero_state();
        }
        self.machine.launch(&|warp| {
            // SAFETY: a launch of all threads, and no block is used afterwards.
            unsafe { self.pool.allocator().init(warp) };
        });
    }

    /// The largest request that the empty heap can serve.
    pub fn max_block(&self) -> u64 {
        self.max_block
    }

    /// Bytes a block that `walk` counts as used though they are not granted.
    pub fn overhead(&self) -> u64 {
        self.traits.overhead
    }

    /// Checks and records a block that was asked for as `bytes`.
    #[track_caller]
    pub fn receive(&self, handle: H, bytes: u64) -> Option<Block> {
        let case = &self.case;
        if handle.is_null() {
            return None;
        }
        let allocator = self.pool.allocator();
        let address = allocator.address(handle) as usize;
        // SAFETY: the block was just requested.
        let granted = unsafe { allocator.granted(handle, bytes) };
        assert!(
            address.is_multiple_of(16),
            "{case:?}: {bytes} at {address:#x}"
        );
        assert!(
            granted >= bytes.max(1),
            "{case:?}: {granted} granted for {bytes}"
        );
        assert!(
            self.properties.system_heap || self.pool.encloses(address, granted),
            "{case:?}: outside the pool"
        );
        assert!(allocator.contains(handle), "{case:?}: a foreign handle");
        let block = Block {
            bits: handle.to_bits(),
            address,
            bytes,
            granted,
            seed: self.seeds.fetch_add(1, Relaxed),
        };
        if let Some(other) = self.ledger.enter(block) {
            panic!("{case:?}: {block:?} overlaps {other:?}");
        }
        // SAFETY: the block was just allocated by the caller.
        unsafe { block.fill() };
        Some(block)
    }

    /// Allocates a block, coalesced or not.
    #[track_caller]
    pub fn obtain(&self, warp: M::Warp, bytes: u64, coalesced: bool) -> Option<Block> {
        let allocator = self.pool.allocator();
        let handle = if coalesced {
            allocator.malloc_coalesced(warp, bytes)
        } else {
            allocator.malloc(warp, bytes)
        };
        self.receive(handle, bytes)
    }

    /// Checks, strikes out and frees a block, coalesced or not.
    #[track_caller]
    pub fn retire(&self, warp: M::Warp, block: Block, coalesced: bool) {
        // SAFETY: whoever calls this has the block and gives it up.
        unsafe {
            assert!(block.is_intact(), "{:?}: {block:?} was changed", self.case);
            self.ledger.strike(&block);
            let handle = H::from_bits(block.bits);
            let allocator = self.pool.allocator();
            if coalesced {
                allocator.free_coalesced(warp, handle);
            } else {
                allocator.free(warp, handle);
            }
        }
    }

    /// Runs `kernel` on one thread, and gives back what it returns.
    pub fn alone<T: Send>(&self, kernel: impl Fn(M::Warp) -> T + Sync) -> T {
        let result = Mutex::new(None);
        self.machine.launch(&|warp| {
            if warp.thread() == M::THREADS / 2 {
                let value = kernel(warp);
                *result.lock().expect("one thread alone") = Some(value);
            }
        });
        let value = result.into_inner().expect("one thread alone");
        value.expect("the launch has this thread")
    }

    /// Frees blocks: block `n` is freed by thread `n` modulo their number.
    pub fn retire_all(&self, blocks: &[Block]) {
        self.machine.launch(&|warp| {
            let first = warp.thread() as usize;
            for block in blocks.iter().skip(first).step_by(M::THREADS as usize) {
                self.retire(warp, *block, false);
            }
        });
    }

    /// What `walk` finds, added up.
    pub fn occupancy(&self) -> Occupancy {
        let sum = Mutex::new(Occupancy::default());
        self.machine.launch(&|warp| {
            let share = self.pool.allocator().walk(warp);
            let mut sum = sum.lock().expect("no thread panics in here");
            sum.used_bytes += share.used_bytes;
            sum.free_bytes += share.free_bytes;
            sum.largest_free_bytes = sum.largest_free_bytes.max(share.largest_free_bytes);
        });
        sum.into_inner().expect("no thread panics in here")
    }

    /// Checks the heap at rest: guards, the live blocks' contents, no faults,
    /// the walk's figures, and the allocator's own structures.
    pub fn check_at_rest(&self) {
        let case = &self.case;
        assert!(self.pool.guards_intact(), "{case:?}: wrote outside");
        let live = self.ledger.live();
        for block in &live {
            // SAFETY: the block is live and no kernel runs.
            let intact = unsafe { block.is_intact() };
            assert!(intact, "{case:?}: {block:?} was changed");
        }
        let faults = self.pool.allocator().faults();
        assert_eq!(faults, Faults::default(), "{case:?}");
        if self.properties.walkable {
            let state = self.occupancy();
            let used: u64 = live
                .iter()
                .map(|block| block.granted + self.traits.overhead)
                .sum();
            assert_eq!(state.used_bytes, used, "{case:?}: {} blocks", live.len());
            assert!(
                state.largest_free_bytes <= state.free_bytes,
                "{case:?}: {state:?}"
            );
            assert!(
                state.used_bytes + state.free_bytes <= case.pool_bytes,
                "{case:?}: {state:?}"
            );
        }
        (self.traits.inspect)(self.pool.heap(), &live);
    }

    /// Checks that the heap is as good as new after everything was freed.
    pub fn check_all_free(&self) {
        self.check_at_rest();
        assert!(self.ledger.live().is_empty(), "the test kept blocks");
        if self.properties.reuses_across_sizes {
            let most = self.max_block();
            let block = self.alone(|warp| self.obtain(warp, most, false));
            let block = block
                .unwrap_or_else(|| panic!("{:?}: no block of {most} in an empty heap", self.case));
            self.check_at_rest();
            self.alone(|warp| self.retire(warp, block, false));
            self.check_at_rest();
        }
    }
}
