//! Which triangles repeat an earlier one.

use glam::Vec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// For each of `ids`, whether an earlier one has the same three positions;
/// `hashes` are those of all triangles.
///
/// A filter finds those whose hash meets another one; equal triangles among
/// them become neighbours by sorting on the hash first, which decides almost
/// every comparison, then on the positions themselves.
pub(super) fn repeated(
    ids: &[u32],
    hashes: &[u64],
    positions: impl Fn(u32) -> [Vec3; 3] + Sync,
) -> Vec<bool> {
    let hash = |slot: u32| hashes[ids[slot as usize] as usize];
    let key = |slot: u32| {
        let corners = positions(ids[slot as usize]);
        let mut corners = corners.map(|v| v.to_array().map(f32::to_bits));
        corners.sort_unstable();
        corners
    };
    let slots = (0..ids.len() as u32).into_par_iter();
    let met = met(slots.clone().map(hash), ids.len());
    let mut order: Vec<(u64, u32)> = slots
        .map(|slot| (hash(slot), slot))
        .filter(|&(hash, _)| met.has(hash))
        .collect();
    order.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0)
            .then_with(|| key(a.1).cmp(&key(b.1)))
            .then_with(|| a.1.cmp(&b.1))
    });
    let mut duplicate = vec![false; ids.len()];
    for pair in order.windows(2) {
        let [(first_hash, first), (second_hash, second)] = [pair[0], pair[1]];
        if first_hash == second_hash && key(first) == key(second) {
            duplicate[second as usize] = true;
        }
    }
    duplicate
}

/// A set of hashes that may have more of them than it was given, never fewer.
struct HashBits {
    words: Vec<AtomicU64>,
    /// How far to shift a hash right to get the number of its bit.
    shift: u32,
}

impl HashBits {
    /// An empty set with eight bits or more for each of so many hashes: of those that are not in
    /// it, about one in nine seems to be.
    fn new(hashes: usize) -> Self {
        let bits = (8 * hashes.max(8)).next_power_of_two();
        Self {
            words: (0..bits / 64).map(|_| AtomicU64::new(0)).collect(),
            shift: 64 - bits.ilog2(),
        }
    }

    /// The word of a hash, and its bit there. The upper bits of a product are the best mixed.
    fn bit(&self, hash: u64) -> (&AtomicU64, u64) {
        let bit = hash >> self.shift;
        (&self.words[(bit / 64) as usize], 1 << (bit % 64))
    }

    /// Adds a hash; whether it seems to have been there before.
    fn add(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        word.fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        word.load(Ordering::Relaxed) & bit != 0
    }
}

/// The hashes that are there more than once, and a few that are not.
///
/// Which of equal ones a thread adds first does not matter: the other one
/// meets it.
fn met(hashes: impl ParallelIterator<Item = u64>, count: usize) -> HashBits {
    let seen = HashBits::new(count);
    let met = HashBits::new(count);
    hashes.for_each(|hash| {
        if seen.add(hash) {
            met.add(hash);
        }
    });
    met
}

/// A hash of three positions in any order: the sum of word-wise multiplicative
/// hashes of each, enough to spread triangles.
pub(super) fn hash(corners: [Vec3; 3]) -> u64 {
    let of_corner = |corner: Vec3| {
        let mixed = corner.to_array().into_iter().fold(0, |hash: u64, value| {
            (hash.rotate_left(23) ^ u64::from(value.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        mixed ^ mixed >> 32
    };
    let sum = corners
        .map(of_corner)
        .into_iter()
        .fold(0, u64::wrapping_add);
    sum.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_meet_another_one_are_found() {
        let hashes = [3, 1 << 63, 1 << 62, 5, 1 << 63];
        let met = met(hashes.into_par_iter(), hashes.len());
        assert!(met.has(1 << 63) && !met.has(1 << 62));
    }
}
