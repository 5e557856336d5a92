//! The descriptions of the Ouroboros allocators.

use super::{
    OuroborosCS, OuroborosCSPaper, OuroborosCVa, OuroborosCVaPaper, OuroborosCVl,
    OuroborosCVlPaper, OuroborosPS, OuroborosPSPaper, OuroborosPVa, OuroborosPVaPaper,
    OuroborosPVl, OuroborosPVlPaper,
};
use crate::allocators::common::UNIT;
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

/// Where they were published.
const WINTER: &str = "Winter, Mlakar, Parger and Steinberger, Ouroboros, 2020";

const LARGE: Parameter = Parameter {
    name: "large",
    values: "runs or paper",
    default: "runs",
    what: "what serves blocks of more than 8 KiB: runs of as many chunks as a block needs, which \
           go back to the pool, or instances for powers of two, stacked as published",
};

const SHARING: Parameter = Parameter {
    name: "sharing",
    values: "holder or paper",
    default: "holder",
    what: "who takes pages of a chunk: one thread at a time, which holds the chunk meanwhile, or \
           all at the same time, as published, with the published instances for large blocks",
};

// Those of kernels with one `malloc` and one `free` are what the published implementation
// uses. Of the others with `malloc`, three blocks fit a multiprocessor, four of
// `ouroboros-p-va`: with fewer registers, of 100,000 threads those that are to allocate a
// chunk wait until others are done that wait for it, 1.3 ms instead of 0.1.
const P_S_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 40,
    malloc: 0,
    ..RegisterLimits::SMALL
};
const P_VA_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 32,
    malloc: 64,
    ..RegisterLimits::SMALL
};
const P_VL_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 40,
    malloc: 80,
    ..RegisterLimits::SMALL
};
const C_S_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 56,
    malloc: 0,
    ..RegisterLimits::SMALL
};
const C_VA_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 64,
    malloc: 80,
    ..RegisterLimits::SMALL
};
const C_VL_REGISTERS: RegisterLimits = RegisterLimits {
    pair: 64,
    malloc: 80,
    ..RegisterLimits::SMALL
};

impl Described for OuroborosPS {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-s",
        what: "queues of free pages in static memory, runs of 8 KiB chunks for large blocks; \
               a chunk keeps its page size",
        paper: WINTER,
        parameters: &[LARGE, UNIT],
    };
    const REGISTERS: RegisterLimits = P_S_REGISTERS;
}

impl Described for OuroborosPSPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-s:large=paper",
        what: "ouroboros-p-s with an instance for each power of two of large blocks, \
               as published",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = P_S_REGISTERS;
}

impl Described for OuroborosPVa {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-va",
        what: "as ouroboros-p-s with the queues in chunks behind arrays of pointers",
        paper: WINTER,
        parameters: &[LARGE, UNIT],
    };
    const REGISTERS: RegisterLimits = P_VA_REGISTERS;
}

impl Described for OuroborosPVaPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-va:large=paper",
        what: "ouroboros-p-va with an instance for each power of two of large blocks, \
               as published",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = P_VA_REGISTERS;
}

impl Described for OuroborosPVl {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-vl",
        what: "as ouroboros-p-s with the queues in linked chunks",
        paper: WINTER,
        parameters: &[LARGE, UNIT],
    };
    const REGISTERS: RegisterLimits = P_VL_REGISTERS;
}

impl Described for OuroborosPVlPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-p-vl:large=paper",
        what: "ouroboros-p-vl with an instance for each power of two of large blocks and the list walked, \
               as published",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = P_VL_REGISTERS;
}

impl Described for OuroborosCS {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-s",
        what: "queues of chunks with free pages in static memory, runs of chunks for large \
               blocks; a free chunk serves any other use",
        paper: WINTER,
        parameters: &[SHARING, UNIT],
    };
    const REGISTERS: RegisterLimits = C_S_REGISTERS;
}

impl Described for OuroborosCSPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-s:sharing=paper",
        what: "ouroboros-c-s with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = C_S_REGISTERS;
}

impl Described for OuroborosCVa {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-va",
        what: "as ouroboros-c-s with the queues in chunks behind arrays of pointers",
        paper: WINTER,
        parameters: &[SHARING, UNIT],
    };
    const REGISTERS: RegisterLimits = C_VA_REGISTERS;
}

impl Described for OuroborosCVaPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-va:sharing=paper",
        what: "ouroboros-c-va with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = C_VA_REGISTERS;
}

impl Described for OuroborosCVl {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-vl",
        what: "as ouroboros-c-s with the queues in linked chunks",
        paper: WINTER,
        parameters: &[SHARING, UNIT],
    };
    const REGISTERS: RegisterLimits = C_VL_REGISTERS;
}

impl Described for OuroborosCVlPaper {
    const DESCRIPTION: Description = Description {
        name: "ouroboros-c-vl:sharing=paper",
        what: "ouroboros-c-vl with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[UNIT],
    };
    const REGISTERS: RegisterLimits = C_VL_REGISTERS;
}
