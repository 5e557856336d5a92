//! Work generation (Winter, Parger, Mlakar and Steinberger 2021, "Are dynamic memory managers on
//! GPUs slow?", section 5): every thread produces as many words as it draws, and a thread elsewhere
//! consumes them.
//!
//! Over an allocator, a producer requests a block ([`WorkProduce`]), whose consumer frees it
//! ([`WorkConsume`]). Without one, the amounts are added up first ([`WorkSums`]), so that each
//! producer knows its place in one large block ([`WorkFill`]), where its consumer finds it
//! ([`WorkRead`]). Both consume the same, which is a hash of all words.
//!
//! Producers may leave the words out, so that nothing is measured but obtaining memory.

mod baseline;
mod blocks;

pub use baseline::{BaselineArguments, WorkFill, WorkRead, WorkSums};
pub use blocks::{BlocksArguments, WorkConsume, WorkProduce};

use super::random::{draw, mix64};
use crate::arguments;

/// The random numbers of amounts.
const AMOUNT: u32 = 0;

arguments! {
    /// The work.
    pub struct WorkArguments {
        pointers {
            /// A word, 0 before the first launch, to which the hash of what is consumed is added.
            hash: u64,
        }
        integers {
            /// Threads that each produce and consume once.
            threads: u32,
            /// The fewest words of a thread, at least 1.
            min_words: u32,
            /// How many more it may draw; the sum is below 2^31.
            more_words: u32,
            /// Seed.
            seed: u32,
            /// Whether words are written and read.
            writes: bool,
        }
    }
}

impl WorkArguments {
    /// The words that a thread produces.
    #[inline(always)]
    pub fn words(&self, thread: u32) -> u32 {
        let random = draw(self.seed, AMOUNT, 0, thread);
        let more = (u64::from(random) * (u64::from(self.more_words) + 1)) >> 32;
        self.min_words + more as u32
    }

    /// A word of those that a thread produces.
    #[inline(always)]
    fn word(&self, thread: u32, index: u32) -> u32 {
        (self.seed ^ thread)
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(index.wrapping_mul(0x85eb_ca6b))
    }

    /// The thread whose words a thread consumes: one of another warp where there are several.
    #[inline(always)]
    fn producer(&self, consumer: u32) -> u32 {
        let half = self.threads / 2;
        if consumer < self.threads - half {
            consumer + half
        } else {
            consumer - (self.threads - half)
        }
    }

    /// Writes the words of a thread.
    ///
    /// # Safety
    ///
    /// There is room for as many as the thread produces, which no other thread uses.
    #[inline(always)]
    unsafe fn write(&self, thread: u32, place: *mut u32) {
        if !self.writes {
            return;
        }
        for index in 0..self.words(thread) {
            // SAFETY: the caller's promise.
            unsafe { place.add(index as usize).write(self.word(thread, index)) };
        }
    }

    /// The hash of what a thread has produced.
    ///
    /// # Safety
    ///
    /// They were written there, and no thread writes to them.
    #[inline(always)]
    unsafe fn hash_of(&self, thread: u32, place: *const u32) -> u64 {
        let words = self.words(thread);
        let mut sum = 0_u64;
        if self.writes {
            for index in 0..words {
                // SAFETY: the caller's promise.
                let word = unsafe { place.add(index as usize).read() };
                sum = sum.wrapping_add(u64::from(word));
            }
        }
        mix64(sum ^ u64::from(thread) << 32 ^ u64::from(words))
    }
}
