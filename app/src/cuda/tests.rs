//! Tests of the layer over the driver. Those that need a GPU say so and pass
//! without one; those after which a process cannot go on run in one of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use cust::sys::CUresult;

use super::{
    Buffer, CudaError, Function, Gpu, KernelLaunch, LaunchGraph, LaunchShape, Module, devices,
    driver,
};

const KERNELS: &str = include_str!("kernels.ptx");
/// Far more than any of the kernels here takes.
pub(super) const LIMIT: Duration = Duration::from_secs(20);
/// Set in the environment of a test that was started by itself.
const CHILD: &str = "HEAPWOOD_CUDA_TEST_CHILD";

/// The first device, or a line that says why there is none.
pub(super) fn gpu() -> Option<Gpu> {
    match devices() {
        Ok(_) => Some(Gpu::open(0).expect("a device that is listed can be opened")),
        Err(error @ (CudaError::NoDriver { .. } | CudaError::NoDevice)) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs the test of this name once more, in a new process, and `body` there.
fn in_child(test: &str, body: impl FnOnce(Gpu)) {
    let Some(gpu) = gpu() else { return };
    if std::env::var_os(CHILD).is_some() {
        return body(gpu);
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("cuda::tests::{test}"), "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub(super) fn kernel(gpu: &Gpu, name: &str) -> Function {
    let module = Module::load(gpu, KERNELS).unwrap();
    module.function(name).unwrap()
}

fn launch(gpu: &Gpu, name: &str, blocks: u32, threads: u32, words: &[u64]) {
    let function = kernel(gpu, name);
    // SAFETY: the tests pass the words that kernels.ptx asks for, and buffers that
    // they read back afterwards.
    unsafe { function.launch(LaunchShape::new(blocks, threads), words) }.unwrap();
}

pub(super) fn words(buffer: &Buffer) -> Vec<u64> {
    let mut words = vec![0; buffer.bytes() as usize / 8];
    buffer.download(0, &mut words).unwrap();
    words
}

#[test]
fn without_a_driver_opening_says_what_to_do() {
    if driver::library().is_ok() {
        return println!("skipped: there is a driver");
    }
    let error = Gpu::open(0).unwrap_err();
    assert!(matches!(error, CudaError::NoDriver { .. }), "{error:?}");
    let line = error.to_string();
    assert!(line.contains("libcuda.so.1"), "{line}");
    assert!(line.contains("install one"), "{line}");
    assert!(!line.contains('\n'), "{line}");
    assert_eq!(devices().unwrap_err(), error);
}

#[test]
fn without_a_driver_cust_fails_politely() {
    if driver::library().is_ok() {
        return println!("skipped: there is a driver");
    }
    let error = cust::init(cust::CudaFlags::empty()).unwrap_err();
    assert_eq!(error, cust::error::CudaError::NoDevice);
    assert!(error.to_string().contains("no NVIDIA driver"), "{error}");
}

#[test]
fn results_of_newer_drivers_become_unknown() {
    for number in -1..=1000 {
        let result = driver::result(number);
        assert!(result as i32 == number || result == CUresult::CUDA_ERROR_UNKNOWN);
    }
    for (number, name) in [
        (0, "CUDA_SUCCESS"),
        (8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"),
        (224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"),
        (225, "CUDA_ERROR_UNKNOWN"),
        (720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"),
        (721, "CUDA_ERROR_UNKNOWN"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        (911, "CUDA_ERROR_EXTERNAL_DEVICE"),
        (912, "CUDA_ERROR_UNKNOWN"),
    ] {
        assert_eq!(format!("{:?}", driver::result(number)), name);
    }
}

#[test]
fn failures_are_sorted_by_their_remedy() {
    let error = |result| CudaError::new("cuCall", result);
    let call = "cuCall";
    assert!(matches!(
        error(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS),
        CudaError::Faulted {
            fault: "illegal address",
            ..
        }
    ));
    assert_eq!(
        error(CUresult::CUDA_ERROR_OUT_OF_MEMORY),
        CudaError::DriverOutOfMemory { call }
    );
    assert_eq!(error(CUresult::CUDA_ERROR_NO_DEVICE), CudaError::NoDevice);
    let other = error(CUresult::CUDA_ERROR_SYSTEM_NOT_READY).to_string();
    assert!(
        other.starts_with("cuCall failed with CUDA_ERROR_SYSTEM_NOT_READY"),
        "{other}"
    );
}

#[test]
fn the_facts_of_a_device_are_filled_in() {
    let Some(gpu) = gpu() else { return };
    let properties = gpu.properties();
    println!("{properties:?}");
    assert_eq!(devices().unwrap().first(), Some(properties));
    assert!(!properties.name.is_empty());
    assert!(
        properties.uuid.starts_with("GPU-") && properties.uuid.len() == 40,
        "{}",
        properties.uuid
    );
    assert!(properties.compute_capability >= (7, 0));
    assert!(properties.multiprocessors > 0 && properties.clock_khz > 0);
    assert!((1..=properties.total_memory).contains(&gpu.free_memory().unwrap()));
    let count = devices().unwrap().len() as u32;
    let absent = Gpu::open(count).unwrap_err();
    assert_eq!(
        absent,
        CudaError::NoSuchDevice {
            ordinal: count,
            count
        }
    );
}

#[test]
fn what_is_uploaded_comes_back() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 8 * 1000).unwrap();
    let values: Vec<u64> = (0..1000).map(|i| i * i + 7).collect();
    buffer.upload(0, &values).unwrap();
    assert_eq!(words(&buffer), values);

    buffer.upload(8 * 998, &[1_u64, 2]).unwrap();
    let mut last = [0_u64; 3];
    buffer.download(8 * 997, &mut last).unwrap();
    assert_eq!(last, [values[997], 1, 2]);
}

#[test]
fn buffers_are_filled_and_zeroed() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 4 * 1001).unwrap();
    let mut values = vec![0_u32; 1001];
    buffer.fill_u32(0xdead_beef).unwrap();
    buffer.download(0, &mut values).unwrap();
    assert!(values.iter().all(|&value| value == 0xdead_beef));
    buffer.zero().unwrap();
    buffer.download(0, &mut values).unwrap();
    assert!(values.iter().all(|&value| value == 0));
}

#[test]
fn an_empty_buffer_takes_every_request() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 0).unwrap();
    buffer.zero().unwrap();
    buffer.fill_u32(1).unwrap();
    buffer.upload::<u32>(0, &[]).unwrap();
    assert!(words(&buffer).is_empty());
}

#[test]
fn copies_beyond_a_buffer_are_refused() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 16).unwrap();
    for offset in [1, 8, 16, u64::MAX] {
        let copy = || buffer.upload(offset, &[1_u64, 2]);
        assert!(catch_unwind(AssertUnwindSafe(copy)).is_err(), "at {offset}");
    }
}

