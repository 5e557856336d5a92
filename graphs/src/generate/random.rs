//! Random words by place: no state, so that threads need no order.

use crate::hash::splitmix64;

/// A sequence of random words that can be read at any place.
#[derive(Clone, Copy)]
pub(super) struct Random {
    key: u64,
}

impl Random {
    /// The words of SplitMix64's function over the places themselves for seed 0,
    /// and over places scrambled by the seed otherwise.
    pub fn plain(seed: u64) -> Self {
        Self {
            key: splitmix64(seed) ^ splitmix64(0),
        }
    }

    /// A sequence of its own for each purpose of a seed.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self {
            key: splitmix64(splitmix64(seed) ^ purpose),
        }
    }

    pub fn word(self, place: u64) -> u64 {
        splitmix64(self.key ^ place)
    }

    /// A number from 0 up to 1, with 53 bits.
    pub fn unit(self, place: u64) -> f64 {
        unit(self.word(place))
    }

    /// A number below `count`, which is not 0.
    pub fn below(self, place: u64, count: u32) -> u32 {
        below(self.word(place), count)
    }
}

/// The word as a number from 0 up to 1.
pub(super) fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1_u64 << 53) as f64
}

/// The word's upper half as a number below `count`.
pub(super) fn below(word: u64, count: u32) -> u32 {
    (((word >> 32) * u64::from(count)) >> 32) as u32
}
