//! The blocks that a load announces to its allocator, counted beside the degrees of the graph.

use heapwood::backend::{Backend, Launch};
use heapwood_device::graph::store::load::word;
use heapwood_device::graph::store::plan::{Csr, CsrSpace, Graph, Layout, Shape, Weighting};
use heapwood_device::graph::store::update::CLASSES;
use heapwood_device::launch::{KernelId, PlannedLaunch};

use super::Model;

/// Sums up what a load of the graph is about to request, and compares the sums.
///
/// # Panics
///
/// If a class has another sum than the degrees have.
pub fn check(backend: &dyn Backend, model: &Model, layout: Layout) {
    let csr = model.csr();
    let vertices = csr.offsets.len() as u32 - 1;
    let handle_bytes = 4;
    let shape = Shape {
        vertices,
        limit: vertices + 5,
        directed: false,
        handle_bytes,
        weighting: Weighting::None,
        provides: true,
        layout,
    };
    let offsets: Vec<u32> = csr.offsets.iter().map(|&offset| offset as u32).collect();
    let offsets_memory = backend.allocate(4 * offsets.len() as u64).expect("memory");
    offsets_memory.upload(0, &offsets).expect("an upload");
    let workspace = backend.allocate_zeroed(CsrSpace::new().bytes() as u64);
    let workspace = workspace.expect("memory");
    let rows = Csr {
        offsets: offsets_memory.address().cast(),
        // The sums are of the offsets alone.
        targets: std::ptr::null_mut(),
        weights: std::ptr::null_mut(),
        entries: csr.targets.len() as u32,
    };
    let launches = Graph::new(shape, std::ptr::null_mut()).load(0, rows, workspace.address());
    let is_demand = |launch: &&PlannedLaunch| launch.call.kernel() == KernelId::LoadDemand;
    let demand = launches.iter().find(is_demand).expect("a launch of sums");
    let launch = Launch {
        call: demand.call,
        heap: None,
        grid: demand.grid,
    };
    // SAFETY: the offsets and the workspace are there.
    unsafe { backend.launch(&launch) }.expect("a launch");

    let mut expected = [0; CLASSES as usize];
    let page_entries = (64 - handle_bytes as u32) / 4;
    for degree in offsets.windows(2).map(|pair| pair[1] - pair[0]) {
        match layout {
            // Rows of 1024 neighbours and more have had their blocks.
            Layout::Contiguous if degree == 0 || degree >= 1024 => {}
            Layout::Contiguous => {
                let units = degree.div_ceil(4).next_power_of_two();
                expected[units.ilog2() as usize] += 1;
            }
            Layout::Linked => expected[2] += u64::from(degree.div_ceil(page_entries)),
        }
    }
    let found: [u64; CLASSES as usize] = workspace
        .download_array(8 * word::DEMAND as u64)
        .expect("a download");
    assert_eq!(found, expected, "{layout:?}, {vertices} vertices");
}
