//! The description of Gallatin.

use super::Gallatin;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

impl Described for Gallatin {
    const DESCRIPTION: Description = Description {
        name: "gallatin",
        what: "segments of blocks of slices, found by trees of bits, claimed by additions",
        paper: "McCoy and Pandey, Gallatin: A General-Purpose GPU Memory Manager, 2024",
        parameters: &[Parameter {
            name: "segment",
            values: "bytes, a power of two from 1024 to 268435456",
            default: "a 64th of the pool, from 4096 to 16777216",
            what: "size of a segment; blocks of more than half of it are runs of segments",
        }],
    };
    // Fewer than the published code (53 and 51), in whole allocation units.
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 40,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
