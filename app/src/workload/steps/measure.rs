//! Measuring steps.

use heapwood_device::allocator::Observe;
use heapwood_device::workload::{Counts, TALLY_WORDS};

use super::{BetweenSteps, Picture, Reached, Run, Stepped, Workload};
use crate::Error;
use crate::backend::{Backend, BackendError, Launch, Memory};
use crate::heap::{DeviceHeap, HeapError};
use crate::max_pool::MaxPool;
use crate::samples::Samples;
use crate::size::Pool;

/// Most samples that are kept: steps in sequence make one where there are more.
const MAX_SAMPLES: u32 = 1000;
/// Steps after the last, in which the time in the allocator is taken: taking it slows them down.
const CLOCKED_STEPS: u32 = 10;
/// Times that the work without an allocator is measured.
const BASELINE_RUNS: u32 = 11;
/// A pool of [`Pool::Auto`] has so many times the bytes of blocks, and as many at least.
const POOL_FACTOR: u64 = 4;
const MIN_POOL: u64 = 64 << 20;

/// The measurements of steps, and their result.
pub struct StepsMeasurement<R> {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// The launches before the first step, in milliseconds.
    pub begin_ms: f64,
    /// The time of a step, in milliseconds, as the mean of `steps_per_sample` in sequence.
    pub step_ms: Samples,
    /// Steps of a sample.
    pub steps_per_sample: u32,
    /// All steps, in milliseconds.
    pub all_ms: f64,
    /// The same work without an allocator, in milliseconds.
    pub baseline_ms: Option<Samples>,
    /// Counts of all steps.
    pub counts: Counts,
    /// The most bytes of blocks after any step, and within the last ones, as requested.
    pub high_water_bytes: u64,
    /// Bytes of the blocks after the last step, as granted.
    pub granted_bytes: u64,
    /// The part of a step's time in the allocator after the last step.
    pub allocator_share: Option<f64>,
    /// External fragmentation after the last step, if the allocator can be walked.
    pub external_fragmentation: Option<f64>,
    /// Whether a walk showed that nothing was in use after all blocks were freed.
    pub walked: bool,
    /// The fingerprint of the result.
    pub hash: u64,
    /// The rest of the result.
    pub result: R,
    /// Its picture, if one was asked for.
    pub picture: Option<Picture>,
}

/// The figures of steps in which time is taken, after each of their launches.
struct Clocked {
    allocator_share: Option<f64>,
    high_water_bytes: u64,
}

/// Tells whether further steps follow, in which the time in the allocator is taken. Where calls are
/// observed, only those of the run itself shall be.
fn has_clocked_steps(observe: Observe) -> bool {
    let guards = Observe {
        guards: observe.guards,
        ..Observe::NOTHING
    };
    observe == guards
}

/// A heap, and the counters of a workload over it.
struct Counted<'b> {
    backend: &'b dyn Backend,
    heap: DeviceHeap<'b>,
    tally: Memory,
}

impl<S: Stepped> Workload<S> {
    /// Takes all steps; calls `after_each` after each of them.
    ///
    /// # Errors
    ///
    /// Options that do not fit each other, a pool that does not fit the allocator or the machine,
    /// faults of the backend; a fingerprint that is not the reference's, misuse of the heap, and
    /// memory that is in use after all blocks were freed.
    pub fn run(
        &self,
        backend: &dyn Backend,
        mut after_each: impl FnMut(),
    ) -> Result<StepsMeasurement<S::Result>, Error> {
        self.stepped.check().map_err(Error::Usage)?;
        let counted = self.heap(backend)?;
        let init_ms = counted.heap.init()?;
        let tally = counted.tally.address().cast();
        let run = self.stepped.begin(backend, &counted.heap, tally)?;
        let begin_ms = counted.launch(&run.first())?;
        let mut counts = counted.counts_of(&run, S::NEEDS_ALL)?;
        let mut high_water_bytes = counts.live_bytes;
        let mut times = Vec::new();
        let may_overwrite = counted.heap.may_overwrite();
        let empties = match S::BETWEEN_STEPS {
            BetweenSteps::Keeps => false,
            BetweenSteps::FreesAll => may_overwrite || !self.spec.frees(),
            BetweenSteps::Restarts => true,
        };
        for step in 1..=self.steps {
            let mut ms = 0.0;
            for part in run.step(step, false) {
                if empties {
                    counted.empty()?;
                }
                ms += counted.launch(&part.timed)?;
                counts = counted.counts_of(&run, S::NEEDS_ALL)?;
                high_water_bytes = high_water_bytes.max(counts.live_bytes);
                counted.launch(&part.untimed)?;
            }
            times.push(ms);
            after_each();
        }
        let state = counted.heap.state()?;
        let Reached {
            hash,
            granted_bytes,
            result,
        } = run.reached()?;
        let picture = self.draws.then(|| run.picture()).transpose()?;
        let mut allocator_share = None;
        if has_clocked_steps(self.spec.observe) {
            let clocked = counted.clocked(&run, self.steps, empties)?;
            counted.counts_of(&run, S::NEEDS_ALL)?;
            high_water_bytes = high_water_bytes.max(clocked.high_water_bytes);
            allocator_share = clocked.allocator_share;
        }
        let baseline_ms = run.baseline()?.map(|baseline| {
            let times = (0..BASELINE_RUNS).map(|_| counted.launch(&baseline.launches));
            let times = times.collect::<Result<_, _>>()?;
            let [found] = baseline.hash.download_array::<u64, 1>(0)?;
            // Both are multiples of the fingerprint of one step.
            let per_step = |hash: u64, others: u32| hash.wrapping_mul(u64::from(others));
            match per_step(found, self.steps) == per_step(hash, BASELINE_RUNS) {
                true => Ok(Samples::new(times).unwrap_or_default()),
                false => Err(Error::Verification(
                    "without an allocator, other work was consumed".to_owned(),
                )),
            }
        });
        let baseline_ms = baseline_ms.transpose()?;
        counted.launch(&run.clear())?;
        drop(run);
        let walked = self.check_heap(&counted)?;
        if self.verify {
            let reference = self.stepped.reference(self.steps);
            if reference != hash {
                return Err(Error::Verification(format!(
                    "verification: {hash:016x} after {} steps, {reference:016x} by the reference",
                    self.steps
                )));
            }
        }
        let steps_per_sample = self.steps.div_ceil(MAX_SAMPLES).max(1);
        let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
        let samples = times.chunks(steps_per_sample as usize).map(mean).collect();
        Ok(StepsMeasurement {
            pool_bytes: counted.heap.pool_bytes(),
            init_ms,
            begin_ms,
            step_ms: Samples::new(samples).unwrap_or_default(),
            steps_per_sample,
            all_ms: times.iter().sum(),
            baseline_ms,
            counts,
            high_water_bytes,
            granted_bytes,
            allocator_share,
            external_fragmentation: state.occupancy.external_fragmentation(),
            walked,
            hash,
            result,
            picture,
        })
    }

