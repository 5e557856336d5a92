//! An allocator on a backend, with a block for each of some threads: the launches by which
//! tests try it.

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, BackendError, Grid, Launch, Memory};
use heapwood::heap::DeviceHeap;
use heapwood_device::allocator::{Faults, Occupancy};
use heapwood_device::bench::{
    self as kernels, Fill, STRESS_WORDS, StressArguments, StressCounts, ThreadsArguments,
    ThreadsFree, ThreadsFreeCoalesced, ThreadsMalloc, ThreadsMallocCoalesced, Verify,
    VerifyArguments, WarpsArguments,
};
use heapwood_device::launch::{Call, Listed};

mod churn;

pub use churn::Churn;

/// Whether the lanes of a warp make their requests apart or together.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {
    /// Each lane its own.
    Apart,
    /// As one, with `:coalesce`.
    Together,
}

/// An allocator with a pool, and a block for each of some threads.
pub struct Trial<'b> {
    backend: &'b dyn Backend,
    heap: DeviceHeap<'b>,
    /// Its name in the table of kernels, for messages.
    pub name: &'static str,
    handle_bytes: u64,
    blocks: Memory,
    counters: Memory,
    /// Threads that take part in what follows; no more than at first.
    pub threads: u32,
}

impl<'b> Trial<'b> {
    /// An empty heap of `pool_bytes`, and room for the blocks of `threads`.
    ///
    /// # Panics
    ///
    /// If the backend does not give the memory.
    pub fn new(backend: &'b dyn Backend, spec: &Spec, pool_bytes: u64, threads: u32) -> Self {
        let heap = DeviceHeap::new(backend, spec, pool_bytes).expect("the pool fits");
        let handle_bytes = spec.allocator.handle_bytes as u64;
        let trial = Self {
            backend,
            heap,
            name: spec.allocator.name,
            handle_bytes,
            blocks: memory(backend, handle_bytes * u64::from(threads)),
            counters: memory(backend, 8 * STRESS_WORDS as u64),
            threads,
        };
        trial.init();
        trial
    }

    /// Makes the heap empty.
    ///
    /// # Panics
    ///
    /// If the kernel fails, as all launches here do.
    pub fn init(&self) {
        let result = self.heap.init();
        result.unwrap_or_else(|error| self.fail("init", &error));
    }

    /// The largest block of the empty heap, in bytes.
    pub fn max_block(&self) -> u64 {
        self.heap.max_block()
    }

    /// A block of `bytes` (0: mixed sizes) for each thread. Returns the handles, nulls as
    /// all ones.
    ///
    /// # Panics
    ///
    /// If the kernel fails.
    pub fn malloc(&self, bytes: u64, lanes: Lanes) -> Vec<u64> {
        let arguments = self.threads_arguments(bytes);
        let call = match lanes {
            Lanes::Apart => Call::of::<ThreadsMalloc>(arguments),
            Lanes::Together => Call::of::<ThreadsMallocCoalesced>(arguments),
        };
        self.launch(call, Grid::Threads(self.threads));
        self.handles()
    }

    /// Frees the threads' blocks.
    ///
    /// # Panics
    ///
    /// If the kernel fails.
    pub fn free(&self, lanes: Lanes) {
        let arguments = self.threads_arguments(0);
        let call = match lanes {
            Lanes::Apart => Call::of::<ThreadsFree>(arguments),
            Lanes::Together => Call::of::<ThreadsFreeCoalesced>(arguments),
        };
        self.launch(call, Grid::Threads(self.threads));
    }

    /// Gives each thread another one's block.
    ///
    /// # Panics
    ///
    /// If the handles cannot be copied.
    pub fn exchange_blocks(&self) {
        let mut handles = self.handles();
        handles.reverse();
        let third = handles.len() / 3;
        handles.rotate_left(third);
        let narrow: Vec<u32> = handles.iter().map(|&handle| handle as u32).collect();
        let result = match self.handle_bytes {
            8 => self.blocks.upload(0, &handles),
            _ => self.blocks.upload(0, &narrow),
        };
        result.unwrap_or_else(|error| self.fail("upload", &error));
    }

    /// Writes all blocks, then reads them; returns how many are null and how
    /// many have wrong contents.
    ///
    /// # Panics
    ///
    /// If a kernel fails.
    pub fn fill_and_verify(&self, bytes: u64) -> (u32, u32) {
        let args = VerifyArguments {
            blocks: self.blocks.address(),
            counters: self.counters.address().cast(),
            threads: self.threads,
            bytes,
        };
        for call in [Call::of::<Fill>(args), Call::of::<Verify>(args)] {
            self.launch(call, Grid::Threads(self.threads));
        }
        let counts: Vec<u32> = self.counts(2);
        (counts[0], counts[1])
    }

    /// One lane of each warp allocates and frees `kept` blocks in one kernel;
    /// returns how many requests gave null.
    ///
    /// # Panics
    ///
    /// If the kernel fails.
    pub fn warps<K>(&self, warps: u32, bytes: u64, kept: u32) -> u32
    where
        K: Listed<Arguments = WarpsArguments>,
    {
        let args = WarpsArguments {
            counters: self.counters.address().cast(),
            bytes,
            kept,
            counts_frees: false,
        };
        self.launch(Call::of::<K>(args), Grid::Warps(warps));
        self.counts::<u32>(1)[0]
    }

