//! Measuring one case on a backend.
//!
//! Warm: the heap is initialised, used for some rounds, then sampled, all on the
//! same heap; an allocator that cannot free is reset between rounds, untimed.
//! Cold: the heap is initialised before every sample, which is its first use.
//! Full: it is filled once; what a sample gets all the same is freed again. In a heap that
//! cannot be made empty the blocks that fill it are freed in the end.
//!
//! Where a kernel frees while others allocate, one more round, which is not timed,
//! counts requests, frees and the refusals that overlap a free; elsewhere there are none.
//!
//! Kernels that free what they allocate leave nothing to verify. An own round over the same heap, made
//! empty, verifies blocks of the same sizes that live at the same time. Each thread or warp has one,
//! in up to a quarter of the pool.

mod filling;
mod one_kernel;

use heapwood_device::bench::{
    Fill, ThreadsArguments, ThreadsFree, ThreadsFreeCoalesced, ThreadsMalloc,
    ThreadsMallocCoalesced, Verify, VerifyArguments, WARPS_WORDS,
};
use heapwood_device::launch::{Call, Listed};

use filling::Filling;

use super::{
    BLOCK_THREADS, BLOCK_WARPS, Case, Draws, HeapState, MIN_SAMPLES, Microbenchmark, Row, TURNS,
};
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::{DeviceHeap, HeapError};
use crate::samples::Samples;
use crate::size::display;
use crate::workload::{BenchRow, Status, measured};

/// The largest of mixed sizes.
const MAX_MIXED_BYTES: u64 = 8192;

/// Times of one round in milliseconds.
#[derive(Default)]
struct Times {
    init: Vec<f64>,
    kernel: Vec<f64>,
    alloc: Vec<f64>,
    free: Vec<f64>,
}

/// The findings of the round that verifies.
struct Verified {
    /// Blocks with wrong contents; none if there was no block.
    corrupt: Option<u64>,
    /// As in the row.
    internal_fragmentation: Option<f64>,
}

/// A case with what it needs on the device.
struct Bench<'b> {
    backend: &'b dyn Backend,
    heap: &'b DeviceHeap<'b>,
    case: &'b Case,
    coalesce: bool,
    /// A handle for each thread or warp that works.
    blocks: Memory,
    /// `WARPS_WORDS` counters, 0 but while a kernel runs.
    counters: Memory,
}

/// Measures a case. Whatever happens is in the row.
pub fn measure(backend: &dyn Backend, case: &Case) -> Row {
    let spec = &case.allocator;
    let row = case.row(&backend.info());
    if case.workload.is_one_kernel() && spec.coalesce {
        let why = match case.workload.is_by_warps() {
            true => "one lane of a warp allocates: there is nothing to coalesce",
            false => "lanes take their turns apart: there is no coalesced form",
        };
        return row.ended(Status::Unsupported, why);
    }
    let fills = !case.workload.is_one_kernel() && !spec.allocator.properties.may_overwrite;
    if case.heap == HeapState::Full && !fills {
        let why = "a heap is filled by blocks that stay, one a thread";
        return row.ended(Status::Unsupported, why);
    }
    measured(backend, spec, row, |row| fill_in(backend, spec, case, row))
}

