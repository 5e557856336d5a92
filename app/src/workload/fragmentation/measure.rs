//! Measuring a case on a backend. Each part begins on an empty heap, and frees what it has
//! allocated if the allocator can.

use heapwood_device::bench::{
    COVER_WORDS, Cover, CoverArguments, Covered, FreeHalf, FreeKept, Keep, KeepArguments,
    ThreadsArguments, ThreadsMalloc, ThreadsMallocCoalesced,
};
use heapwood_device::launch::{Call, Listed};

use super::row::{least_bytes, range, thinned};
use super::{Case, Fill, Growth, Range, Row, Step};
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::{DeviceHeap, HeapError};
use crate::size::display;
use crate::workload::{BenchRow, Status, measured};

/// Most threads that fill a heap at a time: the larger part of a launch is refused once.
const MAX_FILLERS: u32 = 1 << 14;
/// Threads that look for what is left in a heap that is nearly full.
const MIN_FILLERS: u32 = 32;
/// Most launches that have some requests refused. The last blocks lie far from each other
/// and may be found one at a time.
const FILLING_LAUNCHES: u32 = 64;
/// Threads that look at blocks: each ends with atomic operations on the same words.
const COVERING_THREADS: u32 = 4096;

/// A case with what it needs on the device.
struct Bench<'b> {
    backend: &'b dyn Backend,
    heap: &'b DeviceHeap<'b>,
    case: &'b Case,
    coalesce: bool,
    /// Whether the allocator frees.
    frees: bool,
    /// A handle for each thread.
    blocks: Memory,
    /// The last block that each thread keeps.
    kept: Memory,
    /// `COVER_WORDS` words.
    words: Memory,
}

/// Measures a case. Whatever happens is in the row.
pub fn measure(backend: &dyn Backend, case: &Case) -> Row {
    let spec = &case.allocator;
    let row = case.row(&backend.info());
    measured(backend, spec, row, |row| fill_in(backend, spec, case, row))
}

fn fill_in(
    backend: &dyn Backend,
    spec: &Spec,
    case: &Case,
    row: &mut Row,
) -> Result<(), HeapError> {
    let heap = DeviceHeap::new(backend, spec, case.pool_bytes)?;
    let handles = u64::from(case.threads) * spec.allocator.handle_bytes as u64;
    let bench = Bench {
        backend,
        heap: &heap,
        case,
        coalesce: spec.coalesce,
        frees: spec.allocator.properties.frees,
        blocks: backend.allocate_zeroed(handles)?,
        kept: backend.allocate_zeroed(handles)?,
        words: backend.allocate_zeroed((size_of::<u64>() * COVER_WORDS) as u64)?,
    };
    if spec.allocator.properties.may_overwrite {
        let why = "it is never full: it allocates live blocks again";
        *row = row.clone().ended(Status::Unsupported, why);
        return Ok(());
    }
    row.range = bench.range()?;
    heap.check_grants()?;
    if row.range.is_none() {
        let (pool, bytes) = (display(case.pool_bytes), display(case.bytes));
        let why = format!("a pool of {pool} has no block of {bytes}");
        *row = row.clone().ended(Status::Oom, why);
        return Ok(());
    }
    let range = row.range;
    row.overlap = range.and_then(|range| bench.overlap(range.blocks, range.range_bytes));
    if row.overlap.is_none() {
        let fill = bench.fill()?;
        row.overlap = bench.overlap(fill.blocks, fill.range_bytes);
        row.fill = Some(fill);
        heap.check_grants()?;
    }
    if bench.frees && row.overlap.is_none() {
        let growth = bench.grow()?;
        let live = growth.live_bytes / case.bytes;
        row.overlap = bench.overlap(live, growth.range_bytes);
        row.growth = Some(growth);
        heap.check_grants()?;
    }
    if let Some(why) = row.overlap.clone() {
        *row = row.clone().ended(Status::Fault, why);
    }
    Ok(())
}

