//! Random numbers that are the same on every run and machine.

/// Sebastiano Vigna's SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = self.state;
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`, which is not 0 and so small that what is left of 2^64 does not
    /// matter.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn words_are_those_of_the_published_code() {
        let mut random = SplitMix64::new(0);
        let words = [0; 2].map(|_| random.word());
        assert_eq!(words, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
