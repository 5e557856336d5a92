//! Loads announce their blocks to allocators that make memory ready ahead.

use heapwood::backend::Cpu;
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::store::plan::Layout;
use heapwood_tests::dirty::Dirty;
use heapwood_tests::graph::{demand, graphs};
use heapwood_tests::lockstep::LockstepBackend;

#[test]
fn threads_announce_all_blocks_of_a_load() {
    let backend = Dirty(Cpu::with_threads(2).expect("two workers"));
    for (name, model) in graphs::all(false) {
        println!("{name}");
        for layout in Layout::ALL {
            demand::check(&backend, &model, layout);
        }
    }
}

#[test]
fn lanes_announce_all_blocks_of_a_load() {
    let graphs = graphs::all(false).into_iter();
    for (seed, (name, model)) in (0..).zip(graphs.filter(|(name, _)| *name != "sparse")) {
        println!("{name}");
        let backend = Dirty(LockstepBackend::new::<CfmMalloc>(3, 64, seed));
        for layout in Layout::ALL {
            demand::check(&backend, &model, layout);
        }
    }
}
