//! The description of Halloc.

use super::{Halloc, PageRuns};
use crate::allocators::CudaMalloc;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

const PAPER: &str = "Adinetz and Pleiter, Halloc: a High-Throughput Dynamic Memory Allocator for \
                     GPGPU Architectures, 2014";

const LARGE: Parameter = Parameter {
    name: "large",
    values: "runs or cuda",
    default: "runs",
    what: "what blocks of more than 3 KiB are: runs of pages in a part of the pool, or blocks of \
           CUDA's heap, as published",
};
const SLAB: Parameter = Parameter {
    name: "slab",
    values: "bytes, a power of two from 8192 to 16777216",
    default: "4194304, or less in a pool of less than 1.4 GiB",
    what: "size of a slab, which has chunks of one size",
};
/// The share of slabs, with this default.
const fn share(default: &'static str) -> Parameter {
    Parameter {
        name: "share",
        values: "percent, 1 to 99",
        default,
        what: "part of the pool for slabs; large blocks have the rest",
    }
}

impl Described for Halloc<PageRuns> {
    const DESCRIPTION: Description = Description {
        name: "halloc",
        what: "slabs of chunks of one size, and runs of pages for blocks of more than 3 KiB, \
               taken by bitmaps",
        paper: PAPER,
        parameters: &[LARGE, SLAB, share("60")],
    };
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 40,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}

impl Described for Halloc<CudaMalloc> {
    const DESCRIPTION: Description = Description {
        name: "halloc:large=cuda",
        what: "halloc with blocks of more than 3 KiB of CUDA's own device heap, as published",
        paper: PAPER,
        parameters: &[SLAB, share("75")],
    };
    // A kernel that calls CUDA's functions has no limit.
    const REGISTERS: RegisterLimits = RegisterLimits::NONE;
}
