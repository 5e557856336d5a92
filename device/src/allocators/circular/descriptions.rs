//! The descriptions of the circular allocators.

use super::{CMalloc, CMallocPaper, CfMalloc, CfMallocPaper};
use super::{CfmMalloc, CfmMallocPaper, CmMalloc, CmMallocPaper};
use crate::allocators::common::{UNIT, VINKLER};
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

const WALK: Parameter = Parameter {
    name: "walk",
    values: "regions or paper",
    default: "regions",
    what: "where a request looks: spread over regions of the pool, with notes of what failed, \
           or chunk by chunk from the offset as published",
};

const SPLIT: Parameter = Parameter {
    name: "split",
    values: "tail, uniform or heap",
    default: "tail",
    what: "how the empty pool is divided: half of it into chunks of a region each and one \
           large chunk behind, all into chunks of a region, or a binary heap as published",
};

const FRAGMENTATION: Parameter = Parameter {
    name: "frag",
    values: "1.0 to 16.0",
    default: "1.0",
    what: "how many times larger than the request a chunk may be and still not be split",
};

const CHUNK: Parameter = Parameter {
    name: "chunk",
    values: "bytes, from 1 on",
    default: "one unit",
    what: "smallest remainder that becomes a chunk of its own",
};

const REGION: Parameter = Parameter {
    name: "region",
    values: "bytes, a power of two from a unit on",
    default: "pool / 16384, from 4096 to 524288",
    what: "distance of the places where a search can start",
};

/// Those of the forms with one word a header.
const FUSED: &[Parameter] = &[WALK, SPLIT, FRAGMENTATION, CHUNK, REGION, UNIT];

/// Those of the forms with two words a header, whose least unit is twice as large.
const TWO_WORDS: &[Parameter] = &[
    WALK,
    SPLIT,
    FRAGMENTATION,
    CHUNK,
    REGION,
    Parameter {
        values: "bytes, a power of two from 32 to 4096",
        ..UNIT
    },
];

/// Those of the published walk.
const PUBLISHED_WALK: &[Parameter] = &[
    Parameter {
        what: "how the empty pool is divided: half of it into chunks of a region each and one \
               large chunk behind, all into chunks of a region, or by equation 1 into a binary \
               heap for each offset, as published",
        ..SPLIT
    },
    FRAGMENTATION,
    Parameter {
        values: "bytes",
        ..CHUNK
    },
    Parameter {
        values: "bytes, a power of two",
        what: "length of the chunks that the empty pool is divided into",
        ..REGION
    },
];

/// In the microbenchmarks three blocks fit a multiprocessor. With fewer, 100,000 threads come
/// in two waves, whose second goes to the multiprocessors that are first done. Their ticket
/// counters then differ, regions no longer get the same number of requests each, and 10^5 of 8
/// KiB over `cfmmalloc` take 5 ms on a warm heap instead of 0.11.
const REGISTERS: RegisterLimits = RegisterLimits {
    pair: 24,
    malloc: 80,
    ..RegisterLimits::SMALL
};

impl Described for CMalloc {
    const DESCRIPTION: Description = Description {
        name: "cmalloc",
        what: "circular list of chunks, a flag and a link each, one offset for all",
        paper: VINKLER,
        parameters: TWO_WORDS,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CfMalloc {
    const DESCRIPTION: Description = Description {
        name: "cfmalloc",
        what: "as cmalloc with flag and link fused into one word",
        paper: VINKLER,
        parameters: FUSED,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CmMalloc {
    const DESCRIPTION: Description = Description {
        name: "cmmalloc",
        what: "as cmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: TWO_WORDS,
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for CfmMalloc {
    const DESCRIPTION: Description = Description {
        name: "cfmmalloc",
        what: "as cfmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: FUSED,
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
