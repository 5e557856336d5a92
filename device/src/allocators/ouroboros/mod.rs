//! Ouroboros: virtualized queues that are built on the chunks that they manage
//! (Winter, Mlakar, Parger and Steinberger 2020).
//!
//! The memory is divided into chunks of 8 KiB. A `pool` allocates them for any
//! use: divided into pages of one size, as storage of a queue, or as part of a
//! run (`runs`). Requests of up to a chunk are served by ten classes of pages,
//! each with a queue and a [bulk semaphore](semaphore). `pages` keep the
//! free pages themselves in the queue, `chunks` the chunks that have
//! some; each over one of three [queues](queue): static memory (S), an array of
//! pointers to chunks (VA), a list of chunks (VL). Larger requests are served by
//! instances that share the pool with the others.
//!
//! Each module states what is ours, and why. In short:
//!
//! - The lanes of a warp that want the same class make one request of the
//!   semaphore and of the queue, and enqueue a new chunk's pages together. In the
//!   published code one thread did both, which made a growing heap slow.
//! - Metadata lie in a table of their own and never become payload. An exchange or
//!   a tag confirms whatever a thread has read before it counts, so
//!   that no step relies on how long another thread may stall.
//! - Room in a queue is reserved before a position is taken, and what finds no
//!   room is recorded by bits in the metadata: a free needs no memory and always
//!   succeeds, and a request at exhaustion is refused and does not wait.
//! - Each atomic operation states its order, and each wait the thread that it waits
//!   for and why that thread makes progress: threads of a warp run independently, and
//!   `malloc` and `free` run in one kernel.

mod arena;
mod bits;
mod chunks;
mod contract;
mod descriptions;
mod geometry;
mod group;
mod instance;
mod kind;
mod layout;
mod pages;
mod parameters;
mod pool;
pub mod queue;
mod runs;
pub mod semaphore;
mod shared;
mod stack;
mod stacked;
mod supply;
mod transit;
mod waiting;

use core::marker::PhantomData;

pub use arena::{Arena, Chunk, Class, NONE};
pub use chunks::OuroborosChunks;
pub use geometry::Static;
pub use group::Group;
pub use instance::{Instance, Split};
pub use layout::plan;
pub use pages::OuroborosPages;
pub use parameters::{METADATA_BYTES, Paper, Parameters, Stacked};
use queue::{Array, Hierarchy, Linked, Walked};
pub use shared::OuroborosShared;

/// An Ouroboros heap with parameters `P`, whose pages are served by `I`.
#[derive(Clone, Copy)]
pub struct Ouroboros<P, I> {
    arena: Arena<P>,
    instances: PhantomData<I>,
}

/// Pages over static queues.
pub type OuroborosPS = Ouroboros<Paper, OuroborosPages<Array>>;
/// Pages over virtualized array-hierarchy queues.
pub type OuroborosPVa = Ouroboros<Paper, OuroborosPages<Hierarchy>>;
/// Pages over virtualized linked-chunk queues.
pub type OuroborosPVl = Ouroboros<Paper, OuroborosPages<Linked>>;
/// Chunks over static queues.
pub type OuroborosCS = Ouroboros<Paper, OuroborosChunks<Array>>;
/// Chunks over virtualized array-hierarchy queues.
pub type OuroborosCVa = Ouroboros<Paper, OuroborosChunks<Hierarchy>>;
/// Chunks over virtualized linked-chunk queues.
pub type OuroborosCVl = Ouroboros<Paper, OuroborosChunks<Linked>>;
/// Pages over static queues, with instances stacked as published.
pub type OuroborosPSPaper = Ouroboros<Stacked, OuroborosPages<Array>>;
/// Pages over virtualized array-hierarchy queues, with instances stacked as published.
pub type OuroborosPVaPaper = Ouroboros<Stacked, OuroborosPages<Hierarchy>>;
/// Pages over virtualized linked-chunk queues that are walked, with instances stacked,
/// both as published.
pub type OuroborosPVlPaper = Ouroboros<Stacked, OuroborosPages<Walked>>;
/// Chunks over static queues, shared and with instances stacked as published.
pub type OuroborosCSPaper = Ouroboros<Stacked, OuroborosShared<Array>>;
/// Chunks over virtualized array-hierarchy queues, shared and with instances stacked as
/// published.
pub type OuroborosCVaPaper = Ouroboros<Stacked, OuroborosShared<Hierarchy>>;
/// Chunks over virtualized linked-chunk queues that are walked, shared and with instances
/// stacked, all as published.
pub type OuroborosCVlPaper = Ouroboros<Stacked, OuroborosShared<Walked>>;