    /// The heap, and counters that are 0.
    fn heap<'b>(&self, backend: &'b dyn Backend) -> Result<Counted<'b>, Error> {
        let most = self.stepped.most_bytes();
        let pool_bytes = match self.pool {
            Pool::Bytes(bytes) => bytes,
            Pool::Times(factor) => (most as f64 * factor) as u64,
            Pool::Auto => {
                let wanted = most.saturating_mul(POOL_FACTOR).max(MIN_POOL);
                MaxPool::beside(backend, &self.spec, most)?.first(wanted)
            }
        };
        Ok(Counted {
            backend,
            heap: DeviceHeap::new(backend, &self.spec, pool_bytes)?,
            tally: backend.allocate_zeroed((TALLY_WORDS * size_of::<u64>()) as u64)?,
        })
    }

    /// Makes sure that blocks were used rightly, and that none is in use; whether a walk showed the
    /// latter.
    fn check_heap(&self, counted: &Counted) -> Result<bool, Error> {
        let state = counted.heap.state()?;
        counted.heap.check(&state)?;
        counted.heap.check_grants()?;
        let properties = &self.spec.allocator.properties;
        let is_told = properties.walkable && properties.frees;
        let left = state.occupancy.used_bytes;
        if is_told && left > 0 {
            return Err(Error::Verification(format!(
                "{left} bytes are in use after all blocks were freed"
            )));
        }
        Ok(is_told)
    }
}

impl Counted<'_> {
    /// Runs launches one after the other; returns their time in milliseconds.
    fn launch(&self, launches: &[Launch]) -> Result<f64, BackendError> {
        if launches.is_empty() {
            return Ok(0.0);
        }
        // SAFETY: a run's launches in their order, over memory of the run and this heap.
        let times = unsafe { self.backend.launch_parts(&[launches])? };
        Ok(times.into_iter().sum())
    }

    /// Makes the heap empty. Counts of misuse begin anew, so that misuse until then is an error.
    fn empty(&self) -> Result<(), Error> {
        self.heap.check(&self.heap.state()?)?;
        self.heap.init()?;
        Ok(())
    }

    /// The counts so far.
    fn counts(&self) -> Result<Counts, BackendError> {
        let words = self.tally.download::<u64>(0, TALLY_WORDS)?;
        Ok(Counts::from_words(&words))
    }

    /// The counts so far of a run that may need every block. In that case a refusal ends it.
    fn counts_of(&self, run: &impl Run, needs_all: bool) -> Result<Counts, Error> {
        let counts = self.counts()?;
        if !needs_all || counts.refused == 0 {
            return Ok(counts);
        }
        // The heap of a system keeps blocks that a run leaves.
        self.launch(&run.clear())?;
        Err(Error::Heap(HeapError::Refused {
            allocator: self.heap.allocator_name(),
            pool: self.heap.pool_bytes(),
            refused: counts.refused,
            requests: counts.granted + counts.refused,
        }))
    }

    /// Takes some more steps, and the time in the allocator: by clocks in the kernels the part of the
    /// time of warps, and by events the part of the time of these kernels.
    fn clocked(&self, run: &impl Run, steps: u32, empties: bool) -> Result<Clocked, Error> {
        let before = self.counts()?;
        let (mut inside, mut all, mut high_water_bytes) = (0.0, 0.0, 0);
        for step in (1..=CLOCKED_STEPS).map(|more| steps.saturating_add(more)) {
            for part in run.step(step, true) {
                if empties {
                    self.empty()?;
                }
                for launch in part.timed {
                    let time = self.launch(&[launch])?;
                    all += time;
                    if launch.heap.is_some() {
                        inside += time;
                        high_water_bytes = high_water_bytes.max(self.counts()?.live_bytes);
                    }
                }
                self.launch(&part.untimed)?;
            }
        }
        let after = self.counts()?;
        let ratio = (after.allocator_cycles - before.allocator_cycles) as f64
            / (after.cycles - before.cycles) as f64;
        let share = ratio * inside / all;
        Ok(Clocked {
            allocator_share: share.is_finite().then_some(share),
            high_water_bytes,
        })
    }
}
