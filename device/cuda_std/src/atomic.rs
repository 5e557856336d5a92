//! Atomic words in global memory (`AtomicU32`, `AtomicU64`) and in a block's
//! shared memory (`SharedU32`).
//!
//! On the GPU every operation is one PTX instruction at `.gpu` scope (`.cta`
//! for shared memory) that carries the ordering asked for. rustc's own atomics
//! would drop the ordering of read-modify-writes on this target and widen the
//! scope of the rest to `.sys`. On the host the same operations are those of
//! `core::sync::atomic`, with a scheduling point in front.
//!
//! The address must lie in global memory (or shared memory, for `SharedU32`),
//! and a word is never accessed at two widths. An access to several words (`load_row`,
//! `store_four`) is one to each of them, in no order.

pub use core::sync::atomic::Ordering;

#[cfg(target_arch = "nvptx64")]
#[path = "atomic_ptx.rs"]
mod imp;

#[cfg(not(target_arch = "nvptx64"))]
#[path = "atomic_host.rs"]
mod imp;

pub use imp::{AtomicU32, AtomicU64, SharedU32, fence, load_row, store_four};
