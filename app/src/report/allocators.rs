//! The list of allocators: what each is, its parameters, and what its calls cost.

use heapwood_device::host::HostAllocator;

pub use heapwood_results::allocators::{AllocatorRow, ParameterRow, allocator_prose};

use crate::workload::micro::Costs;

/// The row of an allocator, whose calls cost so much.
pub fn allocator_row(allocator: &HostAllocator, costs: Costs) -> AllocatorRow {
    let about = &allocator.description;
    let parameter = |parameter: &heapwood_device::description::Parameter| ParameterRow {
        name: parameter.name.to_owned(),
        values: parameter.values.to_owned(),
        default: parameter.default.to_owned(),
        what: parameter.what.to_owned(),
    };
    AllocatorRow {
        name: about.name.to_owned(),
        what: about.what.to_owned(),
        paper: about.paper.to_owned(),
        frees: allocator.properties.frees,
        reuses_across_sizes: allocator.properties.reuses_across_sizes,
        walkable: allocator.properties.walkable,
        may_overwrite: allocator.properties.may_overwrite,
        system_heap: allocator.properties.system_heap,
        handle_bytes: allocator.handle_bytes as u64,
        parameters: about.parameters.iter().map(parameter).collect(),
        costs,
    }
}
