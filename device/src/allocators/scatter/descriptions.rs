//! The description of ScatterAlloc.

use super::ScatterAlloc;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

impl Described for ScatterAlloc {
    const DESCRIPTION: Description = Description {
        name: "scatteralloc",
        what: "pages of chunks of one size, over which requests are scattered by hashing",
        paper: "Steinberger, Kenzel, Kainz and Schmalstieg, ScatterAlloc: Massively Parallel \
                Dynamic Memory Allocation for the GPU, 2012",
        parameters: &[Parameter {
            name: "page",
            values: "bytes, a power of two from 1024 to 67108864",
            default: "4096, or more if the pool has more than 32 bits can number",
            what: "size of a page; blocks of more than half of it are runs of pages",
        }],
    };
    // As many as the paper's (Vinkler and Havran, Table 1), in whole allocation units; four
    // blocks a multiprocessor in the microbenchmarks.
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 40,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
