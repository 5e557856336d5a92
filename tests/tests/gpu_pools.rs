//! Pools with more units than 32 bits of a handle can number, which get larger units:
//! nearly all of 100 GiB of a GPU's memory is granted, freed and granted again. That is
//! tried only when asked for: `cargo test -p heapwood-tests --test gpu_pools -- --ignored`, and
//! `HEAPWOOD_TEST_ALLOCATORS=A,B` tries only some allocators. The same in small pools, whose
//! units are made larger by the parameter, on every backend.

use std::time::Instant;

use heapwood::allocators::{Spec, parse_list};
use heapwood::backend::Backend;
use heapwood_tests::gpu::Lanes::Apart;
use heapwood_tests::gpu::{Trial, cpu, gpu};

/// Bytes of a block.
const BLOCK: u64 = 4096;

/// The allocators that free and use memory again and have units, each in its default form.
fn full() -> Vec<Spec> {
    let names = std::env::var("HEAPWOOD_TEST_ALLOCATORS");
    let names = names.as_deref().unwrap_or("all");
    let specs = parse_list(names).expect("a list of allocators");
    let is_full = |spec: &Spec| {
        let parameters = spec.allocator.description.parameters;
        let has_units = parameters.iter().any(|parameter| parameter.name == "unit");
        let properties = &spec.allocator.properties;
        properties.frees && !properties.may_overwrite && has_units
    };
    specs.into_iter().filter(is_full).collect()
}

/// Blocks of nine tenths of the pool are granted, keep their contents, are freed, and are
/// granted again.
fn grants_nearly_all_of_it_twice(backend: &dyn Backend, spec: &Spec, pool: u64) {
    let threads = (pool / 10 * 9 / BLOCK) as u32;
    let trial = Trial::new(backend, spec, pool, threads);
    for round in 1..=2 {
        let begun = Instant::now();
        drop(trial.malloc(BLOCK, Apart));
        let granted = begun.elapsed();
        assert_eq!(
            trial.fill_and_verify(BLOCK),
            (0, 0),
            "{spec}, round {round}"
        );
        let begun = Instant::now();
        trial.free(Apart);
        let freed = begun.elapsed();
        assert_eq!(trial.state().0.used_bytes, 0, "{spec}, round {round}");
        println!("{spec}: round {round}: granted in {granted:.1?}, freed in {freed:.1?}");
    }
}

#[test]
#[ignore = "takes 100 GiB of a GPU's memory"]
fn pools_of_100_gib() {
    let Some(backend) = gpu() else {
        return;
    };
    for spec in full() {
        grants_nearly_all_of_it_twice(&*backend, &spec, 100 << 30);
    }
}

#[test]
fn small_pools_of_large_units() {
    let cpu = cpu(2);
    let gpu = gpu();
    for spec in full() {
        for unit in [128, 512] {
            let spec = Spec::parse(&format!("{}:unit={unit}", spec.name())).expect("a unit");
            grants_nearly_all_of_it_twice(&*cpu, &spec, 32 << 20);
            if let Some(gpu) = &gpu {
                grants_nearly_all_of_it_twice(&**gpu, &spec, 1 << 30);
            }
        }
    }
}
