//! An allocator with its pool, on a backend.

use std::sync::{Mutex, PoisonError};

use heapwood_device::allocator::{EXTERNAL_STATE, Heap, SetupError};
use heapwood_device::allocators::{REQUEST_DELAY, RING_WORD, STRETCH_ONE, has_external_granted};
use heapwood_device::heap::{Init, Nothing, State};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Call;
use thiserror::Error;

use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory, walk};
use crate::link::OwnHeap;
use crate::max_pool::is_whole;
use crate::size::display;

/// The unit to which the size of the system's heap is rounded up where it is a part of a pool.
const SYSTEM_HEAP_STEP: u64 = 1 << 16;

/// Why an allocator cannot have its pool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeapError {
    /// Too small for the allocator to do anything.
    #[error(
        "a pool of {} is too small for {allocator}: it needs at least {}",
        display(*.pool), display(*.needed)
    )]
    TooSmall {
        /// The allocator.
        allocator: &'static str,
        /// The pool, in bytes.
        pool: u64,
        /// The least, in bytes.
        needed: u64,
    },
    /// Larger than the allocator can address.
    #[error(
        "a pool of {} is too large for {allocator}: it can use {}",
        display(*.pool), display(*.limit)
    )]
    TooLarge {
        /// The allocator.
        allocator: &'static str,
        /// The pool, in bytes.
        pool: u64,
        /// The most, in bytes.
        limit: u64,
    },
    /// A parameter does not fit.
    #[error("{allocator} takes the parameters {expected}")]
    Parameter {
        /// The allocator.
        allocator: &'static str,
        /// The parameters that the allocator takes.
        expected: &'static str,
    },
    /// Requests were refused, and the work cannot do without them.
    #[error(
        "a pool of {} is too small: {allocator} has refused {refused} of {requests} requests",
        display(*.pool)
    )]
    Refused {
        /// The allocator.
        allocator: AllocatorName,
        /// The pool, in bytes.
        pool: u64,
        /// Requests that were refused.
        refused: u64,
        /// All requests.
        requests: u64,
    },
    /// Checked mode found misuse.
    #[error(
        "{invalid_frees} invalid frees and {overruns} blocks written past their end were found \
         with {allocator}"
    )]
    Misuse {
        /// The allocator.
        allocator: &'static str,
        /// Frees of what was no live block.
        invalid_frees: u64,
        /// Blocks written past their end.
        overruns: u64,
    },
    /// Functions of the user's granted what no block can be.
    #[error("{}", invalid_grants(*.outside, *.misaligned))]
    InvalidGrants {
        /// Blocks that were not in the pool, or not as a whole.
        outside: u64,
        /// Blocks that were not aligned.
        misaligned: u64,
    },
    /// The backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Why an allocator cannot be set up with a pool of so many bytes.
pub(crate) fn from_setup_error(allocator: &'static str, pool: u64, error: SetupError) -> HeapError {
    match error {
        SetupError::PoolTooSmall { needed } => HeapError::TooSmall {
            allocator,
            pool,
            needed,
        },
        SetupError::PoolTooLarge { limit } => HeapError::TooLarge {
            allocator,
            pool,
            limit,
        },
        SetupError::BadParameter { expected } => HeapError::Parameter {
            allocator,
            expected,
        },
    }
}

/// The message about blocks that were refused for their addresses.
fn invalid_grants(outside: u64, misaligned: u64) -> String {
    let blocks = |count: u64| match count {
        1 => "1 block".to_owned(),
        _ => format!("{count} blocks"),
    };
    match (outside, misaligned) {
        (0, _) => format!(
            "heapwood_malloc returned {} not aligned to 16 bytes, which every block has to be",
            blocks(misaligned)
        ),
        (_, 0) => format!(
            "heapwood_malloc returned {} outside of the pool, or beyond its end: a block lies in \
             the pool that heapwood_init was given",
            blocks(outside)
        ),
        _ => format!(
            "heapwood_malloc returned {} outside of the pool and {} not aligned to 16 bytes",
            blocks(outside),
            blocks(misaligned)
        ),
    }
}

/// The name of an allocator in messages about refused requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocatorName {
    /// Its name.
    pub name: &'static str,
    /// Whether it refuses only what no free memory could serve:
    /// [`Allocator::EXACT_NULL`](heapwood_device::allocator::Allocator::EXACT_NULL).
    pub exact_null: bool,
}

impl AllocatorName {
    /// The allocator name of `spec`.
    pub fn of(spec: &Spec) -> Self {
        Self {
            name: spec.name(),
            exact_null: spec.allocator.properties.exact_null,
        }
    }
}

impl std::fmt::Display for AllocatorName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        match self.exact_null {
            true => Ok(()),
            false => f.write_str(" (which may refuse requests while memory is free)"),
        }
    }
}

/// An allocator with its pool.
pub struct DeviceHeap<'b> {
    backend: &'b dyn Backend,
    /// The name of its allocator.
    allocator_name: AllocatorName,
    allocator: &'static HostAllocator,
    heap: Heap,
    pool_bytes: u64,
    /// The pool, or what an allocator that has its blocks elsewhere keeps of it.
    pool: Memory,
    /// The memory of an allocator with memory of its own, since it was last made empty.
    own: Mutex<Option<OwnHeap>>,
}

