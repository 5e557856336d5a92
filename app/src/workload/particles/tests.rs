use super::*;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::backend::Cpu;
use crate::size::Pool;
use crate::workload::steps::{StepsMeasurement, Workload};

/// A lattice whose lists have more than a frame.
fn lattice() -> Particles {
    Particles {
        width: 5,
        height: 4,
        depth: 3,
        particles: 300,
        ..Particles::default()
    }
}

fn run(
    stepped: Particles,
    steps: u32,
    name: &str,
    pool: Pool,
) -> Result<StepsMeasurement<ParticlesResult>, Error> {
    let spec = Spec::parse(name)?.checked_if(true)?;
    let workload = Workload {
        stepped,
        steps,
        spec,
        pool,
        verify: true,
        draws: false,
    };
    workload.run(&Cpu::new().unwrap(), || ())
}

#[test]
fn particles_are_those_of_the_reference_over_all_allocators() {
    for allocator in allocators::all() {
        let name = allocator.description.name;
        let measured =
            run(lattice(), 12, name, Pool::Auto).unwrap_or_else(|why| panic!("{name}: {why}"));
        let result = measured.result;
        assert!(result.injected > 1000 && result.absorbed > 1000, "{name}");
        // Two outboxes of each cell along y and z, and fewer along x.
        assert!(measured.counts.granted > 12 * 60 * 5, "{name}");
    }
}

#[test]
fn odd_lattices() {
    let lattices = [
        // A cell is its own neighbour on both sides.
        Particles {
            width: 1,
            height: 1,
            depth: 1,
            ..lattice()
        },
        Particles {
            width: 2,
            height: 1,
            depth: 2,
            ..lattice()
        },
        // Lists are empty, or have full frames only.
        Particles {
            particles: 0,
            ..lattice()
        },
        Particles {
            particles: 1,
            ..lattice()
        },
        Particles {
            particles: 256,
            temperature: 0.0,
            ..lattice()
        },
        // Outboxes of several frames.
        Particles {
            width: 2,
            height: 2,
            depth: 1,
            particles: 9000,
            temperature: MAX_TEMPERATURE,
            seed: u32::MAX,
        },
    ];
    for lattice in lattices {
        for name in ["cfmalloc", "gallatin"] {
            run(lattice.clone(), 7, name, Pool::Auto)
                .unwrap_or_else(|why| panic!("{lattice:?} over {name}: {why}"));
        }
    }
}

#[test]
fn particles_without_a_temperature_stay() {
    let cold = Particles {
        temperature: 0.0,
        ..lattice()
    };
    let measured = run(cold, 5, "cfmalloc", Pool::Auto).unwrap();
    let ParticlesResult {
        particles,
        injected,
        absorbed,
        ..
    } = measured.result;
    assert_eq!((particles, injected, absorbed), (60 * 300, 0, 0));
    // The first frames: two a cell.
    assert_eq!((measured.counts.granted, measured.counts.freed), (120, 0));
}

#[test]
fn velocities_have_the_temperature() {
    let hot = Particles {
        particles: 10_000,
        height: 2,
        depth: 2,
        ..lattice()
    };
    let measured = run(hot.clone(), 4, "cfmalloc", Pool::Auto).unwrap();
    // The mean deviation of a sum of four uniform numbers, of 2 on either side of its mean, is 7/15.
    let mean_speed = (12.0 * hot.temperature).sqrt() / 2.0 * 7.0 / 15.0;
    // In four steps, the cells at both faces; half of a cell's particles go to each side.
    let expected = 4.0 * 8.0 * 10_000.0 * mean_speed / 2.0;
    for crossed in [measured.result.injected, measured.result.absorbed] {
        let ratio = crossed as f64 / expected;
        assert!((ratio - 1.0).abs() < 0.03, "{ratio} of what was expected");
    }
}

#[test]
fn a_refused_frame_ends_the_run() {
    // Sizes that suffice for some cells, and for the first particles but not for steps.
    for (name, pool) in [
        ("cfmalloc", 100 << 10),
        ("gallatin", 1 << 20),
        ("ouroboros-p-va", 512 << 10),
        ("atomicmalloc", 700 << 10),
    ] {
        let refused = run(lattice(), 200, name, Pool::Bytes(pool));
        let why = refused.err().expect(name);
        assert_eq!(why.exit_code(), 4, "{name}: {why}");
        assert!(why.to_string().contains("has refused"), "{name}: {why}");
    }
}

#[test]
fn lattices_that_do_not_fit_are_refused() {
    let bad = [
        Particles {
            height: 0,
            ..lattice()
        },
        Particles {
            width: u32::MAX,
            height: u32::MAX,
            depth: u32::MAX,
            ..lattice()
        },
        Particles {
            particles: 1 << 30,
            ..lattice()
        },
        Particles {
            temperature: 0.021,
            ..lattice()
        },
        Particles {
            temperature: f64::NAN,
            ..lattice()
        },
    ];
    for lattice in bad {
        let refused = run(lattice.clone(), 1, "cfmalloc", Pool::Auto);
        assert_eq!(
            refused.err().map(|why| why.exit_code()),
            Some(2),
            "{lattice:?}"
        );
    }
}
