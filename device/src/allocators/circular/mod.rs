//! The circular allocators: CMalloc, CFMalloc, CMMalloc and CFMMalloc (Vinkler
//! and Havran 2014, sections 5.2 to 5.4, Algorithm 3, equation 1).
//!
//! The pool is a circular, singly linked list of chunks. A request walks from
//! an offset to the first free chunk that is large enough, takes it, and splits
//! off what it does not need; `free` merges the chunk with its successor if that
//! is free. The four differ in two choices: flag and link in two words or fused
//! into one (`links`), and one offset for all or one a multiprocessor.
//!
//! Differences from the paper, and why:
//!
//! - Headers lie in a table and stay valid for ever (`links` has the argument):
//!   the published algorithm corrupts memory if a thread stalls between reading
//!   a link and following it.
//! - The offset is a ticket that picks the region where the walk starts, and
//!   each region stores where its last request ended. The published offset
//!   sends all threads to the same chunk, so that 10^5 threads need 100 ms.
//! - A walk that finds no fit in a region leaves a hint of the size that failed,
//!   so that others step over the region, and it gives up after some hundred steps.
//!   All of these are hints, and may be wrong.
//! - If the walk finds nothing, an `index` of free units serves the request or refuses
//!   it (`search`): null is evidence, and takes a bounded number of accesses.
//! - A free chunk that is too small is merged with the free chunks behind it
//!   until it fits, so that what was freed in any order serves any size.

mod anchors;
mod contract;
mod descriptions;
mod group;
mod heap;
mod hints;
mod index;
mod layout;
mod links;
mod published;
pub mod runs;
mod search;
mod walk;

pub use group::Group;
pub use heap::{Circular, Offsets, One, PerProcessor};
use links::{Fused, TwoWords};
pub use published::{CMallocPaper, CfMallocPaper, CfmMallocPaper, CmMallocPaper, Published};

/// CircularMalloc: flag and link in two words, one offset.
pub type CMalloc = Circular<TwoWords, One>;
/// Circular Fused Malloc: flag and link in one word, one offset.
pub type CfMalloc = Circular<Fused, One>;
/// Circular Multi Malloc: flag and link in two words, an offset a processor.
pub type CmMalloc = Circular<TwoWords, PerProcessor>;
/// Circular Fused Multi Malloc: one word, an offset a processor.
pub type CfmMalloc = Circular<Fused, PerProcessor>;
