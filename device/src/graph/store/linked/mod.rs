//! The baseline: adjacency in linked pages of 64 bytes (faimGraph, Winter and
//! others 2018), behind the same operations.
//!
//! A page holds the handle of the next one and as many neighbours as fit behind
//! it. Neighbours ascend along the chain and every page but the last is full, so
//! that the store is the same set of edges, whatever the layout. Reading is one
//! lane's walk from page to page (PageRank, which reads often, makes a directory of long
//! chains); an insertion replaces the chain from the page of its first neighbour on, with
//! pages that were allocated and filled before anything was changed, and a deletion closes
//! up the pages in place.

mod load;
pub mod page;
mod read;
mod update;

pub use load::LinkedLoad;
pub use read::{LinkedCopyOut, LinkedDrawCount, LinkedDrawPick, LinkedQuery};
pub(super) use update::free_chains;
pub use update::{LinkedClassify, LinkedCommit, LinkedDemand, LinkedPrepare};
