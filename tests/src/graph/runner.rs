//! What runs the launches of a graph: OS threads through the table of kernels,
//! or warps of 32 lanes in lockstep.

use std::cell::Cell;
use std::marker::PhantomData;

use heapwood_device::allocator::{Allocator, Heap, Request};
use heapwood_device::graph::host::Step;
use heapwood_device::heap::{Init, Nothing, Report, ReportArguments, State};
use heapwood_device::host::{HostAllocator, plain_kernel};
use heapwood_device::launch::Call;
use heapwood_device::warp::{SCRATCH_BYTES, Solo};

use crate::cpu::Buffer;
use crate::lockstep::{Plan, Policy, run_call};

/// Something that runs launches over a heap.
pub trait Runner {
    /// Bytes of a handle of its allocator.
    fn handle_bytes(&self) -> usize;
    /// Workers that run warps of one lane.
    fn lone_workers(&self) -> u32;
    /// Makes the heap empty.
    fn init(&self);
    /// Runs a launch to its end.
    fn run(&self, step: &Step);
}

/// OS threads, each a warp of one lane.
pub struct Threads {
    allocator: &'static HostAllocator,
    heap: Heap,
    workers: u32,
    _pool: Buffer,
}

impl Threads {
    /// Some workers over a pool of an allocator.
    ///
    /// # Panics
    ///
    /// If the allocator refuses the pool.
    pub fn new(allocator: &'static HostAllocator, pool_bytes: usize, workers: u32) -> Self {
        let pool = Buffer::new(pool_bytes);
        let heap = (allocator.setup)(&Request {
            base: pool.address(),
            pool_bytes: pool_bytes as u64,
            processors: workers,
            parameters: &[],
        });
        let machine = Self {
            allocator,
            heap: heap.expect("a pool that suits the allocator"),
            workers,
            _pool: pool,
        };
        machine.init();
        machine
    }

    fn launch(&self, call: Call) {
        let (kernel, args) = (call.kernel(), call.args());
        let work = |worker: u32| {
            let scratch = Buffer::new(SCRATCH_BYTES);
            // SAFETY: the scratch memory is this warp's; the arguments are
            // those that the kernel asks for.
            unsafe {
                let warp = Solo::new(worker, self.workers, worker, scratch.address());
                match self.allocator.kernel(kernel) {
                    Some(run) => run(warp, self.heap, args),
                    None => plain_kernel(kernel).expect("it needs no heap")(warp, args),
                }
            }
        };
        let work = &work;
        std::thread::scope(|scope| {
            for worker in 1..self.workers {
                let shared = Shared(work);
                scope.spawn(move || shared.call(worker));
            }
            work(0);
        });
    }
}

/// A closure that threads share.
#[derive(Clone, Copy)]
struct Shared<'a, F>(&'a F);

// SAFETY: what the closure captures is read only, or a kernel's arguments.
unsafe impl<F> Send for Shared<'_, F> {}

impl<F: Fn(u32)> Shared<'_, F> {
    fn call(self, worker: u32) {
        (self.0)(worker);
    }
}

impl Runner for Threads {
    fn handle_bytes(&self) -> usize {
        self.allocator.handle_bytes
    }

    fn lone_workers(&self) -> u32 {
        self.workers
    }

    fn init(&self) {
        self.launch(Call::of::<Init>(Nothing));
    }

    fn run(&self, step: &Step) {
        self.launch(step.call);
    }
}

impl Threads {
    /// What a walk over the heap finds.
    pub fn heap_state(&self) -> State {
        let words = Buffer::new(heapwood_device::heap::STATE_WORDS * 8);
        let address = words.address().cast();
        self.launch(Call::of::<Report>(ReportArguments { words: address }));
        let words: Vec<u64> = words.read(0, heapwood_device::heap::STATE_WORDS);
        State::from_words(&words.try_into().expect("the number of words"))
    }
}

/// Warps of 32 lanes in lockstep, under another schedule for each launch.
pub struct Coroutines<A> {
    heap: Heap,
    warps: u32,
    seed: Cell<u64>,
    _pool: Buffer,
    allocator: PhantomData<A>,
}

impl<A: Allocator> Coroutines<A> {
    /// Some warps over a pool.
    ///
    /// # Panics
    ///
    /// If the allocator refuses the pool.
    pub fn new(pool_bytes: usize, warps: u32, seed: u64) -> Self {
        let pool = Buffer::new(pool_bytes);
        let heap = A::setup(&Request {
            base: pool.address(),
            pool_bytes: pool_bytes as u64,
            processors: 4,
            parameters: &[],
        });
        let machine = Self {
            heap: heap.expect("a pool that suits the allocator"),
            warps,
            seed: Cell::new(seed),
            _pool: pool,
            allocator: PhantomData,
        };
        machine.init();
        machine
    }

    fn launch(&self, call: Call) {
        let seed = self.seed.get();
        self.seed.set(seed + 1);
        let mut plan = Plan::new(self.warps, Policy::Random { period: 16 }, seed);
        plan.step_limit = 200_000_000;
        // SAFETY: the heap's memory lives as long as the machine; whoever makes a call
        // passes the arguments that its kernel asks for.
        if let Err(error) = unsafe { run_call::<A>(plan, self.heap, call) } {
            panic!("{error}");
        }
    }
}

impl<A: Allocator> Runner for Coroutines<A> {
    fn handle_bytes(&self) -> usize {
        size_of::<A::Handle>()
    }

    fn lone_workers(&self) -> u32 {
        0
    }

    fn init(&self) {
        self.launch(Call::of::<Init>(Nothing));
    }

    fn run(&self, step: &Step) {
        self.launch(step.call);
    }
}
