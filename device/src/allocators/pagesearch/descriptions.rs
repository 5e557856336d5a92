//! The descriptions of random page search.

use super::{Clustered, Collaborative, Independent, PageSearch};
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;

const PAPER: &str = "Pham, Yuan, Li, Mou, Tu, Xu and Meng, Dynamic Buffer Management in Massively \
                     Parallel Systems: The Power of Randomness, 2025";

const SEARCH: Parameter = Parameter {
    name: "search",
    values: "collaborative, independent or clustered",
    default: "collaborative",
    what: "how pages are drawn: words by a warp, whose lanes share what they find; pages by each \
           thread; or words by each thread, claimed as a whole",
};
const PAGE: Parameter = Parameter {
    name: "page",
    values: "bytes, a power of two from 16 to 4096",
    default: "16, or the least that 30 bits number",
    what: "size of a page of the first tier; those of each further one are 4 times as large",
};

/// Registers as of Halloc, which has as many words to keep.
const REGISTERS: RegisterLimits = RegisterLimits {
    pair: 40,
    malloc: 64,
    ..RegisterLimits::SMALL
};

impl Described for PageSearch<Collaborative> {
    const DESCRIPTION: Description = Description {
        name: "pagesearch",
        what: "pages under bitmaps; warps draw words at random and share the free pages",
        paper: PAPER,
        parameters: &[SEARCH, PAGE],
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for PageSearch<Independent> {
    const DESCRIPTION: Description = Description {
        name: "pagesearch:search=independent",
        what: "pagesearch in which each thread draws pages for itself",
        paper: PAPER,
        parameters: &[PAGE],
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}

impl Described for PageSearch<Clustered> {
    const DESCRIPTION: Description = Description {
        name: "pagesearch:search=clustered",
        what: "pagesearch in which each thread draws words, and claims all free pages of one",
        paper: PAPER,
        parameters: &[PAGE],
    };
    const REGISTERS: RegisterLimits = REGISTERS;
}