fn fill_in(
    backend: &dyn Backend,
    spec: &Spec,
    case: &Case,
    row: &mut Row,
) -> Result<(), HeapError> {
    let heap = DeviceHeap::new(backend, spec, case.pool_bytes)?;
    let handles = match case.workload.is_by_warps() {
        true => warps(case),
        false => case.threads,
    };
    let bytes = u64::from(handles) * spec.allocator.handle_bytes as u64;
    let bench = Bench {
        backend,
        heap: &heap,
        case,
        coalesce: spec.coalesce,
        blocks: backend.allocate_zeroed(bytes)?,
        counters: backend.allocate_zeroed(4 * WARPS_WORDS as u64)?,
    };
    let frees = spec.allocator.properties.frees;
    let mut nulls = 0;
    let mut times = Times::default();
    let mut filling = Filling::default();
    // The first launch of a kernel loads it, which is nobody's sample.
    heap.init()?;
    bench.round(frees, &mut Times::default())?;
    times.init.push(heap.init()?);
    match case.heap {
        HeapState::Cold => {}
        HeapState::Warm => {
            for _ in 0..case.plan.warmup {
                bench.round(frees, &mut Times::default())?;
                bench.reset_unless(frees)?;
            }
        }
        HeapState::Full => bench.fill_up(&mut filling)?,
    }
    let mut spent = 0.0;
    for run in 0..case.plan.runs as usize {
        if run >= MIN_SAMPLES && spent > case.plan.budget_s * 1e3 {
            break;
        }
        if case.heap == HeapState::Cold && run > 0 {
            times.init.push(heap.init()?);
        }
        let (missing, took) = bench.round(frees, &mut times)?;
        if missing > 0 {
            // Making the heap empty forgets it.
            heap.check_grants()?;
        }
        nulls += missing;
        spent += took;
        if case.heap == HeapState::Warm {
            bench.reset_unless(frees)?;
        }
    }
    row.init_ms = Samples::new(times.init);
    row.kernel_ms = Samples::new(times.kernel);
    row.alloc_ms = Samples::new(times.alloc);
    row.free_ms = Samples::new(times.free);
    row.nulls = Some(nulls);
    row.counted_nulls = Some(nulls);
    row.overlapping_nulls = Some(0);
    if frees && case.heap != HeapState::Full {
        row.external_fragmentation = heap.state()?.occupancy.external_fragmentation();
    }
    if case.workload.is_one_kernel() {
        if case.heap == HeapState::Cold {
            heap.init()?;
        }
        bench.count(frees, row)?;
    }

    heap.check_grants()?;
    if case.heap == HeapState::Full {
        return Ok(bench.free_filling(&filling)?);
    }
    // An allocator that overwrites live blocks may be right where each is freed at once.
    let overwrites = case.workload.is_one_kernel() && spec.allocator.properties.may_overwrite;
    if case.plan.verify && !overwrites {
        // An allocator whose free does nothing has exhausted the heap by now.
        if case.heap == HeapState::Cold || case.workload.is_one_kernel() {
            heap.init()?;
        }
        let verified = bench.verify(verified_blocks(case, handles), frees)?;
        row.corrupt = verified.corrupt;
        row.internal_fragmentation = verified.internal_fragmentation;
        heap.check_grants()?;
    }
    let overwritten = heap.state()?.faults.overwritten;
    if let Some(corrupt @ 1..) = row.corrupt {
        *row = row.clone().ended(
            Status::Fault,
            format!("{corrupt} blocks lost their contents"),
        );
    } else if overwritten > 0 {
        *row = row.clone().ended(
            Status::Fault,
            format!("{overwritten} live blocks were allocated again"),
        );
    } else if nulls > 0 {
        let pool = display(case.pool_bytes);
        let why = format!("a pool of {pool} left {nulls} requests unserved");
        *row = row.clone().ended(Status::Oom, why);
    }
    Ok(())
}

