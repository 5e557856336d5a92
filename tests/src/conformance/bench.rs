//! A heap on a machine, with everything that the clauses of the suite check on
//! each block and whenever the heap is at rest.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use heapwood_device::allocator::{Allocator, Faults, Handle, Heap, Occupancy};
use heapwood_device::allocator::{Properties, Request, SetupError};
use heapwood_device::simt::Warp;

use super::ledger::{Block, Caller, Ledger};
use super::machine::{Failure, Kernel, Machine};
use super::pool::{AnyPool, Pool};

/// A heap to test.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// The allocator's parameters.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// Properties of an allocator that the suite needs beyond its constants.
pub struct Traits {
    /// Bytes a block that `walk` counts as used though they are not granted.
    pub overhead: u64,
    /// Whether memory that was cut into blocks serves requests of their size alone, for ever, and
    /// has parts that serve none: then only blocks of one size are counted. None of heapwood's
    /// allocators is so.
    pub keeps_sizes: bool,
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
    /// The properties that the allocator declares.
    pub properties: Properties,
    /// [`Allocator::setup`].
    pub setup: fn(&Request) -> Result<Heap, SetupError>,
    /// Makes another heap of the same allocator.
    pub make_pool: MakePool<M::Warp, H>,
    max_block: u64,
    pub(super) traits: &'a Traits,
    seeds: AtomicU64,
    launches: AtomicU64,
    /// The bytes that a freshly initialised heap grants: [`Bench::fresh`].
    pub(super) fresh: OnceLock<u64>,
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
            launches: AtomicU64::new(0),
            fresh: OnceLock::new(),
        };
        bench.reset();
        bench
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
        self.init(&self.pool);
    }

    /// Makes a heap of the allocator empty, in which no block is used afterwards.
    pub(super) fn init(&self, pool: &AnyPool<M::Warp, H>) {
        self.launch(&|warp| {
            // SAFETY: a launch of all threads, and no block is used afterwards.
            unsafe { pool.allocator().init(warp) };
        });
    }

    /// Runs `kernel` on every thread.
    ///
    /// # Panics
    ///
    /// If a thread does or, in lockstep, the kernel has a fault; the message names the block
    /// whose owners nothing orders.
    #[track_caller]
    pub fn launch(&self, kernel: Kernel<'_, M::Warp>) {
        self.ended(self.machine.try_launch(kernel));
    }

    /// Counts a launch that has ended, and fails if it did.
    #[track_caller]
    fn ended(&self, launch: Result<(), Failure>) {
        self.launches.fetch_add(1, Relaxed);
        if let Err(failure) = launch {
            panic!("{}", self.explain(&failure));
        }
    }

    /// The message of a launch that failed.
    fn explain(&self, failure: &Failure) -> String {
        let Some(address) = failure.race else {
            return failure.to_string();
        };
        let live = self.ledger.live_at(address);
        let freed = self.ledger.freed_at(address);
        let blocks = match (freed, live) {
            (Some(freed), Some(live)) => format!(
                "nothing orders the accesses to the {freed} before those to the {live}: a release \
                 in `free` or an acquire in `malloc` is missing"
            ),
            (Some(freed), None) => format!("in the {freed}"),
            (None, Some(live)) => format!("in the {live}"),
            (None, None) => format!("at {address:#x}, which no block has had"),
        };
        format!("{:?}: {blocks}; {failure}", self.case)
    }

    /// The thread of `warp`, in the launch that is under way.
    pub(super) fn caller(&self, warp: M::Warp, coalesced: bool) -> Caller {
        Caller::of(warp, self.launches.load(Relaxed), coalesced)
    }

    /// The largest request that the empty heap can serve.
    pub fn max_block(&self) -> u64 {
        self.max_block
    }

    /// Bytes a block that `walk` counts as used though they are not granted.
    pub fn overhead(&self) -> u64 {
        self.traits.overhead
    }

    /// Describes a block that was just requested from `pool`.
    pub(super) fn describe(
        &self,
        pool: &AnyPool<M::Warp, H>,
        handle: H,
        bytes: u64,
        requested_by: Caller,
    ) -> Block {
        let allocator = pool.allocator();
        Block {
            bits: handle.to_bits(),
            address: allocator.address(handle) as usize,
            bytes,
            // SAFETY: the block was just requested.
            granted: unsafe { allocator.granted(handle, bytes) },
            seed: self.seeds.fetch_add(1, Relaxed),
            requested_by,
        }
    }

    /// Checks and records a block that was just requested.
    #[track_caller]
    pub(super) fn record(&self, block: &Block) {
        let case = &self.case;
        assert!(
            block.address.is_multiple_of(16),
            "{case:?}: {block} is not aligned to 16 bytes"
        );
        assert!(
            block.granted >= block.bytes.max(1),
            "{case:?}: {block} is too small"
        );
        assert!(
            self.properties.system_heap || self.pool.encloses(block.address, block.granted),
            "{case:?}: {block} is not inside the pool"
        );
        assert!(
            self.pool.allocator().contains(H::from_bits(block.bits)),
            "{case:?}: `contains` denies {block}"
        );
        if let Some(other) = self.ledger.enter(*block) {
            panic!("{case:?}: {block} overlaps {other}, which lives");
        }
    }

    /// Checks, records and fills a block that was asked for as `bytes`.
    #[track_caller]
    fn receive(&self, warp: M::Warp, handle: H, bytes: u64, coalesced: bool) -> Option<Block> {
        if handle.is_null() {
            return None;
        }
        let by = self.caller(warp, coalesced);
        let block = self.describe(&self.pool, handle, bytes, by);
        self.record(&block);
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
        self.receive(warp, handle, bytes, coalesced)
    }

    /// Checks, strikes out and frees a block, coalesced or not.
    #[track_caller]
    pub fn retire(&self, warp: M::Warp, block: Block, coalesced: bool) {
        // SAFETY: the caller owns the block and gives it up.
        unsafe {
            assert!(block.is_intact(), "{:?}: {block} was changed", self.case);
            self.ledger.strike(&block, self.caller(warp, coalesced));
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
        let kernel: Kernel<'_, M::Warp> = &|warp| {
            let value = kernel(warp);
            *result.lock().expect("one thread alone") = Some(value);
        };
        self.ended(self.machine.try_launch_alone(M::THREADS / 2, kernel));
        let value = result.into_inner().expect("one thread alone");
        value.expect("the launch has this thread")
    }

    /// Frees blocks: block `n` is freed by thread `n` modulo their number.
    pub fn retire_all(&self, blocks: &[Block]) {
        self.launch(&|warp| {
            let first = warp.thread() as usize;
            for block in blocks.iter().skip(first).step_by(M::THREADS as usize) {
                self.retire(warp, *block, false);
            }
        });
    }

    /// The sum of the occupancies that `walk` finds in each thread.
    pub fn occupancy(&self) -> Occupancy {
        let sum = Mutex::new(Occupancy::default());
        self.launch(&|warp| {
            let share = self.pool.allocator().walk(warp);
            let mut sum = sum.lock().expect("no thread panics in here");
            // Modulo 2^64, as the kernel `Report` adds.
            sum.used_bytes = sum.used_bytes.wrapping_add(share.used_bytes);
            sum.free_bytes = sum.free_bytes.wrapping_add(share.free_bytes);
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
            assert!(intact, "{case:?}: {block} was changed");
        }
        let faults = self.pool.allocator().faults();
        assert_eq!(faults, Faults::default(), "{case:?}");
        if self.properties.walkable {
            let state = self.occupancy();
            let used: u64 = live
                .iter()
                .map(|block| block.granted + self.traits.overhead)
                .sum();
            if state.used_bytes != used {
                let (walked, count) = (state.used_bytes, live.len());
                self.blame(&format!(
                    "the walk finds {walked} bytes in use, and {count} live blocks have {used}"
                ));
            }
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
}
