//! The registers and the local memory that calls of an allocator cost a kernel, by its compiler.

use heapwood_device::bench::{Pair, PairCoalesced};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{KernelId, Listed};

use super::{Cost, Costs};
use crate::backend::{Backend, BackendError};

/// The costs of the calls of an allocator on a backend.
///
/// # Errors
///
/// Faults of the GPU.
pub fn allocator_costs(
    allocator: &'static HostAllocator,
    backend: &dyn Backend,
) -> Result<Costs, BackendError> {
    let cost = |kernel: KernelId| -> Result<Option<Cost>, BackendError> {
        let found = backend.registers(kernel, allocator)?;
        Ok(found.map(|(registers, local_bytes)| Cost {
            registers,
            local_bytes,
        }))
    };
    Ok(Costs {
        plain: cost(Pair::ID)?,
        coalesced: cost(PairCoalesced::ID)?,
    })
}