impl Bench<'_> {
    /// One round; its times go to `times`. Returns how many requests were not
    /// served, and the time that the kernels took.
    fn round(&self, frees: bool, times: &mut Times) -> Result<(u64, f64), BackendError> {
        if self.case.workload.is_one_kernel() {
            let took = self.run_one_kernel(frees, false)?;
            times.kernel.push(took);
            let nulls = self.take_counters()?[0];
            return Ok((u64::from(nulls), took));
        }
        let (blocks, threads) = (&self.blocks, self.case.threads);
        let alloc = self.malloc(blocks, threads)?;
        times.alloc.push(alloc);
        let mut took = alloc;
        if frees {
            let free = self.free(blocks, threads)?;
            times.free.push(free);
            took += free;
        }
        // The handles are still there after the blocks are freed, so that
        // nothing comes between the two kernels.
        Ok((count_nulls(blocks, threads)?, took))
    }

    /// A round in which requests and frees are counted, for the row.
    fn count(&self, frees: bool, row: &mut Row) -> Result<(), BackendError> {
        self.run_one_kernel(frees, true)?;
        let counters = self.take_counters()?.map(u64::from);
        let [refused, overlapping, _begun, freed, requested] = counters;
        row.counted_allocations = Some(requested - refused);
        row.counted_frees = Some(freed);
        row.counted_nulls = Some(refused);
        row.overlapping_nulls = Some(overlapping);
        Ok(())
    }

    fn reset_unless(&self, frees: bool) -> Result<(), BackendError> {
        if !frees {
            self.heap.init()?;
        }
        Ok(())
    }

    /// Allocates a block for each of so many threads, writes all of them, and counts those that do
    /// not hold what was written; frees them again.
    fn verify(&self, threads: u32, frees: bool) -> Result<Verified, BackendError> {
        let blocks = &self.blocks;
        self.malloc(blocks, threads)?;
        let arguments = VerifyArguments {
            blocks: blocks.address(),
            counters: self.counters.address().cast(),
            threads,
            bytes: self.case.bytes,
        };
        for call in [Call::of::<Fill>(arguments), Call::of::<Verify>(arguments)] {
            // SAFETY: a handle for each thread from the launch before, and two
            // counters.
            unsafe { self.launch(call, Grid::Threads(threads))? };
        }
        let granted = self.heap.state()?.occupancy.used_bytes;
        if frees {
            self.free(blocks, threads)?;
        }
        let [nulls, corrupt, ..] = self.take_counters()?;
        let requested = u64::from(threads - nulls) * self.case.bytes;
        let is_known = requested > 0 && granted > 0;
        Ok(Verified {
            corrupt: (nulls < threads).then_some(u64::from(corrupt)),
            internal_fragmentation: is_known.then(|| 1.0 - requested as f64 / granted as f64),
        })
    }

    /// Allocates a block for each of so many threads, and puts its handle into `blocks`.
    fn malloc(&self, blocks: &Memory, threads: u32) -> Result<f64, BackendError> {
        self.run_threads::<ThreadsMalloc, ThreadsMallocCoalesced>(blocks, threads)
    }

    /// Frees the blocks that the launch before has allocated.
    fn free(&self, blocks: &Memory, threads: u32) -> Result<f64, BackendError> {
        self.run_threads::<ThreadsFree, ThreadsFreeCoalesced>(blocks, threads)
    }

    /// Runs a kernel, or the one by which warps make their requests together, over the
    /// handles of `threads` in `blocks`.
    fn run_threads<Each, Together>(
        &self,
        blocks: &Memory,
        threads: u32,
    ) -> Result<f64, BackendError>
    where
        Each: Listed<Arguments = ThreadsArguments>,
        Together: Listed<Arguments = ThreadsArguments>,
    {
        let arguments = ThreadsArguments {
            blocks: blocks.address(),
            threads,
            bytes: self.case.bytes,
        };
        let call = if self.coalesce {
            Call::of::<Together>(arguments)
        } else {
            Call::of::<Each>(arguments)
        };
        // SAFETY: `blocks` has a handle for each thread, and what is freed was
        // allocated by the launch before.
        unsafe { self.launch(call, Grid::Threads(threads)) }
    }

    /// # Safety
    ///
    /// The arguments are those of the kernel.
    unsafe fn launch(&self, call: Call, grid: Grid) -> Result<f64, BackendError> {
        let launch = Launch {
            call,
            heap: Some(self.heap.parts()),
            grid,
        };
        // SAFETY: the caller's promise, and the heap was initialised.
        unsafe { self.backend.launch(&launch) }
    }

    /// Reads the counters and sets them to 0.
    fn take_counters(&self) -> Result<[u32; WARPS_WORDS], BackendError> {
        let counters: Vec<u32> = self.counters.download(0, WARPS_WORDS)?;
        self.counters.zero()?;
        let mut words = [0; WARPS_WORDS];
        words.copy_from_slice(&counters);
        Ok(words)
    }
}

/// The number of blocks to verify, of at most `handles` threads or warps. Kernels that free what they
/// allocate get a quarter of the pool, so that the heap is never full.
pub(super) fn verified_blocks(case: &Case, handles: u32) -> u32 {
    if !case.workload.is_one_kernel() {
        return handles;
    }
    let bytes = match case.bytes {
        0 => MAX_MIXED_BYTES,
        bytes => bytes,
    };
    let most = (case.pool_bytes / 4 / bytes).max(2);
    u32::try_from(most).map_or(handles, |most| handles.min(most))
}

/// Warps of a case in which one lane of each works.
fn warps(case: &Case) -> u32 {
    case.threads.div_ceil(BLOCK_THREADS) * BLOCK_WARPS
}

/// Null handles, whose bits are all set.
fn count_nulls(blocks: &Memory, threads: u32) -> Result<u64, BackendError> {
    let count = threads as usize;
    let nulls = match blocks.bytes() / u64::from(threads.max(1)) {
        8 => {
            let handles: Vec<u64> = blocks.download(0, count)?;
            handles
                .into_iter()
                .filter(|&handle| handle == u64::MAX)
                .count()
        }
        _ => {
            let handles: Vec<u32> = blocks.download(0, count)?;
            handles
                .into_iter()
                .filter(|&handle| handle == u32::MAX)
                .count()
        }
    };
    Ok(nulls as u64)
}
