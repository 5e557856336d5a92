//! The bits of a key below its bin, as a word of 32 or 64 bits.

/// A word that holds a rest.
pub trait Rest: Copy + Ord {
    /// Warps of the blocks that sort such words: their shared memory holds as many bytes.
    const WARPS: u32;
    /// The low bits of a key.
    fn of(key: u64) -> Self;
    /// The bits.
    fn bits(self) -> u64;
}

impl Rest for u32 {
    const WARPS: u32 = 32;

    #[inline(always)]
    fn of(key: u64) -> Self {
        key as u32
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Rest for u64 {
    const WARPS: u32 = 16;

    #[inline(always)]
    fn of(key: u64) -> Self {
        key
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}
