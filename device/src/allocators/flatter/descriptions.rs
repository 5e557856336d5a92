//! The description of FlatterScatter.

use super::FlatterScatter;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

impl Described for FlatterScatter {
    const DESCRIPTION: Description = Description {
        name: "flatterscatter",
        what: "pages of chunks of one size, probed in a table from a hashed start on",
        paper: "Lenz and Widera, mallocMC 3, creation policy FlatterScatter, 2024 \
                (github.com/alpaka-group/mallocMC)",
        parameters: &[
            Parameter {
                name: "page",
                values: "bytes, a power of two from 1024 to 67108864",
                default: "131072; in pools of less than 128 MiB 4096 or more, and in large ones \
                          more if the pool has more than 32 bits can number",
                what: "size of a page; blocks of half of it or more are pages in a row",
            },
            Parameter {
                name: "block",
                values: "bytes, a power of two from a page to 2^40",
                default: "134217728",
                what: "size of an access block, in which a request looks at all pages before it \
                       goes on",
            },
            Parameter {
                name: "waste",
                values: "1 to 16",
                default: "2",
                what: "how many times as large as a request the chunk may be that serves it",
            },
        ],
    };
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 40,
        malloc: 64,
        ..RegisterLimits::SMALL
    };
}
