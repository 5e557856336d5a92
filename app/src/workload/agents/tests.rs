use heapwood_device::allocator::Handle;
use heapwood_device::workload::agents::NO_BLOCK;

use super::*;
use crate::Error;
use crate::allocators::{self, Spec};
use crate::backend::Cpu;
use crate::size::Pool;
use crate::workload::steps::{StepsMeasurement, Workload};

/// A sea of a few thousand cells.
fn sea() -> Agents {
    Agents {
        width: 67,
        height: 41,
        ..Agents::default()
    }
}

fn run(
    stepped: Agents,
    steps: u32,
    name: &str,
    pool: Pool,
) -> Result<StepsMeasurement<AgentsResult>, Error> {
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
fn the_sea_is_that_of_the_reference_over_all_allocators() {
    for allocator in allocators::all() {
        let name = allocator.description.name;
        let measured =
            run(sea(), 60, name, Pool::Auto).unwrap_or_else(|why| panic!("{name}: {why}"));
        let AgentsResult { fish, sharks, .. } = measured.result;
        assert!(
            fish > 100 && sharks > 10,
            "{name}: {fish} fish and {sharks} sharks"
        );
        assert!(measured.counts.freed > 1000, "{name}");
    }
}

#[test]
fn animals_without_a_block_live_on() {
    for name in ["cfmalloc", "gallatin", "ouroboros-p-va", "atomicmalloc"] {
        let pool = Pool::Bytes(if name == "gallatin" { 1 << 20 } else { 1 << 16 });
        // More cells than the pool has blocks for.
        let sea = Agents {
            width: 300,
            height: 200,
            ..Agents::default()
        };
        let measured = run(sea, 12, name, pool).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(measured.counts.refused > 0, "{name}");
    }
}

#[test]
fn odd_seas() {
    let seas = [
        Agents {
            width: 3,
            height: 3,
            fish: 1.0 - 1e-9,
            sharks: 0.0,
            ..sea()
        },
        Agents {
            fish: 0.0,
            sharks: 0.0,
            ..sea()
        },
        Agents {
            fish: 0.0,
            sharks: 0.9,
            hunger: 1,
            ..sea()
        },
        Agents {
            width: 1000,
            height: 3,
            fish_age: 1,
            shark_age: 1,
            hunger: 1 << 30,
            ..sea()
        },
        Agents {
            width: 3,
            height: 997,
            seed: u32::MAX,
            ..sea()
        },
    ];
    for sea in seas {
        run(sea.clone(), 30, "cmalloc", Pool::Auto).unwrap_or_else(|why| panic!("{sea:?}: {why}"));
    }
    let full = Agents {
        fish: 0.5,
        sharks: 0.5,
        ..sea()
    };
    assert_eq!(
        run(full, 1, "cmalloc", Pool::Auto)
            .err()
            .map(|why| why.exit_code()),
        Some(2)
    );
}

#[test]
fn a_sea_without_blocks_has_null_handles_of_any_type() {
    assert!(<u32 as Handle>::from_bits(NO_BLOCK).is_null());
    assert!(<u64 as Handle>::from_bits(NO_BLOCK).is_null());
}