impl Bench<'_> {
    /// The addresses of a block a thread; none if no request is served.
    fn range(&self) -> Result<Option<Range>, BackendError> {
        self.start()?;
        self.malloc(self.case.threads)?;
        let covered = self.cover(self.case.threads)?;
        if self.overlap(covered.blocks, covered.range_bytes).is_none() {
            self.keep(self.case.threads, false)?;
            self.end()?;
        }
        let found = || range(covered.blocks, covered.range_bytes, self.case.bytes);
        Ok((covered.blocks > 0).then(found))
    }

    /// Allocates until nothing is granted any more, at last by a few threads at a time.
    fn fill(&self) -> Result<Fill, BackendError> {
        self.start()?;
        let most = self.case.threads.min(MAX_FILLERS);
        let least = most.min(MIN_FILLERS);
        let (mut threads, mut refusing, mut alloc_ms) = (most, 0, 0.0);
        let mut covered = Covered::default();
        while refusing < FILLING_LAUNCHES {
            alloc_ms += self.malloc(threads)?;
            let before = covered.blocks;
            covered = self.cover(threads)?;
            if self.overlap(covered.blocks, covered.range_bytes).is_some() {
                return Ok(self.filled(covered, alloc_ms));
            }
            self.keep(threads, false)?;
            let granted = covered.blocks - before;
            if granted == 0 && threads == least {
                break;
            }
            if granted < u64::from(threads) {
                refusing += 1;
                threads = (granted as u32).max(least);
            }
        }
        self.end()?;
        Ok(self.filled(covered, alloc_ms))
    }

    fn filled(&self, covered: Covered, alloc_ms: f64) -> Fill {
        Fill {
            blocks: covered.blocks,
            pool_share: self.share(covered.blocks * self.case.bytes),
            range_bytes: covered.range_bytes,
            alloc_ms,
        }
    }

    /// Grows by half of what is allocated until a request is refused.
    fn grow(&self) -> Result<Growth, BackendError> {
        self.start()?;
        let threads = self.case.threads;
        let kept = u64::from(threads.div_ceil(2));
        let (mut steps, mut live, mut most_live) = (Vec::new(), 0, 0);
        let mut covered = Covered::default();
        let (mut exhausted, mut overlap) = (false, false);
        for number in 1..=self.case.most_steps {
            let alloc_ms = self.malloc(threads)?;
            let before = covered.blocks;
            covered = self.cover(threads)?;
            let granted = covered.blocks - before;
            most_live = live + granted;
            overlap = self.overlap(most_live, covered.range_bytes).is_some();
            if overlap {
                break;
            }
            if granted < u64::from(threads) {
                self.keep(threads, false)?;
                exhausted = true;
                break;
            }
            let free_ms = self.free_half()?;
            self.keep(threads, true)?;
            live += kept;
            steps.push(Step {
                number,
                live_bytes: live * self.case.bytes,
                range_bytes: covered.range_bytes,
                alloc_ms,
                free_ms,
            });
        }
        if !overlap {
            self.end()?;
        }
        let live_bytes = most_live * self.case.bytes;
        Ok(Growth {
            steps_served: steps.len() as u32,
            exhausted,
            live_bytes,
            pool_share: self.share(live_bytes),
            range_bytes: covered.range_bytes,
            steps: thinned(&steps),
        })
    }

    /// That so many live blocks overlap, if there is no room for them side by side between the
    /// lowest of their addresses and the highest. Such blocks cannot be kept: a list of them may
    /// have no end.
    fn overlap(&self, blocks: u64, range_bytes: u64) -> Option<String> {
        let least = least_bytes(blocks, self.case.bytes);
        (range_bytes < least).then(|| {
            format!(
                "{blocks} live blocks lie in {}, and take at least {}: they overlap",
                display(range_bytes),
                display(least)
            )
        })
    }

    /// Empties the heap; nothing is kept, and no addresses are covered.
    fn start(&self) -> Result<(), BackendError> {
        self.heap.init()?;
        let nulls = vec![u8::MAX; self.kept.bytes() as usize];
        self.kept.upload(0, &nulls)?;
        self.words.zero()
    }

    /// Frees all blocks that are kept: not every heap is empty once it is initialised again.
    fn end(&self) -> Result<(), BackendError> {
        if self.frees {
            self.run_lists::<FreeKept>(self.case.threads, false)?;
        }
        Ok(())
    }

    /// Keeps the blocks of the launch before, or the half of them that is not freed.
    fn keep(&self, threads: u32, half: bool) -> Result<(), BackendError> {
        self.run_lists::<Keep>(threads, half)
    }

    fn run_lists<K: Listed<Arguments = KeepArguments>>(
        &self,
        threads: u32,
        half: bool,
    ) -> Result<(), BackendError> {
        let call = Call::of::<K>(KeepArguments {
            blocks: self.blocks.address(),
            kept: self.kept.address(),
            threads,
            half,
        });
        // SAFETY: each thread has a handle of the launch before that allocated, still live if
        // it is to be kept, and a list of blocks that are.
        unsafe { self.launch(call, threads)? };
        Ok(())
    }

    fn share(&self, bytes: u64) -> f64 {
        bytes as f64 / self.case.pool_bytes as f64
    }

    /// Allocates a block for each of so many threads; returns the time in milliseconds.
    fn malloc(&self, threads: u32) -> Result<f64, BackendError> {
        let arguments = self.arguments(threads);
        let call = match self.coalesce {
            true => Call::of::<ThreadsMallocCoalesced>(arguments),
            false => Call::of::<ThreadsMalloc>(arguments),
        };
        // SAFETY: there is a handle for each thread.
        unsafe { self.launch(call, threads) }
    }

    /// Frees every second block of the launch before; returns the time in milliseconds.
    fn free_half(&self) -> Result<f64, BackendError> {
        let threads = self.case.threads;
        let call = Call::of::<FreeHalf>(self.arguments(threads));
        // SAFETY: each thread has a handle of the launch of `malloc` before, still live.
        unsafe { self.launch(call, threads) }
    }

    /// Adds the blocks of so many threads to what is covered since the start.
    fn cover(&self, threads: u32) -> Result<Covered, BackendError> {
        let call = Call::of::<Cover>(CoverArguments {
            blocks: self.blocks.address(),
            words: self.words.address().cast(),
            threads,
            bytes: self.case.bytes,
        });
        // SAFETY: each thread has a handle of the launch before; the words are there.
        unsafe { self.launch(call, threads.min(COVERING_THREADS))? };
        Ok(Covered::from_words(&self.words.download_array(0)?))
    }

    fn arguments(&self, threads: u32) -> ThreadsArguments {
        ThreadsArguments {
            blocks: self.blocks.address(),
            threads,
            bytes: self.case.bytes,
        }
    }

    /// # Safety
    ///
    /// The arguments are those of the kernel.
    unsafe fn launch(&self, call: Call, threads: u32) -> Result<f64, BackendError> {
        let launch = Launch {
            call,
            heap: Some(self.heap.parts()),
            grid: Grid::Threads(threads),
        };
        // SAFETY: the caller's promise, and the heap was initialised.
        unsafe { self.backend.launch(&launch) }
    }
}
