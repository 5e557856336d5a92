//! The benchmark `threads` as a builder, for programs that time one allocator.

use super::{Case, HeapState, Microbenchmark, Plan, Row, measure};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, Options};

/// One run of [`Microbenchmark::Threads`], which [`Begin::threads`] begins.
#[derive(Clone, Copy, Debug)]
pub struct ThreadsBenchmark {
    threads: u32,
    bytes: u64,
    heap: HeapState,
    pool_bytes: u64,
    runs: u32,
}

/// Begins benchmarks of one allocator.
pub trait Begin {
    /// [`Microbenchmark::Threads`] with this number of threads. Each requests 16 bytes of a warm heap with a
    /// pool of 64 MiB, and there are 10 samples, unless the builder is told otherwise.
    fn threads(threads: u32) -> ThreadsBenchmark;
}

impl Begin for Microbenchmark {
    fn threads(threads: u32) -> ThreadsBenchmark {
        ThreadsBenchmark {
            threads,
            bytes: 16,
            heap: HeapState::Warm,
            pool_bytes: 64 << 20,
            runs: 10,
        }
    }
}

impl ThreadsBenchmark {
    /// Sets the bytes of a request.
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Sets the state of the heap before a sample. Choose [`HeapState::Cold`] for a program that
    /// allocates once, [`HeapState::Warm`] for one that has allocated and freed before.
    pub fn heap(self, heap: HeapState) -> Self {
        Self { heap, ..self }
    }

    /// Sets the bytes of the pool.
    pub fn pool(self, pool_bytes: u64) -> Self {
        Self { pool_bytes, ..self }
    }

    /// Sets the number of samples.
    pub fn runs(self, runs: u32) -> Self {
        Self { runs, ..self }
    }

    /// Measures an allocator, named as on the command line. Requests that fail, and blocks that
    /// overlap, are in the row.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an unknown allocator or parameter.
    pub fn run(self, backend: &dyn Backend, allocator: &str) -> Result<Row, Error> {
        let spec = Spec::parse(allocator).map_err(Error::Usage)?;
        let case = Case {
            workload: Microbenchmark::Threads,
            allocator: spec.to_string(),
            heap: self.heap,
            pool_bytes: self.pool_bytes,
            threads: self.threads,
            bytes: self.bytes,
            kept: 0,
            draws: None,
            turns: None,
            plan: Plan {
                warmup: 1,
                runs: self.runs,
                budget_s: 10.0,
                verify: true,
            },
            backend: Options::default(),
        };
        Ok(measure(backend, &spec, &case))
    }
}
