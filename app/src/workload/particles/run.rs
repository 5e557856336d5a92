//! Particles in device memory.

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{Call, Listed};
use heapwood_device::workload::particles::{
    AXES, DIGEST_WORDS, FLOW_WORDS, Flows, LatticeArguments, ListRecord, ParticleDigest,
    ParticlesClear, ParticlesDigest, ParticlesGather, ParticlesMove, ParticlesSeed,
};
use heapwood_results::steps::ParticlesResult;

use super::{Particles, fingerprint};
use crate::Error;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::DeviceHeap;
use crate::workload::steps::{Baseline, Picture, Reached, Run, StepPart};

/// Lists of a cell: its own and two outboxes.
const LISTS: u64 = 3;
/// Lanes of a warp, which takes a cell.
const LANES: u32 = 32;
/// Colours of the lowest density, one in the middle, and the highest.
const COLOURS: [[u8; 3]; 3] = [[12, 35, 64], [90, 190, 160], [255, 196, 80]];

/// Particles in device memory.
pub struct ParticlesRun<'b> {
    options: Particles,
    backend: &'b dyn Backend,
    heap: (&'static HostAllocator, Heap),
    lists: Memory,
    flows: Memory,
    arguments: LatticeArguments,
}

impl<'b> ParticlesRun<'b> {
    pub(super) fn new(
        options: &Particles,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<Self, BackendError> {
        let lists = backend.allocate(options.cells() * LISTS * size_of::<ListRecord>() as u64)?;
        let flows = backend.allocate_zeroed((FLOW_WORDS * size_of::<u64>()) as u64)?;
        let arguments = LatticeArguments {
            lists: lists.address().cast(),
            flows: flows.address().cast(),
            counters: tally,
            width: options.width,
            height: options.height,
            depth: options.depth,
            particles: options.particles,
            speed: options.speed(),
            seed: options.seed,
            step: 0,
            axis: 0,
            is_clocked: false,
        };
        Ok(Self {
            options: options.clone(),
            backend,
            heap: heap.parts(),
            lists,
            flows,
            arguments,
        })
    }

    /// A launch over all cells.
    fn launch<K: Listed<Arguments = LatticeArguments>>(
        &self,
        arguments: LatticeArguments,
    ) -> Launch {
        // At most 2^26 cells.
        let cells = self.options.cells() as u32;
        Launch {
            call: Call::of::<K>(arguments),
            heap: Some(self.heap),
            grid: Grid::Ranges(cells * LANES),
        }
    }

    /// The particles in each cell.
    fn counts(&self) -> Result<Vec<u64>, BackendError> {
        let words = size_of::<ListRecord>() / size_of::<u64>();
        let lists = self
            .lists
            .download::<u64>(0, self.options.cells() as usize * words)?;
        let count = std::mem::offset_of!(ListRecord, count) / size_of::<u64>();
        Ok(lists.chunks(words).map(|list| list[count]).collect())
    }
}

impl Run for ParticlesRun<'_> {
    type Result = ParticlesResult;

    fn first(&self) -> Vec<Launch> {
        vec![self.launch::<ParticlesSeed>(self.arguments)]
    }

    fn step(&self, step: u32, is_clocked: bool) -> Vec<StepPart> {
        let along = |axis: u32| {
            let arguments = LatticeArguments {
                step,
                axis,
                is_clocked,
                ..self.arguments
            };
            [
                self.launch::<ParticlesMove>(arguments),
                self.launch::<ParticlesGather>(arguments),
            ]
        };
        StepPart::all((0..AXES).flat_map(along).collect())
    }

    fn baseline(&self) -> Result<Option<Baseline>, BackendError> {
        Ok(None)
    }

    fn clear(&self) -> Vec<Launch> {
        vec![self.launch::<ParticlesClear>(self.arguments)]
    }

    /// Particles that are neither in a cell nor absorbed are an error, as are others.
    fn reached(&self) -> Result<Reached<ParticlesResult>, Error> {
        let words = (DIGEST_WORDS * size_of::<u64>()) as u64;
        let words = self.backend.allocate_zeroed(words)?;
        let arguments = LatticeArguments {
            counters: words.address().cast(),
            ..self.arguments
        };
        // SAFETY: the lattice is at rest, and the words are 0.
        unsafe {
            self.backend
                .launch(&self.launch::<ParticlesDigest>(arguments))?
        };
        let digest = ParticleDigest::from_words(&words.download_array(0)?);
        let flows = Flows::from_words(&self.flows.download_array(0)?);
        let options = &self.options;
        let first = options.cells() * u64::from(options.particles);
        let expected = (first + flows.injected).checked_sub(flows.absorbed);
        if expected != Some(digest.particles) {
            return Err(Error::Verification(format!(
                "{} particles are there after {first} in the begin, {} injected and {} absorbed ones",
                digest.particles, flows.injected, flows.absorbed
            )));
        }
        let result = ParticlesResult {
            width: options.width,
            height: options.height,
            depth: options.depth,
            particles_per_cell: options.particles,
            temperature: options.temperature,
            seed: options.seed,
            particles: digest.particles,
            injected: flows.injected,
            absorbed: flows.absorbed,
        };
        Ok(Reached {
            hash: fingerprint(digest.hash, flows),
            granted_bytes: digest.granted_bytes,
            result,
        })
    }

    /// The density in columns along z.
    fn picture(&self) -> Result<Picture, BackendError> {
        let (width, height) = (self.options.width, self.options.height);
        let counts = self.counts()?;
        let layer = (width * height) as usize;
        let mut columns = vec![0; layer];
        for (cell, count) in counts.into_iter().enumerate() {
            columns[cell % layer] += count;
        }
        let min = columns.iter().copied().min().unwrap_or(0);
        let max = columns.iter().copied().max().unwrap_or(0);
        Ok(Picture::of(width, height, |column, row| {
            let above = columns[(row * width + column) as usize] - min;
            colour(above as f64 / (max - min).max(1) as f64)
        }))
    }
}

/// The colour of a density, from the lowest at 0 to the highest at 1.
fn colour(density: f64) -> [u8; 3] {
    let [low, middle, high] = COLOURS;
    let (from, to, fraction) = match 2.0 * density {
        density if density < 1.0 => (low, middle, density),
        density => (middle, high, density - 1.0),
    };
    [0, 1, 2].map(|part| {
        let (from, to) = (f64::from(from[part]), f64::from(to[part]));
        (from + fraction * (to - from)) as u8
    })
}
