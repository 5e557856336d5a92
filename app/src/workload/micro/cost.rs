//! What the calls of an allocator cost a kernel, by what its compiler says.

use heapwood_device::bench::{Pair, PairCoalesced};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{KernelId, Listed};
use serde::Serialize;

use crate::backend::{Backend, BackendError};

/// What a thread takes of a kernel with one `malloc` and one `free`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Registers.
    pub registers: u32,
    /// Local memory, in bytes: stack and spilled registers.
    pub local_bytes: u32,
}

/// Costs of both ways to call an allocator; none where threads have no registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// Each lane makes its own request.
    pub plain: Option<Cost>,
    /// A warp makes its requests together.
    pub coalesced: Option<Cost>,
}

impl Costs {
    /// Those of an allocator that is not there.
    pub const UNKNOWN: Self = Self {
        plain: None,
        coalesced: None,
    };

    /// Those of an allocator on a backend.
    ///
    /// # Errors
    ///
    /// Faults of the GPU.
    pub fn of(
        allocator: &'static HostAllocator,
        backend: &dyn Backend,
    ) -> Result<Self, BackendError> {
        let cost = |kernel: KernelId| -> Result<Option<Cost>, BackendError> {
            let found = backend.registers(kernel, allocator)?;
            Ok(found.map(|(registers, local_bytes)| Cost {
                registers,
                local_bytes,
            }))
        };
        Ok(Self {
            plain: cost(Pair::ID)?,
            coalesced: cost(PairCoalesced::ID)?,
        })
    }
}
