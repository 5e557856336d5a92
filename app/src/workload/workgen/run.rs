//! Work in device memory.

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Call;
use heapwood_device::workload::workgen::{
    BaselineArguments, BlocksArguments, WorkConsume, WorkFill, WorkProduce, WorkRead, WorkSums,
};
use heapwood_results::steps::WorkgenResult;

use super::Workgen;
use crate::Error;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::DeviceHeap;
use crate::workload::steps::{Baseline, Picture, Reached, Run, StepPart};

/// Threads of a tile, at the least, and tiles, at the most: a warp adds up the sums of all tiles
/// before its own.
const MIN_TILE: u32 = 256;
const MAX_TILES: u32 = 4096;
/// Columns and rows of the histogram.
const COLUMNS: u32 = 256;
const ROWS: u32 = 128;

/// Work in device memory.
pub struct WorkgenRun<'b> {
    options: Workgen,
    /// Of all threads.
    bytes: u64,
    backend: &'b dyn Backend,
    heap: (&'static HostAllocator, Heap),
    /// The fingerprint of what steps have consumed.
    hash: Memory,
    /// They are held as long as kernels use them.
    _parts: [Memory; 4],
    blocks: BlocksArguments,
    baseline: BaselineArguments,
}

impl<'b> WorkgenRun<'b> {
    pub(super) fn new(
        options: &Workgen,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<Self, BackendError> {
        let threads = u64::from(options.threads);
        let (tile, tiles) = tiles(options.threads);
        let hash = backend.allocate_zeroed(size_of::<u64>() as u64)?;
        let handles = backend.allocate(threads * size_of::<u64>() as u64)?;
        let sums = backend.allocate(u64::from(tiles) * size_of::<u32>() as u64)?;
        let offsets = backend.allocate(threads * size_of::<u32>() as u64)?;
        let bytes = options.bytes();
        let words = backend.allocate(bytes)?;
        Ok(Self {
            options: options.clone(),
            bytes,
            backend,
            heap: heap.parts(),
            blocks: BlocksArguments {
                work: options.arguments(hash.address().cast()),
                blocks: handles.address().cast(),
                counters: tally,
                is_clocked: false,
            },
            baseline: BaselineArguments {
                work: options.arguments(std::ptr::null_mut()),
                sums: sums.address().cast(),
                offsets: offsets.address().cast(),
                words: words.address().cast(),
                tile,
                tiles,
            },
            hash,
            _parts: [handles, sums, offsets, words],
        })
    }
}

/// The length of a tile, and how many there are.
fn tiles(threads: u32) -> (u32, u32) {
    let tile = threads.div_ceil(MAX_TILES).next_multiple_of(MIN_TILE);
    (tile, threads.div_ceil(tile))
}

impl Run for WorkgenRun<'_> {
    type Result = WorkgenResult;

    fn first(&self) -> Vec<Launch> {
        Vec::new()
    }

    fn step(&self, _step: u32, is_clocked: bool) -> Vec<StepPart> {
        let arguments = BlocksArguments {
            is_clocked,
            ..self.blocks
        };
        let launch = |call| Launch {
            call,
            heap: Some(self.heap),
            grid: Grid::Ranges(self.options.threads),
        };
        StepPart::all(vec![
            launch(Call::of::<WorkProduce>(arguments)),
            launch(Call::of::<WorkConsume>(arguments)),
        ])
    }

    fn baseline(&self) -> Result<Option<Baseline>, BackendError> {
        let hash = self.backend.allocate_zeroed(size_of::<u64>() as u64)?;
        let mut arguments = self.baseline;
        arguments.work.hash = hash.address().cast();
        let launch = |call, grid| Launch {
            call,
            heap: None,
            grid,
        };
        let tiles = Grid::Warps(arguments.tiles);
        let launches = vec![
            launch(Call::of::<WorkSums>(arguments), tiles),
            launch(Call::of::<WorkFill>(arguments), tiles),
            launch(
                Call::of::<WorkRead>(arguments),
                Grid::strided(self.options.threads),
            ),
        ];
        Ok(Some(Baseline { launches, hash }))
    }

    fn clear(&self) -> Vec<Launch> {
        Vec::new()
    }

    fn reached(&self) -> Result<Reached<WorkgenResult>, Error> {
        let [hash] = self.hash.download_array::<u64, 1>(0)?;
        let options = &self.options;
        let result = WorkgenResult {
            threads: options.threads,
            min_bytes: options.min_bytes,
            max_bytes: options.max_bytes,
            writes: !options.no_write,
            seed: options.seed,
            bytes: self.bytes,
        };
        Ok(Reached {
            hash,
            granted_bytes: 0,
            result,
        })
    }

    /// A histogram of the amounts.
    fn picture(&self) -> Result<Picture, BackendError> {
        let work = self.blocks.work;
        let mut counts = [0_u64; COLUMNS as usize];
        for thread in 0..work.threads {
            let more = u64::from(work.words(thread) - work.min_words);
            let column = more * u64::from(COLUMNS) / (u64::from(work.more_words) + 1);
            counts[column as usize] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        Ok(Picture::of(COLUMNS, ROWS, |column, row| {
            let height = counts[column as usize] * u64::from(ROWS) / most;
            match u64::from(ROWS - row) <= height {
                true => [70, 110, 160],
                false => [245, 245, 245],
            }
        }))
    }
}
