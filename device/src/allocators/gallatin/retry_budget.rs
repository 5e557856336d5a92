//! The retry budget of a request: how often it looks again while others obtain a block of its
//! class, or make some.
//!
//! It does not wait where it finds that, but looks again after a pause that all lanes of its warp
//! make together ([`super::contract`]): a lane that waits inside of a branch takes its warp's
//! turns from a lane in another, which may be about to obtain a block that many warps wait for.
//! When lanes waited inside, so many of 100,000 requests of mixed sizes gave up, each taking a
//! block for itself, that no block was left.
//!
//! No request depends on another: its budget ends.

/// Looks at a buffer that does not change, after which a request changes it.
const TURNS: u32 = 12;
/// Looks of a request in all, after which it goes on by itself.
const LOOKS: u32 = 512;
/// Bits of a count of looks at the same, of looks, and of the buffer's changes.
const TURNS_BITS: u32 = 8;
const LOOKS_BITS: u32 = 12;

/// The looks of a request at its buffer.
#[derive(Clone, Copy)]
pub struct RetryBudget {
    /// The looks since the buffer changed.
    turns: u32,
    /// All looks.
    looks: u32,
    /// The buffer's changes, modulo `1 << 12`.
    changes: u32,
}

impl RetryBudget {
    /// Before the first look.
    pub const NEW: Self = Self {
        turns: 0,
        looks: 0,
        changes: 0,
    };

    /// The budget in a word.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.turns | self.looks << TURNS_BITS | self.changes << (TURNS_BITS + LOOKS_BITS)
    }

    /// The budget of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u32) -> Self {
        Self {
            turns: bits & ((1 << TURNS_BITS) - 1),
            looks: bits >> TURNS_BITS & ((1 << LOOKS_BITS) - 1),
            changes: bits >> (TURNS_BITS + LOOKS_BITS),
        }
    }

    /// After another look, at a buffer that had changed so many times.
    #[inline(always)]
    pub fn after(self, changes: u32) -> Self {
        let changes = changes & (u32::MAX >> (TURNS_BITS + LOOKS_BITS));
        // Others were served meanwhile: the wait begins anew.
        let same = changes == self.changes;
        Self {
            turns: if same { self.turns + 1 } else { 0 },
            looks: self.looks + 1,
            changes,
        }
    }

    /// Whether a request is to wait for who is about to change the buffer.
    #[inline(always)]
    pub fn lasts(self) -> bool {
        self.turns < TURNS
    }

    /// Whether a request has looked so often that it is to go on by itself.
    #[inline(always)]
    pub fn is_over(self) -> bool {
        self.looks >= LOOKS
    }
}
