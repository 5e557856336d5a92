//! The SIMT layer: how device code sees the machine, and what the lanes of a warp do
//! together.
//!
//! [`Warp`] is the interface. `Simt` is a lane of a GPU warp, `Solo` a warp of one lane that
//! an OS thread runs; the tests add `Lockstep`, 32 lanes in one host thread.
//!
//! Most kernels have one form, which serves a warp of any width. Some operations have two,
//! chosen by [`Warp::IS_SOLO`]: lanes share work and read neighbouring memory, while a lane
//! alone has a cache of its own and a branch predictor, and gains from another order of the
//! same work. Such an algorithm keeps the two in modules `simt` and `solo`, as functions with
//! the same names, arguments and results.
//!
//! Rules for kernels: a collective names the lanes that take part; a loop that
//! contains one has bounds that are the same in all of them; each turn of a
//! spin calls `back_off`; under divergence a warp may rely on `converge` only.

mod backoff;
mod block;
#[cfg(target_arch = "nvptx64")]
mod foreign_launch;
#[cfg(target_arch = "nvptx64")]
mod gpu;
pub(crate) mod prefetch;
pub(crate) mod reduce;
pub(crate) mod rows;
pub(crate) mod segments;
#[cfg(not(target_arch = "nvptx64"))]
mod solo;
pub(crate) mod tail;
mod warp;
mod with_active_mask;

pub(crate) use backoff::Backoff;
pub use block::{Block, BlockShape, MAX_SHARED_BYTES};
#[cfg(target_arch = "nvptx64")]
pub(crate) use foreign_launch::ForeignLaunch;
#[cfg(target_arch = "nvptx64")]
pub use gpu::Simt;
#[cfg(not(target_arch = "nvptx64"))]
pub use solo::Solo;
pub use warp::{SCRATCH_BYTES, WARPS_PER_BLOCK, Warp, leader, low_bits, rank};
pub use with_active_mask::WithActiveMask;
