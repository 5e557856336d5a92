//! The benchmark `threads` as a builder, for programs that time one allocator.

use super::{Case, HeapState, MAX_CASE_THREADS, MAX_RUNS, Microbenchmark, Plan, Row, measure};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, Options};

/// One run of [`Microbenchmark::Threads`], made by [`MicrobenchmarkExt::threads`].
#[derive(Clone, Copy, Debug)]
pub struct ThreadsBenchmark {
    threads: u32,
    bytes: u64,
    heap: HeapState,
    pool_bytes: u64,
    runs: u32,
}

/// Builders of single benchmarks.
pub trait MicrobenchmarkExt {
    /// [`Microbenchmark::Threads`] with this number of threads, from 1 to [`MAX_CASE_THREADS`]. Unless
    /// the builder sets others, each requests 16 bytes of a warm heap with a pool of 64 MiB,
    /// and there are at most 10 samples. One round warms the heap up. After 10 s of kernel time,
    /// [`MIN_SAMPLES`](super::MIN_SAMPLES) samples suffice.
    fn threads(threads: u32) -> ThreadsBenchmark;
}

impl MicrobenchmarkExt for Microbenchmark {
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
    /// Sets the bytes of a request, at least 1.
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

    /// Sets the largest number of samples, from 1 to [`MAX_RUNS`].
    pub fn runs(self, runs: u32) -> Self {
        Self { runs, ..self }
    }

    /// Measures an allocator, named as on the command line. Requests that fail, and blocks that
    /// overlap, are in the row.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an unknown allocator or parameter, and for threads, bytes or samples out
    /// of their ranges.
    pub fn run(self, backend: &dyn Backend, allocator: &str) -> Result<Row, Error> {
        self.check()?;
        let case = Case {
            workload: Microbenchmark::Threads,
            allocator: Spec::parse(allocator)?,
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
        Ok(measure(backend, &case))
    }

    /// Makes sure that the command line would accept it. A case of 0 bytes is one of mixed sizes.
    fn check(&self) -> Result<(), Error> {
        let ranges = [
            (
                "threads",
                u64::from(self.threads),
                u64::from(MAX_CASE_THREADS),
            ),
            ("bytes", self.bytes, u64::MAX),
            ("runs", u64::from(self.runs), u64::from(MAX_RUNS)),
        ];
        match ranges
            .iter()
            .find(|(_, value, max)| !(1..=*max).contains(value))
        {
            None => Ok(()),
            Some((what, value, max)) => Err(Error::Usage(format!(
                "{what}({value}): write a number from 1 to {max}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Cpu;

    #[test]
    fn what_the_command_line_refuses_is_refused() {
        let cpu = Cpu::with_threads(1).unwrap();
        let threads = Microbenchmark::threads;
        for (benchmark, what) in [
            (threads(0), "threads(0)"),
            (threads(MAX_CASE_THREADS + 1), "threads(268435457)"),
            (threads(1).bytes(0), "bytes(0)"),
            (threads(1).runs(0), "runs(0)"),
            (threads(1).runs(MAX_RUNS + 1), "runs(1000001)"),
        ] {
            let error = benchmark.run(&cpu, "cfmalloc").unwrap_err();
            assert!(matches!(error, Error::Usage(_)), "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
        let row = threads(1).bytes(1).runs(1).run(&cpu, "cfmalloc").unwrap();
        assert_eq!((row.threads, row.bytes, row.nulls), (1, Some(1), Some(0)));
    }
}
