//! A figure of a case or the reason why there is none, and the allocators that are no rivals.

/// The allocator whose times the others are held against.
pub const LOWER_BOUND: &str = "atomicmalloc";
/// CUDA's own heap, whose times would hide the differences between all others.
pub const CUDA: &str = "cudamalloc";

/// The default of the program.
pub const DEFAULT: &str = "cfmalloc";

/// Milliseconds, or what stands in their place: `-`, or how the run failed.
pub type Outcome = std::result::Result<f64, String>;
