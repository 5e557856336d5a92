//! The description of XMalloc.

use super::XMalloc;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

impl Described for XMalloc {
    const DESCRIPTION: Description = Description {
        name: "xmalloc",
        what: "superblocks of basic blocks of one size, which lie in lock-free FIFO bins while free",
        paper: "Huang, Rodrigues, Jones, Buck and Hwu, XMalloc: A Scalable Lock-free Dynamic \
                Memory Allocator for Many-core Machines, 2010",
        parameters: &[Parameter {
            name: "superblock",
            values: "bytes, a power of two from 1024 to 67108864",
            default: "a 256th to a 128th of the pool, from 4096 to 65536, or more if the pool has \
                      more units than 32 bits can number",
            what: "size of a superblock; blocks of more than half of it are runs of superblocks",
        }],
    };
    // As many as of the published code on an H200, and four blocks a multiprocessor.
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 64,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
