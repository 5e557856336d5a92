//! One launch means the same on every backend of this machine.

use std::collections::HashSet;
use std::time::Duration;

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, BackendError, Choice, Grid, Launch, Options};
use heapwood::heap::{DeviceHeap, HeapError};
use heapwood::link::LinkOptions;
use heapwood_device::bench::{ThreadsArguments, ThreadsFree, ThreadsMalloc};
use heapwood_device::heap::{Init, Nothing};
use heapwood_device::launch::Call;

/// The CPU backend with several numbers of workers, and the GPU if there is one.
fn backends() -> Vec<Box<dyn Backend>> {
    let options = |choice, threads| Options {
        link: LinkOptions::default(),
        reference: false,
        choice,
        device: 0,
        threads,
        limit: Duration::from_secs(20),
    };
    let workers = [Some(1), Some(3), None];
    let mut backends: Vec<Box<dyn Backend>> = workers
        .map(|threads| options(Choice::Cpu, threads).open().unwrap())
        .into();
    match options(Choice::Cuda, None).open() {
        Ok(gpu) => backends.push(gpu),
        Err(why) => println!("without the GPU: {why}"),
    }
    backends
}

fn spec(text: &str) -> Spec {
    Spec::parse(text).unwrap()
}

#[test]
fn memory_is_aligned_zeroed_and_copied() {
    for backend in backends() {
        for bytes in [1, 255, 256, 1_000_003] {
            let memory = backend.allocate_zeroed(bytes).unwrap();
            assert_eq!(memory.address() as usize % 256, 0);
            assert_eq!(memory.bytes(), bytes);
            assert_eq!(
                memory.download::<u8>(0, bytes as usize).unwrap(),
                vec![0; bytes as usize]
            );
        }
        let memory = backend.allocate_zeroed(4096).unwrap();
        memory.upload(8, &[1_u32, 2, 3]).unwrap();
        assert_eq!(memory.download::<u32>(4, 5).unwrap(), [0, 1, 2, 3, 0]);
        memory.zero_front(12).unwrap();
        assert_eq!(memory.download::<u32>(8, 1).unwrap(), [0]);
        memory.zero().unwrap();
        assert_eq!(memory.download::<u32>(0, 1024).unwrap(), vec![0; 1024]);
    }
}

#[test]
fn every_thread_of_a_launch_runs_once() {
    for backend in backends() {
        for grid in [
            Grid::Threads(5000),
            Grid::Strided(5000),
            Grid::Strided(100),
            Grid::Warps(200),
            Grid::Persistent,
        ] {
            let spec = spec("atomicmalloc");
            let heap = DeviceHeap::new(&*backend, &spec, 1 << 20).unwrap();
            heap.init().unwrap();
            let blocks = backend.allocate_zeroed(4 * 5000).unwrap();
            let arguments = ThreadsArguments {
                blocks: blocks.address(),
                threads: 5000,
                bytes: 16,
            };
            let launch = Launch {
                call: Call::of::<ThreadsMalloc>(arguments),
                heap: Some(heap.parts()),
                grid,
            };
            // SAFETY: there is a handle of 4 bytes for each thread.
            let took = unsafe { backend.launch(&launch) }.unwrap();
            assert!(took > 0.0);
            // Were a thread to run twice, its second block would leave a gap.
            let handles: HashSet<u32> = blocks.download(0, 5000).unwrap().into_iter().collect();
            assert_eq!(handles.len(), 5000, "{grid:?}");
            assert_eq!(
                handles.iter().max().unwrap() - handles.iter().min().unwrap(),
                4999
            );
        }
    }
}

#[test]
fn a_heap_reports_what_is_live() {
    for backend in backends() {
        for name in ["cmalloc", "cfmmalloc:split=uniform"] {
            let heap = DeviceHeap::new(&*backend, &spec(name), 1 << 20).unwrap();
            heap.init().unwrap();
            let empty = heap.state().unwrap().occupancy;
            assert_eq!(empty.used_bytes, 0);
            assert!(empty.free_bytes >= heap.max_block() && heap.max_block() > 1 << 19);

            let blocks = backend.allocate_zeroed(4 * 100).unwrap();
            let arguments = ThreadsArguments {
                blocks: blocks.address(),
                threads: 100,
                bytes: 1024,
            };
            let launch = |call| Launch {
                call,
                heap: Some(heap.parts()),
                grid: Grid::Threads(100),
            };
            // SAFETY: a handle for each thread.
            unsafe { backend.launch(&launch(Call::of::<ThreadsMalloc>(arguments))) }.unwrap();
            assert!(heap.state().unwrap().occupancy.used_bytes >= 100 * 1024);
            // SAFETY: the blocks are those of the launch before.
            unsafe { backend.launch(&launch(Call::of::<ThreadsFree>(arguments))) }.unwrap();
            let end = heap.state().unwrap();
            assert_eq!(end.occupancy.used_bytes, 0, "{end:?}");
            assert_eq!(end.occupancy.free_bytes, empty.free_bytes);
        }
    }
}

#[test]
fn what_has_no_heap_or_does_not_fit_is_an_error() {
    for backend in backends() {
        let launch = Launch {
            call: Call::of::<Init>(Nothing),
            heap: None,
            grid: Grid::Persistent,
        };
        // SAFETY: there is nothing to run.
        let error = unsafe { backend.launch(&launch) }.unwrap_err();
        assert_eq!(error, BackendError::NoHeap("init"));
        for (pool, expected) in [(64, "too small"), (1 << 50, "too large")] {
            let error = DeviceHeap::new(&*backend, &spec("cmmalloc"), pool)
                .err()
                .unwrap();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(!matches!(error, HeapError::Backend(_)));
        }
        assert!(backend.allocate(1 << 60).is_err());
    }
}
