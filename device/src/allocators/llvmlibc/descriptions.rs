//! The description of LLVM libc's GPU malloc.

use super::LlvmLibc;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

impl Described for LlvmLibc {
    const DESCRIPTION: Description = Description {
        name: "llvmlibc",
        what: "slabs of chunks of one size behind pointers that count users, in a table that each \
               size searches from its own start on",
        paper: "Huber, LLVM libc, malloc for GPUs, 2025 \
                (github.com/llvm/llvm-project, libc/src/__support/GPU/allocator.cpp)",
        parameters: &[Parameter {
            name: "slab",
            values: "bytes, a power of two from 1024 to 16777216",
            default: "2097152; in pools of less than 1 GiB 4096 or more, and in large ones more if \
                      the pool has more than 32 bits can number",
            what: "size of a slab; blocks of more than 7/16 of it are slabs in a row",
        }],
    };
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 48,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