impl<'b> DeviceHeap<'b> {
    /// Sets a pool of so many bytes aside for `spec` and divides it, or has the heap of the
    /// system be that large. It is not initialised.
    ///
    /// # Errors
    ///
    /// When the pool does not fit the allocator or the machine.
    pub fn new(backend: &'b dyn Backend, spec: &Spec, pool_bytes: u64) -> Result<Self, HeapError> {
        let processors = backend.info().processors;
        let allocator = spec.name();
        let sorted = |error| from_setup_error(allocator, pool_bytes, error);
        // Whether the pool fits is known without having it.
        let nowhere = std::ptr::null_mut();
        let planned = spec
            .setup(nowhere, pool_bytes, processors)
            .map_err(sorted)?;
        let elsewhere = (spec.allocator.elsewhere)(&planned);
        if spec.allocator.properties.system_heap {
            let whole = is_whole(pool_bytes, elsewhere);
            let bytes = elsewhere.next_multiple_of(SYSTEM_HEAP_STEP);
            backend.size_system_heap(if whole { pool_bytes } else { bytes }, whole)?;
        }
        let pool = backend.allocate(pool_bytes - elsewhere)?;
        let heap = spec
            .setup(pool.address(), pool_bytes, processors)
            .map_err(sorted)?;
        let heap = backend.bind(spec.allocator, heap)?;
        if (spec.observe.records || spec.observe.clocks)
            && let Some(ring) = backend.ring(pool_bytes)
        {
            pool.upload(RING_WORD * 8, &[ring.address, ring.events])?;
        }
        if spec.observe.delays {
            let [malloc, free] = spec.delay.cycles(backend.info().clock_hz);
            let stretch = (spec.stretch * STRETCH_ONE as f32).round() as u64;
            pool.upload(REQUEST_DELAY * 8, &[malloc, free, stretch])?;
        }
        Ok(Self {
            backend,
            allocator_name: AllocatorName::of(spec),
            allocator: spec.allocator,
            heap,
            pool_bytes,
            pool,
            own: Mutex::new(None),
        })
    }

    /// The allocator and the heap, as a launch takes them.
    pub fn parts(&self) -> (&'static HostAllocator, Heap) {
        (self.allocator, self.heap)
    }

    /// Its allocator, as users call it.
    pub fn name(&self) -> &'static str {
        self.allocator_name.name
    }

    /// The name of its allocator in messages.
    pub fn allocator_name(&self) -> AllocatorName {
        self.allocator_name
    }

    /// Whether its allocator may allocate live blocks again.
    pub fn may_overwrite(&self) -> bool {
        self.allocator.properties.may_overwrite
    }

    /// Whether [`Self::init`] leaves live blocks in the heap, which its last user frees:
    /// [`Allocator::SYSTEM_HEAP`](heapwood_device::allocator::Allocator::SYSTEM_HEAP).
    pub fn keeps_blocks(&self) -> bool {
        self.allocator.properties.system_heap
    }

    /// Whether the sizes of blocks are known; else they count as requested. CUDA's heap and the C
    /// library's do not tell them, and functions of the user's may not.
    pub fn tells_granted(&self) -> bool {
        let properties = &self.allocator.properties;
        match properties.external {
            true => has_external_granted(&self.heap),
            false => !properties.system_heap,
        }
    }

    /// Its pool, in bytes.
    pub fn pool_bytes(&self) -> u64 {
        self.pool_bytes
    }

    /// The largest block that it serves when it is empty, in bytes.
    pub fn max_block(&self) -> u64 {
        (self.allocator.max_block)(&self.heap)
    }

    /// Makes the heap empty, unless it keeps its blocks; returns the time in milliseconds.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn init(&self) -> Result<f64, BackendError> {
        if self.allocator.properties.external {
            let state = [0_u8; EXTERNAL_STATE as usize];
            self.pool.upload(self.external_state(), &state)?;
        }
        if self.allocator.properties.own_memory {
            let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            // The last one first: there may not be room for two.
            *own = None;
            let bytes = (self.allocator.elsewhere)(&self.heap);
            let heap = own.insert(self.backend.own_heap(bytes)?);
            let state = self.external_state() + EXTERNAL_STATE / 2;
            self.pool.upload(state, &heap.word().to_ne_bytes())?;
        }
        let launch = Launch {
            call: Call::of::<Init>(Nothing),
            heap: Some(self.parts()),
            grid: Grid::Persistent,
        };
        // SAFETY: the kernel needs nothing but the heap, which no other kernel uses.
        unsafe { self.backend.launch(&launch) }
    }

    /// Where in the pool the state of the user's functions begins, with our counters in front:
    /// behind the state of an observer, if there is one.
    fn external_state(&self) -> u64 {
        let [base, ..] = self.heap.pointers;
        (base.addr() - self.pool.address().addr()) as u64
    }

    /// Walks the heap, which was initialised.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn state(&self) -> Result<State, BackendError> {
        walk(self.backend, self.parts())
    }

    /// Makes sure that no request was refused since the user's functions granted what no block
    /// can be.
    ///
    /// # Errors
    ///
    /// [`HeapError::InvalidGrants`], and faults of the backend.
    pub fn check_grants(&self) -> Result<(), HeapError> {
        if !self.allocator.properties.external {
            return Ok(());
        }
        let faults = self.state()?.faults;
        match (faults.outside, faults.misaligned) {
            (0, 0) => Ok(()),
            (outside, misaligned) => Err(HeapError::InvalidGrants {
                outside,
                misaligned,
            }),
        }
    }

    /// Makes sure that, by a state of this heap, blocks were used rightly, as far
    /// as the allocator looks: a checked one finds double frees and writes past the
    /// end.
    ///
    /// # Errors
    ///
    /// [`HeapError::Misuse`].
    pub fn check(&self, state: &State) -> Result<(), HeapError> {
        let faults = &state.faults;
        if faults.invalid_frees == 0 && faults.overruns == 0 {
            return Ok(());
        }
        Err(HeapError::Misuse {
            allocator: self.name(),
            invalid_frees: faults.invalid_frees,
            overruns: faults.overruns,
        })
    }
}
