//! What the circular allocators are, for people.

use super::{CMalloc, CMallocPaper, CfMalloc, CfMallocPaper};
use super::{CfmMalloc, CfmMallocPaper, CmMalloc, CmMallocPaper};
use crate::allocators::common::VINKLER;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

const WALK: Parameter = Parameter {
    name: "walk",
    values: "regions or paper",
    default: "regions",
    what: "where a request looks: spread over regions of the pool, with notes of what failed, \
           or chunk by chunk from the offset as published",
};

const CIRCULAR: &[Parameter] = &[
    WALK,
    Parameter {
        name: "split",
        values: "tail, uniform or heap",
        default: "tail",
        what: "how the empty pool is divided: half of it into chunks of a region each and one \
               large chunk behind, all into chunks of a region, or a binary heap as published",
    },
    Parameter {
        name: "frag",
        values: "1.0 to 16.0",
        default: "1.0",
        what: "how many times larger than the request a chunk may be and still not be split",
    },
    Parameter {
        name: "chunk",
        values: "bytes, from 1 on",
        default: "one unit",
        what: "smallest remainder that becomes a chunk of its own",
    },
    Parameter {
        name: "region",
        values: "bytes, a power of two",
        default: "pool / 16384, at least 4096",
        what: "distance of the places where a search can start",
    },
];

/// As [`CIRCULAR`], for the published walk.
const PUBLISHED_WALK: &[Parameter] = &[
    Parameter {
        name: "split",
        values: "tail, uniform or heap",
        default: "tail",
        what: "how the empty pool is divided: half of it into chunks of a region each and one \
               large chunk behind, all into chunks of a region, or by equation 1 into a binary \
               heap for each offset, as published",
    },
    Parameter {
        name: "frag",
        values: "1.0 to 16.0",
        default: "1.0",
        what: "how many times larger than the request a chunk may be and still not be split",
    },
    Parameter {
        name: "chunk",
        values: "bytes",
        default: "one unit",
        what: "smallest remainder that becomes a chunk of its own",
    },
    Parameter {
        name: "region",
        values: "bytes, a power of two",
        default: "pool / 16384, at least 4096",
        what: "length of the chunks that the empty pool is divided into",
    },
];

/// In the microbenchmarks three blocks fit a multiprocessor. With fewer, 100,000 threads come
/// in two waves, whose second goes to the multiprocessors that are first done. Their ticket
/// counters then differ, regions no longer get the same number of requests each, and 10^5 of 8
/// KiB over `cfmmalloc` take 5 ms on a warm heap instead of 0.11.
const REGISTERS: RegisterLimits = RegisterLimits {
    pair: 24,
    malloc: 80,
};

impl Described for CMalloc {
    const DESCRIPTION: Description = Description {
        name: "cmalloc",
        what: "circular list of chunks, a flag and a link each, one offset for all",
        paper: VINKLER,
        parameters: CIRCULAR,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CfMalloc {
    const DESCRIPTION: Description = Description {
        name: "cfmalloc",
        what: "as cmalloc with flag and link fused into one word",
        paper: VINKLER,
        parameters: CIRCULAR,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CmMalloc {
    const DESCRIPTION: Description = Description {
        name: "cmmalloc",
        what: "as cmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: CIRCULAR,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CfmMalloc {
    const DESCRIPTION: Description = Description {
        name: "cfmmalloc",
        what: "as cfmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: CIRCULAR,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CMallocPaper {
    const DESCRIPTION: Description = Description {
        name: "cmalloc:walk=paper",
        what: "cmalloc with the walk as published, from one offset along the list",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    };
}

impl Described for CfMallocPaper {
    const DESCRIPTION: Description = Description {
        name: "cfmalloc:walk=paper",
        what: "cfmalloc with the walk as published, from one offset along the list",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    };
}

impl Described for CmMallocPaper {
    const DESCRIPTION: Description = Description {
        name: "cmmalloc:walk=paper",
        what: "cmmalloc with the walk as published, from an offset for each multiprocessor",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    };
}

impl Described for CfmMallocPaper {
    const DESCRIPTION: Description = Description {
        name: "cfmmalloc:walk=paper",
        what: "cfmmalloc with the walk as published, from an offset for each multiprocessor",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    };
}
