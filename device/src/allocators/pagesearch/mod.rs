//! Random page search (Pham, Yuan, Li, Mou, Tu, Xu and Meng, ACM TOPC 12(1), 2025): pages of one
//! size under a bitmap, and threads that draw pages at random until one is free. No word is common
//! to all requests, so that none is a bottleneck.
//!
//! The pool is divided into pages of *tiers* ([`layout`]). Four pages of a tier are one of the next,
//! and the last tier has eight or more. A request takes one to three pages that lie in a row and have
//! bits in one word, in the tier with the least pages that suffice.
//!
//! Each tier has a bitmap of its own over the same memory ([`map`]). All memory is free in some tier
//! or owned: a page that is free in one tier has its bits set in the others. A thread that owns a
//! page of a tier may split it and give parts of it to the tiers below, and the owner of four pages
//! that are one page of the next tier may give them to that one ([`merge`]). So memory of any tier serves
//! requests of each.
//!
//! The invariants, and the operation that decides each:
//!
//! - *A thread that changes the bit of a page from 0 to 1 owns the page, with all its parts, until
//!   it clears the bit, or bits of its parts or of a page that it is part of* ([`map`]). Each is a
//!   single atomic operation on a word.
//! - *A word of a bitmap with a clear bit is listed in the tier's summary, or the thread that
//!   cleared its first bit is about to list it, or a thread that has just removed it from the list
//!   is about to read it again.* So a pass over the summary finds all that no thread holds.
//!
//! A search reads words as hints, and draws words or pages by random numbers. These are functions
//! of the warp or thread, the number of the draw and the clock, so that they need no memory. After a
//! fixed number of draws a thread passes over the summary of its tier, and then over those of the others,
//! whose pages it splits or raises ([`pass`]): at first over some rows. So a refusal at rest says that
//! no block fits, whatever was drawn, or that it does not fit into hundreds of words with free pages.
//!
//! The three searches ([`search`]) claim pages differently: one page at a time
//! ([`independent`](search::Independent)), all free pages of a word
//! ([`clustered`](search::Clustered)), or as many pages of a word as lanes of the warp want
//! ([`collaborative`](search::Collaborative)). All of them change bits by the same three
//! operations.
//!
//! No call waits for another thread. The number of draws is fixed, a pass visits no word twice, a
//! thread that lost the pages of a word tries them a fixed number of times, and the number of
//! passes is fixed. Lanes meet in the collaborative search alone: over the mask that they read at
//! its start, in rounds that all of them make until the last one is done. A thread that stops
//! anywhere hides from others what it has claimed and not yet given back, and one word of the
//! summary.

mod contract;
mod descriptions;
mod layout;
mod map;
mod merge;
mod pass;
mod search;

use layout::Layout;
pub use search::{Clustered, Collaborative, Independent};

/// The tiers of a heap: their addresses and constants.
///
/// Invariant: the pages and tables that a [`Layout`] divides lie there, and stay mapped.
#[derive(Clone, Copy)]
pub struct Tiers {
    blocks: *mut u8,
    tables: *mut u8,
    layout: Layout,
}

/// Pages of tiers, found by the search `S`.
#[derive(Clone, Copy)]
pub struct PageSearch<S> {
    tiers: Tiers,
    search: core::marker::PhantomData<S>,
}