#[test]
fn kernels_run_in_order_with_copies() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 8 * 1000).unwrap();
    buffer.upload(0, &[3_u64; 1000]).unwrap();
    // 8 blocks are 1024 threads: those past the count must do nothing.
    launch(&gpu, "scale", 8, 128, &[buffer.address(), 1000, 5]);
    launch(&gpu, "scale", 8, 128, &[buffer.address(), 1000, 2]);
    let expected: Vec<u64> = (0..1000).map(|i| (15 + i) * 2 + i).collect();
    assert_eq!(words(&buffer), expected);

    buffer.zero().unwrap();
    launch(&gpu, "scale", 8, 128, &[buffer.address(), 1000, 2]);
    assert_eq!(words(&buffer), (0..1000).collect::<Vec<u64>>());
}

#[test]
fn shared_memory_and_barriers_work() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 8 * 32).unwrap();
    buffer.upload(0, &(0..32).collect::<Vec<u64>>()).unwrap();
    launch(&gpu, "reverse", 1, 32, &[buffer.address()]);
    assert_eq!(words(&buffer), (0..32).rev().collect::<Vec<u64>>());
}

#[test]
fn a_device_is_used_from_any_thread() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 8).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            buffer.upload(0, &[21_u64]).unwrap();
            launch(&gpu, "scale", 1, 1, &[buffer.address(), 1, 2]);
        });
    });
    assert_eq!(words(&buffer), [42]);
}

#[test]
fn the_driver_tells_what_a_kernel_takes() {
    let Some(gpu) = gpu() else { return };
    let (scale, reverse) = (kernel(&gpu, "scale"), kernel(&gpu, "reverse"));
    assert!((4..=32).contains(&scale.registers().unwrap()));
    assert_eq!(scale.local_bytes().unwrap(), 0);
    assert_eq!(scale.shared_bytes().unwrap(), 0);
    assert_eq!(reverse.shared_bytes().unwrap(), 256);
    let (small, large) = (
        scale.occupancy(128).unwrap(),
        scale.occupancy(1024).unwrap(),
    );
    assert!(large >= 1 && small > large, "{small} {large}");
}

#[test]
fn events_measure_the_kernel() {
    let Some(gpu) = gpu() else { return };
    let spin = kernel(&gpu, "spin");
    // SAFETY: the kernel takes one number and touches no memory.
    let milliseconds = gpu.time(LIMIT, || unsafe {
        spin.launch(LaunchShape::new(1, 1), &[5_000_000])
    });
    let milliseconds = milliseconds.unwrap();
    assert!(
        milliseconds > 4.0,
        "a kernel of 5 ms took {milliseconds} ms"
    );
}

