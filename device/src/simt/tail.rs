//! The last words of a list, which is loaded four words at a time.
//!
//! How many are left is unpredictable, so a branch or a scalar tail loop costs a lane alone
//! a mispredicted branch a list. It loads four words anyway and masks those behind the end.

/// Four words, loaded at once.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Four(pub [u32; 4]);

/// By the number of words that are left, from none to four: all bits of those, none of the
/// others.
pub static TAIL_MASKS: [Four; 5] = [
    Four([0, 0, 0, 0]),
    Four([!0, 0, 0, 0]),
    Four([!0, !0, 0, 0]),
    Four([!0, !0, !0, 0]),
    Four([!0, !0, !0, !0]),
];
