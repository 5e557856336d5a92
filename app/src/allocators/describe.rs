//! What each allocator is, for people.

/// A parameter, written after the colon of an allocator's name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub values: &'static str,
    /// What it is if not given.
    pub default: &'static str,
    /// What it does.
    pub what: &'static str,
}

/// What an allocator is.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name, with the parameter that chooses it if it is a form of another; in
    /// the table of kernels it is [`entry_name`].
    pub name: &'static str,
    /// What it does, in a sentence.
    pub what: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

const VINKLER: &str = "Vinkler and Havran, Register Efficient Memory Allocator for GPUs, 2014";

const WINTER: &str = "Winter, Mlakar, Parger and Steinberger, Ouroboros, 2020";

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

const LARGE: &[Parameter] = &[Parameter {
    name: "large",
    values: "runs or paper",
    default: "runs",
    what: "what serves blocks of more than 8 KiB: runs of as many chunks as a block needs, which \
           go back to the pool, or instances for powers of two, stacked as published",
}];

const SHARING: &[Parameter] = &[Parameter {
    name: "sharing",
    values: "holder or paper",
    default: "holder",
    what: "who takes pages of a chunk: one thread at a time, which holds the chunk meanwhile, or \
           all at the same time, as published, with the published instances for large blocks",
}];

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

static DESCRIPTIONS: &[Description] = &[
    Description {
        name: "atomicmalloc",
        what: "one atomic addition a request, nothing is ever freed: the lower bound",
        paper: VINKLER,
        parameters: &[],
    },
    Description {
        name: "awmalloc",
        what: "as atomicmalloc on a circular pool, where old blocks are overwritten (and reported)",
        paper: VINKLER,
        parameters: &[],
    },
    Description {
        name: "cmalloc",
        what: "circular list of chunks, a flag and a link each, one offset for all",
        paper: VINKLER,
        parameters: CIRCULAR,
    },
    Description {
        name: "cfmalloc",
        what: "as cmalloc with flag and link fused into one word",
        paper: VINKLER,
        parameters: CIRCULAR,
    },
    Description {
        name: "cmmalloc",
        what: "as cmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: CIRCULAR,
    },
    Description {
        name: "cfmmalloc",
        what: "as cfmalloc with an offset for each multiprocessor",
        paper: VINKLER,
        parameters: CIRCULAR,
    },
    Description {
        name: "cmalloc:walk=paper",
        what: "cmalloc with the walk as published, from one offset along the list",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    },
    Description {
        name: "cfmalloc:walk=paper",
        what: "cfmalloc with the walk as published, from one offset along the list",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    },
    Description {
        name: "cmmalloc:walk=paper",
        what: "cmmalloc with the walk as published, from an offset for each multiprocessor",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    },
    Description {
        name: "cfmmalloc:walk=paper",
        what: "cfmmalloc with the walk as published, from an offset for each multiprocessor",
        paper: VINKLER,
        parameters: PUBLISHED_WALK,
    },
    Description {
        name: "ouroboros-p-s",
        what: "queues of free pages in static memory, runs of 8 KiB chunks for large blocks; \
               a chunk keeps its page size",
        paper: WINTER,
        parameters: LARGE,
    },
    Description {
        name: "ouroboros-p-s:large=paper",
        what: "ouroboros-p-s with an instance for each power of two of large blocks, \
               as published",
        paper: WINTER,
        parameters: &[],
    },
    Description {
        name: "ouroboros-p-va",
        what: "as ouroboros-p-s with the queues in chunks behind arrays of pointers",
        paper: WINTER,
        parameters: LARGE,
    },
    Description {
        name: "ouroboros-p-va:large=paper",
        what: "ouroboros-p-va with an instance for each power of two of large blocks, \
               as published",
        paper: WINTER,
        parameters: &[],
    },
    Description {
        name: "ouroboros-p-vl",
        what: "as ouroboros-p-s with the queues in linked chunks",
        paper: WINTER,
        parameters: LARGE,
    },
    Description {
        name: "ouroboros-p-vl:large=paper",
        what: "ouroboros-p-vl with an instance for each power of two of large blocks and the list walked, \
               as published",
        paper: WINTER,
        parameters: &[],
    },
    Description {
        name: "ouroboros-c-s",
        what: "queues of chunks with free pages in static memory, runs of chunks for large \
               blocks; a free chunk serves any other use",
        paper: WINTER,
        parameters: SHARING,
    },
    Description {
        name: "ouroboros-c-s:sharing=paper",
        what: "ouroboros-c-s with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[],
    },
    Description {
        name: "ouroboros-c-va",
        what: "as ouroboros-c-s with the queues in chunks behind arrays of pointers",
        paper: WINTER,
        parameters: SHARING,
    },
    Description {
        name: "ouroboros-c-va:sharing=paper",
        what: "ouroboros-c-va with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[],
    },
    Description {
        name: "ouroboros-c-vl",
        what: "as ouroboros-c-s with the queues in linked chunks",
        paper: WINTER,
        parameters: SHARING,
    },
    Description {
        name: "ouroboros-c-vl:sharing=paper",
        what: "ouroboros-c-vl with the front chunk shared as published, by all who take its pages, \
               and an instance for each power of two of large blocks",
        paper: WINTER,
        parameters: &[],
    },
];

/// The name in the table of kernels: PTX has no other signs in names.
pub fn entry_name(name: &str) -> String {
    name.replace(['-', ':', '='], "_")
}

/// Whether two names mean the same allocator.
pub fn is_same_name(one: &str, other: &str) -> bool {
    entry_name(one) == entry_name(other)
}

/// The description of an allocator, an empty one if nobody wrote it.
pub fn describe(name: &str) -> Description {
    let found = DESCRIPTIONS
        .iter()
        .find(|about| is_same_name(about.name, name));
    found.copied().unwrap_or(Description {
        name: "",
        what: "",
        paper: "",
        parameters: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::with_forms;

    #[test]
    fn every_allocator_is_described() {
        for allocator in with_forms() {
            let about = describe(allocator.name);
            assert_eq!(entry_name(about.name), allocator.name);
            assert!(!about.what.is_empty() && !about.paper.is_empty());
        }
    }
}