    /// Random allocation and release in one kernel after another, until
    /// `operations` are done or, with 0 of them, once; then frees what is left.
    ///
    /// # Panics
    ///
    /// If a kernel fails.
    pub fn stress(&self, stress: Stress) -> StressCounts {
        let slots = memory(self.backend, 8 * u64::from(stress.slots));
        let null = match self.handle_bytes {
            8 => u64::MAX,
            _ => u64::from(u32::MAX),
        };
        let empty = vec![null; stress.slots as usize];
        let filled = slots.upload(0, &empty);
        filled.unwrap_or_else(|error| self.fail("upload", &error));
        let mut total = StressCounts::default();
        let mut seed = 1;
        let mut run = |turns: u32, total: &mut StressCounts| {
            let args = StressArguments {
                slots: slots.address().cast(),
                counters: self.counters.address().cast(),
                slot_count: stress.slots,
                turns,
                least_bytes: stress.bytes.0,
                most_bytes: stress.bytes.1,
                seed,
            };
            seed += 1;
            self.launch(
                Call::of::<kernels::Stress>(args),
                Grid::Threads(stress.threads),
            );
            let words: Vec<u64> = self.counts(STRESS_WORDS);
            let words = words.try_into().expect("the number of words");
            let counts = StressCounts::from_words(&words);
            total.served += counts.served;
            total.nulls += counts.nulls;
            total.freed += counts.freed;
            total.corrupt += counts.corrupt;
        };
        loop {
            run(stress.turns, &mut total);
            if total.served + total.freed >= stress.operations || total.corrupt > 0 {
                break;
            }
        }
        run(0, &mut total);
        total
    }

    /// Fills the heap with blocks of the sizes of all octaves, the largest first, so
    /// that what serves one size only is filled too; returns the bytes asked for by
    /// the requests that were granted. The heap is to be initialised after it.
    ///
    /// # Panics
    ///
    /// If a kernel fails.
    pub fn fill_by_octaves(&self, octaves: u32) -> u64 {
        let mut sum = 0;
        for bytes in (0..octaves).rev().map(|octave| 16_u64 << octave) {
            let threads = (self.heap.pool_bytes() / bytes) as u32;
            let blocks = memory(self.backend, self.handle_bytes * u64::from(threads));
            let args = ThreadsArguments {
                blocks: blocks.address(),
                threads,
                bytes,
            };
            self.launch(Call::of::<ThreadsMalloc>(args), Grid::Threads(threads));
            let handles = read_handles(&blocks, self.handle_bytes, threads);
            let handles = handles.unwrap_or_else(|error| self.fail("download", &error));
            let granted = handles.iter().filter(|&&handle| handle != u64::MAX).count();
            sum += granted as u64 * bytes;
        }
        sum
    }

    /// The occupancy and the faults that a walk finds.
    ///
    /// # Panics
    ///
    /// If the kernel fails.
    pub fn state(&self) -> (Occupancy, Faults) {
        let state = self.heap.state();
        let state = state.unwrap_or_else(|error| self.fail("report", &error));
        (state.occupancy, state.faults)
    }

    fn handles(&self) -> Vec<u64> {
        let handles = read_handles(&self.blocks, self.handle_bytes, self.threads);
        handles.unwrap_or_else(|error| self.fail("download", &error))
    }

    fn threads_arguments(&self, bytes: u64) -> ThreadsArguments {
        ThreadsArguments {
            blocks: self.blocks.address(),
            threads: self.threads,
            bytes,
        }
    }

    fn launch(&self, call: Call, grid: Grid) {
        let launch = Launch {
            call,
            heap: Some(self.heap.parts()),
            grid,
        };
        // SAFETY: the heap was initialised; the arguments are those of the
        // kernel, over arrays of this trial with an element for each thread,
        // and what is freed was allocated before.
        let result = unsafe { self.backend.launch(&launch) };
        result.unwrap_or_else(|error| self.fail(call.kernel().name(), &error));
    }

    /// The first counters, which are set to 0.
    fn counts<T: bytemuck::NoUninit + bytemuck::AnyBitPattern>(&self, count: usize) -> Vec<T> {
        let counts = self.counters.download(0, count);
        let counts = counts.unwrap_or_else(|error| self.fail("download", &error));
        let cleared = self.counters.zero();
        cleared.unwrap_or_else(|error| self.fail("zero", &error));
        counts
    }

    fn fail(&self, what: &str, error: &BackendError) -> ! {
        panic!("{}: {what}: {error}", self.name)
    }
}

/// How to stress.
#[derive(Clone, Copy, Debug)]
pub struct Stress {
    /// Places for blocks that change hands.
    pub slots: u32,
    /// Threads of a launch.
    pub threads: u32,
    /// Turns of each thread in a launch.
    pub turns: u32,
    /// The smallest and the largest request.
    pub bytes: (u32, u32),
    /// Requests served and blocks freed until it ends.
    pub operations: u64,
}

/// The handles of the first `count` threads, nulls as all ones.
fn read_handles(blocks: &Memory, handle_bytes: u64, count: u32) -> Result<Vec<u64>, BackendError> {
    let count = count as usize;
    if handle_bytes == 8 {
        return blocks.download(0, count);
    }
    let wide = |handle| match handle {
        u32::MAX => u64::MAX,
        handle => u64::from(handle),
    };
    let narrow = blocks.download::<u32>(0, count)?;
    Ok(narrow.into_iter().map(wide).collect())
}

fn memory(backend: &dyn Backend, bytes: u64) -> Memory {
    backend.allocate_zeroed(bytes).expect("the memory is there")
}
