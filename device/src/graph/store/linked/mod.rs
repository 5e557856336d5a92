//! The baseline: adjacency in linked pages of 64 bytes (faimGraph, Winter and
//! others 2018), behind the same operations.
//!
//! A page holds the handle of the next one and as many neighbours as fit behind
//! it. Neighbours ascend along the chain and every page but the last is full, so
//! that the store is the same set of edges, whatever the layout. One lane follows a chain from page
//! to page; the row of a hub is divided into chains that lanes follow side by side ([`row`]).
//! An insertion replaces a chain from the page of its first neighbour on, with
//! pages that were allocated and filled before anything was changed, and a deletion closes
//! up the pages in place.

mod chain;
mod commit;
mod divide;
mod load;
pub mod page;
mod prepare;
mod read;
pub mod row;
mod sections;

pub(super) use chain::free_rows;
pub use commit::LinkedCommit;
pub use load::LinkedLoad;
pub use prepare::{LinkedDemand, LinkedPrepare};
pub use read::{LinkedClassify, LinkedCopyOut, LinkedDrawCount, LinkedDrawPick, LinkedQuery};
