//! Measurements of a backend with known times and failures.

use std::time::Duration;

use super::measure::verified_blocks;
use super::{Case, HeapState, MIN_SAMPLES, Microbenchmark, Plan, Row, measure};
use crate::allocators::Spec;
use crate::backend::clocked::Clocked;
use crate::backend::{BackendError, Options};
use crate::cuda::CudaError;
use crate::workload::Status;

/// A case of ten threads, each with a block of 16 bytes in a pool of 1 MiB.
fn case(workload: Microbenchmark, budget_s: f64) -> Case {
    Case {
        workload,
        allocator: Spec::parse("cmalloc").unwrap(),
        heap: HeapState::Warm,
        pool_bytes: 1 << 20,
        threads: 10,
        bytes: 16,
        kept: 1,
        draws: None,
        turns: None,
        plan: Plan {
            warmup: 0,
            runs: 20,
            budget_s,
            verify: false,
        },
        backend: Options::default(),
    }
}

/// A row of `threads`, one kernel that allocates and one that frees a sample.
fn row(ms: Result<f64, BackendError>, budget_s: f64) -> Row {
    let case = case(Microbenchmark::Threads, budget_s);
    measure(&Clocked::new(ms), &case)
}

#[test]
fn blocks_that_were_live_one_at_a_time_are_verified_in_a_quarter_of_the_pool() {
    let blocks = |workload, bytes| {
        let case = Case {
            bytes,
            ..case(workload, 0.0)
        };
        verified_blocks(&case, 1000)
    };
    assert_eq!(blocks(Microbenchmark::Threads, 1024), 1000);
    assert_eq!(blocks(Microbenchmark::Turns, 16), 1000);
    assert_eq!(blocks(Microbenchmark::Turns, 1024), 256);
    assert_eq!(blocks(Microbenchmark::Turns, 0), 32);
    assert_eq!(blocks(Microbenchmark::AllocDealloc, 1 << 20), 2);
}

#[test]
fn samples_end_with_the_budget_but_not_before_the_least_number() {
    // 200 ms a sample: the eighth exceeds 1.5 s.
    for (budget_s, samples) in [(0.0, MIN_SAMPLES), (1.5, 8), (4.0, 20)] {
        let row = row(Ok(100.0), budget_s);
        assert_eq!(row.status, Status::Ok, "{row:?}");
        let times = row.alloc_ms.unwrap().samples;
        assert_eq!(times, vec![100.0; samples], "{budget_s} s");
    }
}

#[test]
fn a_launch_that_was_given_up_is_a_timeout_and_other_failures_are_faults() {
    let limit = Duration::from_secs(1);
    let (call, fault) = ("cuStreamQuery", "illegal address");
    let memory = BackendError::OutOfMemory { bytes: 1 };
    for (error, status) in [
        (CudaError::Timeout { limit }.into(), Status::Timeout),
        (CudaError::Faulted { call, fault }.into(), Status::Fault),
        (memory, Status::Oom),
    ] {
        let row = row(Err(error), 1.0);
        assert_eq!(row.status, status, "{row:?}");
    }
}
