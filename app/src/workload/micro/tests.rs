//! What a measurement makes of the times and the failures of a backend that has known ones.

use std::time::Duration;

use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;

use super::{Case, HeapState, LEAST_SAMPLES, Microbenchmark, Plan, Row, measure};
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Cpu, DeviceInfo, Launch, Memory, Options};
use crate::cuda::CudaError;
use crate::workload::Status;

/// The CPU, of which each part of a launch takes `ms` by its own account, or fails.
struct Clocked {
    cpu: Cpu,
    ms: Result<f64, BackendError>,
}

impl Backend for Clocked {
    fn info(&self) -> DeviceInfo {
        self.cpu.info()
    }

    fn solo_workers(&self) -> u32 {
        self.cpu.solo_workers()
    }

    fn free_memory(&self) -> Result<u64, BackendError> {
        self.cpu.free_memory()
    }

    fn memory(&self, bytes: u64, zeroed: bool) -> Result<Memory, BackendError> {
        self.cpu.memory(bytes, zeroed)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let ms = self.ms.clone()?;
        // SAFETY: the caller's promise.
        unsafe { self.cpu.launch_parts(parts)? };
        Ok(vec![ms; parts.len()])
    }

    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        self.cpu.registers(kernel, allocator)
    }
}

/// A row of `threads`, one kernel that allocates and one that frees a sample.
fn row(ms: Result<f64, BackendError>, budget_s: f64) -> Row {
    let cpu = Cpu::new(Some(1), None).unwrap();
    let case = Case {
        workload: Microbenchmark::Threads,
        allocator: "cmalloc".to_owned(),
        heap: HeapState::Warm,
        pool_bytes: 1 << 20,
        threads: 10,
        bytes: 16,
        kept: 1,
        plan: Plan {
            warmup: 0,
            runs: 20,
            budget_s,
            verify: false,
        },
        backend: Options::default(),
    };
    measure(
        &Clocked { cpu, ms },
        &Spec::parse("cmalloc").unwrap(),
        &case,
    )
}

#[test]
fn samples_end_with_the_budget_but_not_before_the_least_number() {
    // 200 ms a sample: the eighth exceeds 1.5 s.
    for (budget_s, samples) in [(0.0, LEAST_SAMPLES), (1.5, 8), (4.0, 20)] {
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
