//! The allocators.

mod atomic;
mod atomic_wrap;
mod checked;
pub mod circular;
pub mod ouroboros;

pub use atomic::AtomicMalloc;
pub use atomic_wrap::AwMalloc;
pub use checked::Checked;
pub use circular::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
pub use circular::{CMallocPaper, CfMallocPaper, CfmMallocPaper, CmMallocPaper};
pub use ouroboros::{
    OuroborosCS, OuroborosCSPaper, OuroborosCVa, OuroborosCVaPaper, OuroborosCVl,
    OuroborosCVlPaper, OuroborosPS, OuroborosPSPaper, OuroborosPVa, OuroborosPVaPaper,
    OuroborosPVl, OuroborosPVlPaper,
};

use crate::allocator::{Request, SetupError};

/// Allocation unit of the allocators that hand out 16-byte units.
const UNIT: u64 = 16;

/// The least number of units of `unit` bytes, at least one, that hold `bytes`;
/// `u32::MAX`, which no pool has, if that many cannot be counted.
#[inline(always)]
fn units(bytes: u64, unit: u64) -> u32 {
    let bytes = if bytes == 0 { 1 } else { bytes };
    if bytes > u64::from(u32::MAX - 1) * unit {
        return u32::MAX;
    }
    bytes.div_ceil(unit) as u32
}

/// Refuses parameters, for an allocator that has none.
fn no_parameters(request: &Request) -> Result<(), SetupError> {
    if request.parameters.is_empty() {
        Ok(())
    } else {
        Err(SetupError::BadParameter { expected: "none" })
    }
}
