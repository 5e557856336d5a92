//! The description of the 3L allocator.

use super::BuddyAlloc;
use crate::allocators::common::UNIT;
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;

impl Described for BuddyAlloc {
    const DESCRIPTION: Description = Description {
        name: "buddy",
        what: "3L buddy allocator: a queue of free blocks for each power of two",
        paper: "Lee, A New Non-Blocking Approach on GPU Dynamical Memory Management, 2014",
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 64,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