#[test]
fn a_graph_makes_its_launches_in_order_each_time() {
    let Some(gpu) = gpu() else { return };
    let buffer = Buffer::new(&gpu, 8 * 100).unwrap();
    buffer.zero().unwrap();
    // A module that is loaded again has other functions.
    let scale = kernel(&gpu, "scale");
    let launch = |factor| KernelLaunch {
        function: scale.clone(),
        shape: LaunchShape::new(1, 128),
        words: vec![buffer.address(), 100, factor],
    };
    let parts = [vec![launch(2), launch(3)], vec![], vec![launch(5)]];
    let mut graph = LaunchGraph::new(&gpu, &parts).unwrap();
    assert!(words(&buffer).iter().all(|&word| word == 0));
    let mut expected = vec![0; 100];
    for last in [5, 7, 7] {
        let parts = [vec![launch(2), launch(3)], vec![], vec![launch(last)]];
        assert!(graph.suits(&parts) && !graph.suits(&parts[..2]));
        graph.update(&parts).unwrap();
        // SAFETY: the kernel's three words, and a buffer of 100.
        let times = unsafe { graph.time(LIMIT) }.unwrap();
        assert_eq!(times.len(), 3);
        assert!(times.iter().all(|&ms| ms >= 0.0) && times[0] > 0.0);
        for factor in [2, 3, last] {
            for (index, word) in (0..).zip(&mut expected) {
                *word = *word * factor + index;
            }
        }
        assert_eq!(words(&buffer), expected);
    }
    let launch = KernelLaunch {
        shape: LaunchShape::new(1, 4096),
        ..launch(1)
    };
    let refused = LaunchGraph::new(&gpu, &[vec![launch]]);
    assert!(
        matches!(refused, Err(CudaError::Call { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_buffer_that_does_not_fit_names_both_sizes() {
    let Some(gpu) = gpu() else { return };
    let bytes = gpu.properties().total_memory * 2;
    match Buffer::new(&gpu, bytes) {
        Err(CudaError::OutOfMemory { wanted, free }) => {
            assert_eq!(wanted, bytes);
            assert!((1..=gpu.properties().total_memory).contains(&free));
        }
        other => panic!("{other:?}"),
    }
    // The device goes on working.
    Buffer::new(&gpu, 4096).unwrap().zero().unwrap();
    gpu.synchronize_within(LIMIT).unwrap();
}

#[test]
fn the_log_of_the_compiler_is_kept() {
    let Some(gpu) = gpu() else { return };
    let ptx = KERNELS.replace("trap;", "frobnicate;");
    match Module::load(&gpu, &ptx) {
        Err(CudaError::Jit { line, .. }) => assert!(line.contains("frobnicate"), "{line}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_kernel_and_an_impossible_grid_are_errors() {
    let Some(gpu) = gpu() else { return };
    let module = Module::load(&gpu, KERNELS).unwrap();
    let missing = module.function("absent").unwrap_err();
    assert_eq!(
        missing,
        CudaError::NoFunction {
            name: "absent".to_owned()
        }
    );
    let spin = module.function("spin").unwrap();
    // SAFETY: the kernel takes one number and touches no memory.
    let launched = unsafe { spin.launch(LaunchShape::new(1, 4096), &[0]) };
    assert!(
        matches!(launched, Err(CudaError::Call { .. })),
        "{launched:?}"
    );
}

#[test]
fn a_stray_store_is_a_fault() {
    in_child("a_stray_store_is_a_fault", |gpu| {
        launch(&gpu, "stray", 1, 1, &[8]);
        let fault = gpu.synchronize_within(LIMIT).unwrap_err();
        assert!(
            matches!(
                fault,
                CudaError::Faulted {
                    fault: "illegal address",
                    ..
                }
            ),
            "{fault:?}"
        );
        let after = Buffer::new(&gpu, 4096).unwrap_err();
        assert!(matches!(after, CudaError::Faulted { .. }), "{after:?}");
    });
}

#[test]
fn a_trap_is_a_fault() {
    in_child("a_trap_is_a_fault", |gpu| {
        launch(&gpu, "stop", 1, 1, &[]);
        let fault = gpu.synchronize_within(LIMIT).unwrap_err();
        assert!(matches!(fault, CudaError::Faulted { .. }), "{fault:?}");
    });
}

#[test]
fn a_kernel_that_goes_on_is_not_waited_for() {
    in_child("a_kernel_that_goes_on_is_not_waited_for", |gpu| {
        let buffer = Buffer::new(&gpu, 4096).unwrap();
        // Kept until the wait is given up: unloading its module would wait, too.
        let spin = kernel(&gpu, "spin");
        // SAFETY: the kernel takes one number and touches no memory.
        unsafe { spin.launch(LaunchShape::new(1, 1), &[3_000_000_000]) }.unwrap();
        let limit = Duration::from_millis(50);
        assert_eq!(
            gpu.synchronize_within(limit),
            Err(CudaError::Timeout { limit })
        );
        assert_eq!(buffer.zero(), Err(CudaError::Timeout { limit }));
    });
}
