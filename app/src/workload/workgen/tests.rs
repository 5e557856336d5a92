use super::*;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::backend::Cpu;
use crate::size::Pool;
use crate::workload::steps::{Run, StepsMeasurement, Workload};

fn work() -> Workgen {
    Workgen {
        threads: 3001,
        ..Workgen::default()
    }
}

fn run(stepped: Workgen, name: &str, pool: Pool) -> Result<StepsMeasurement<WorkgenResult>, Error> {
    let spec = Spec::parse(name)?.checked_if(true)?;
    let workload = Workload {
        stepped,
        steps: 3,
        spec,
        pool,
        verify: true,
        draws: false,
    };
    workload.run(&Cpu::new().unwrap(), || ())
}

#[test]
fn all_that_is_produced_is_consumed_over_all_allocators() {
    for allocator in allocators::all() {
        let name = allocator.description.name;
        let large = Workgen {
            max_bytes: 4096,
            ..work()
        };
        for work in [
            work(),
            Workgen {
                no_write: true,
                ..work()
            },
            large,
        ] {
            let measured =
                run(work, name, Pool::Auto).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(
                (measured.counts.granted, measured.counts.refused),
                (3 * 3001, 0),
                "{name}"
            );
        }
    }
}

#[test]
fn a_refused_block_is_missed() {
    let small = Pool::Bytes(1 << 16);
    let missed = run(
        Workgen {
            max_bytes: 1024,
            ..work()
        },
        "cfmalloc",
        small,
    );
    assert_eq!(missed.err().map(|why| why.exit_code()), Some(4));
}

#[test]
fn the_work_without_an_allocator_is_the_same() {
    let backend = Cpu::new().unwrap();
    for threads in [1, 2, 31, 32, 255, 256, 257, 3001] {
        let options = Workgen {
            threads,
            max_bytes: 256,
            ..Workgen::default()
        };
        let spec = Spec::parse("atomicmalloc").unwrap();
        let heap = DeviceHeap::new(&backend, &spec, 1 << 24).unwrap();
        let run = options
            .begin(&backend, &heap, std::ptr::null_mut())
            .unwrap();
        let baseline = run.baseline().unwrap().unwrap();
        // SAFETY: launches of the run, in their order.
        unsafe { backend.launch_parts(&[&baseline.launches]).unwrap() };
        let [hash] = baseline.hash.download_array::<u64, 1>(0).unwrap();
        assert_eq!(hash, options.reference(1), "{threads} threads");
    }
}

#[test]
fn amounts_that_do_not_fit_are_refused() {
    for (min_bytes, max_bytes) in [(0, 64), (4, 6), (6, 8), (64, 4), (4, 1 << 21)] {
        let bad = Workgen {
            min_bytes,
            max_bytes,
            ..work()
        };
        assert!(bad.check().is_err(), "{min_bytes} to {max_bytes}");
    }
}
