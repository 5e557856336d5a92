//! The content hash that identifies a graph in every result.
//!
//! The sum, modulo 2^64, of a scrambled word for each entry, with its weight if
//! there is one, and one for the number of vertices. A sum does not depend on
//! order, so the hash is the same however the graph was made and stored, and any
//! number of threads can compute it. It is a fingerprint against mix-ups, not
//! against forgery.

/// Sebastiano Vigna's SplitMix64: what its generator gives from state `word`.
pub(crate) fn splitmix64(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The part of an entry from `source` to `target`.
pub(crate) fn of_entry(source: u32, target: u32) -> u64 {
    splitmix64(u64::from(source) << 32 | u64::from(target))
}

/// The part of an entry whose weight is this word.
pub(crate) fn of_weighted_entry(source: u32, target: u32, weight: u32) -> u64 {
    splitmix64(of_entry(source, target).wrapping_add(u64::from(weight)))
}

/// The part of the number of vertices. Scrambled twice, it is no entry's.
pub(crate) fn of_vertices(count: u32) -> u64 {
    splitmix64(splitmix64(u64::from(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_outputs_hold() {
        assert_eq!(splitmix64(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(splitmix64(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn direction_and_ends_count() {
        assert_ne!(of_entry(1, 2), of_entry(2, 1));
        assert_ne!(of_entry(0, 1), of_vertices(1));
        assert_ne!(of_weighted_entry(0, 1, 0), of_entry(0, 1));
        assert_ne!(of_weighted_entry(0, 1, 0), of_weighted_entry(0, 1, 1));
    }
}
