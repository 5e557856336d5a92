//! The commit that heapwood's sources are of.
//!
//! Only the smallest crates may depend on this one: each commit and each change of a file
//! compiles them again.

/// The commit that git named at compile time, in 12 digits, followed by `-dirty` if files differed
/// from it; none without git.
pub const COMMIT: Option<&str> = option_env!("HEAPWOOD_COMMIT");
