//! Workloads that go in steps, over every allocator: what they leave is that of their sequential
//! references. On a GPU, where tests say that they are skipped if there is none, at a smaller scale
//! on the CPU, and in lockstep; see `gpu_conformance` for `HEAPWOOD_TEST_SCALE` and
//! `HEAPWOOD_TEST_ALLOCATORS`.

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, Cpu};
use heapwood::size::Pool;
use heapwood::workload::agents::Agents;
use heapwood::workload::particles::Particles;
use heapwood::workload::steps::{Stepped, StepsMeasurement, Workload};
use heapwood::workload::workgen::Workgen;
use heapwood_device::allocators::{AtomicMalloc, CfmMalloc, OuroborosPVa, ScatterAlloc};
use heapwood_tests::clauses;
use heapwood_tests::dirty::Dirty;
use heapwood_tests::gpu::{specs, specs_with_pools};
use heapwood_tests::lockstep::LockstepBackend;

/// How much is done.
#[derive(Clone, Copy)]
struct Scale {
    /// Cells of a row of the sea, and rows.
    side: u32,
    /// Steps of the sea.
    steps: u32,
    /// Threads that produce.
    threads: u32,
    /// Cells of the lattice along each axis.
    extent: u32,
    /// A pool that is to run out under the sea.
    pool: u64,
}

const FULL: Scale = Scale {
    side: 700,
    steps: 200,
    threads: 200_000,
    extent: 12,
    pool: 2 << 20,
};

const SMALL: Scale = Scale {
    side: 150,
    steps: 40,
    threads: 5_000,
    extent: 6,
    pool: 128 << 10,
};

/// Every allocator has a heap of its own to be made empty.
const ON_CPU: Scale = Scale {
    side: 60,
    steps: 30,
    threads: 1_000,
    extent: 3,
    pool: 64 << 10,
};

clauses! { FULL, SMALL, ON_CPU; the_sea_is_that_of_the_reference a_sea_outlives_its_pool all_work_is_consumed no_particle_is_lost }

/// Takes the steps of a workload over an allocator, which leave what the reference has found.
fn run<S: Stepped>(
    backend: &dyn Backend,
    (stepped, steps, reference): (&S, u32, u64),
    spec: &Spec,
    pool: Pool,
) -> StepsMeasurement<S::Result> {
    let workload = Workload {
        stepped: stepped.clone(),
        steps,
        spec: spec.clone(),
        pool,
        verify: false,
        draws: false,
    };
    let (measured, name) = (workload.run(backend, || ()), spec.allocator.name);
    let measured = measured.unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(measured.hash, reference, "{name}");
    measured
}

fn sea(side: u32) -> Agents {
    Agents {
        width: side,
        height: side - 1,
        ..Agents::default()
    }
}

fn the_sea_is_that_of_the_reference(backend: &dyn Backend, scale: Scale) {
    let sea = sea(scale.side);
    let work = (&sea, scale.steps, sea.reference(scale.steps));
    for spec in specs_with_pools() {
        let found = run(backend, work, &spec, Pool::Auto);
        assert!(found.counts.freed > 0 && found.result.sharks > 0);
    }
}

fn a_sea_outlives_its_pool(backend: &dyn Backend, scale: Scale) {
    let sea = sea(scale.side);
    let work = (&sea, 20, sea.reference(20));
    for spec in specs_with_pools() {
        let name = spec.allocator.name;
        let processors = backend.info().processors;
        if spec
            .setup(std::ptr::null_mut(), scale.pool, processors)
            .is_err()
        {
            println!("{name} needs a larger pool");
            continue;
        }
        let found = run(backend, work, &spec, Pool::Bytes(scale.pool));
        assert!(found.counts.refused > 0, "{name}");
    }
}

fn all_work_is_consumed(backend: &dyn Backend, scale: Scale) {
    for (max_bytes, no_write) in [(64, false), (4096, true), (4096, false)] {
        let work = Workgen {
            threads: scale.threads,
            max_bytes,
            no_write,
            ..Workgen::default()
        };
        let work = (&work, 3, work.reference(3));
        // The others may refuse a request while memory is free, and published forms do.
        for spec in specs()
            .into_iter()
            .filter(|spec| spec.allocator.properties.exact_null)
        {
            let found = run(backend, work, &spec, Pool::Auto);
            assert_eq!(found.counts.granted, 3 * u64::from(scale.threads));
        }
    }
}

fn no_particle_is_lost(backend: &dyn Backend, scale: Scale) {
    let lattice = Particles {
        width: scale.extent,
        height: scale.extent - 1,
        depth: scale.extent - 2,
        ..Particles::default()
    };
    let work = (&lattice, 10, lattice.reference(10));
    // Others may refuse a request while memory is free, or use up their pool.
    for spec in specs()
        .into_iter()
        .filter(|spec| spec.allocator.properties.exact_null && spec.frees())
    {
        let found = run(backend, work, &spec, Pool::Auto);
        assert!(found.result.injected > 0 && found.counts.freed > 0);
    }
}

/// All workloads under a schedule, over an allocator by this name.
fn in_lockstep(backend: LockstepBackend, name: &str) {
    let backend = Dirty(backend);
    let spec = Spec::parse(name).expect("an allocator");
    let small = Agents {
        width: 29,
        height: 11,
        ..Agents::default()
    };
    for pool in [Pool::Auto, Pool::Bytes(32 << 10)] {
        run(&backend, (&small, 8, small.reference(8)), &spec, pool);
    }
    let work = Workgen {
        threads: 300,
        max_bytes: 128,
        ..Workgen::default()
    };
    run(&backend, (&work, 2, work.reference(2)), &spec, Pool::Auto);
    // Cells beside themselves along one axis and beside one other along another, and lists of two frames.
    let lattice = Particles {
        width: 2,
        height: 1,
        depth: 2,
        particles: 290,
        ..Particles::default()
    };
    let work = (&lattice, 2, lattice.reference(2));
    run(&backend, work, &spec, Pool::Auto);
}

#[test]
fn lanes_in_lockstep_leave_the_same() {
    for seed in 0..2 {
        in_lockstep(
            LockstepBackend::new::<AtomicMalloc>(3, 40, seed),
            "atomicmalloc",
        );
        in_lockstep(LockstepBackend::new::<CfmMalloc>(3, 40, seed), "cfmmalloc");
        in_lockstep(
            LockstepBackend::new::<OuroborosPVa>(3, 40, seed),
            "ouroboros-p-va",
        );
        in_lockstep(
            LockstepBackend::new::<ScatterAlloc>(3, 40, seed),
            "scatteralloc",
        );
    }
}

#[test]
fn any_number_of_workers_leaves_the_same() {
    let spec = Spec::parse("gallatin").expect("an allocator");
    let sea = sea(70);
    let work = (&sea, 30, sea.reference(30));
    for workers in [1, 2, 7] {
        let backend = Dirty(Cpu::with_threads(workers).expect("workers"));
        run(&backend, work, &spec, Pool::Bytes(8 << 20));
    }
}
