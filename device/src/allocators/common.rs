//! What allocators of several families share: the paper, the unit, and having no parameters.

use crate::allocator::{Request, SetupError};

/// Where AtomicMalloc, AWMalloc and the circular allocators were published.
pub const VINKLER: &str = "Vinkler and Havran, Register Efficient Memory Allocator for GPUs, 2014";

/// Allocation unit of the allocators that grant 16-byte units.
pub const UNIT: u64 = 16;

/// The least number of units of `unit` bytes, at least one, that hold `bytes`;
/// `u32::MAX`, which no pool has, if that many cannot be counted.
#[inline(always)]
pub fn units(bytes: u64, unit: u64) -> u32 {
    let bytes = if bytes == 0 { 1 } else { bytes };
    if bytes > u64::from(u32::MAX - 1) * unit {
        return u32::MAX;
    }
    bytes.div_ceil(unit) as u32
}

/// Refuses parameters, for an allocator that has none.
pub fn no_parameters(request: &Request) -> Result<(), SetupError> {
    if request.parameters.is_empty() {
        Ok(())
    } else {
        Err(SetupError::BadParameter { expected: "none" })
    }
}
