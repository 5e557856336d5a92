//! The Kronecker graph of Graph500: each bit of an edge's two ends is drawn
//! together, both 0 with probability 0.57, one of them 1 with 0.19 each.
//!
//! Vertices are then renumbered at random, or the ids would tell the degrees.

use rayon::prelude::*;

use super::Made;
use super::random::Random;

/// Probabilities of the bit pairs 00, 01 and 10, as parts of 2^32, summed up.
const BOUNDS: [u64; 3] = [part(57), part(57 + 19), part(57 + 19 + 19)];

const fn part(percent: u64) -> u64 {
    (percent << 32) / 100
}

/// Makes the graph on the next power of two of `vertices`.
pub(super) fn make(vertices: u32, edges: u64, seed: u64) -> Made {
    let vertices = vertices.next_power_of_two();
    let scale = vertices.trailing_zeros();
    let random = Random::new(seed, 1);
    let shuffle = Shuffle::new(scale, seed);
    let edges = (0..edges as usize).into_par_iter().map(|i| {
        let mut ends = [0_u32; 2];
        for level in 0..scale {
            // A word serves two levels.
            let word = random.word((i as u64) << 4 | u64::from(level / 2));
            let draw = (word >> (32 * (level % 2))) & u64::from(u32::MAX);
            let pair = BOUNDS.iter().filter(|&&bound| draw >= bound).count() as u32;
            ends = [ends[0] << 1 | pair >> 1, ends[1] << 1 | pair & 1];
        }
        ends.map(|end| shuffle.of(end))
    });
    (vertices, edges.collect())
}

/// A permutation of the numbers of `scale` bits.
struct Shuffle {
    scale: u32,
    rounds: [[u32; 2]; 4],
}

impl Shuffle {
    fn new(scale: u32, seed: u64) -> Self {
        let random = Random::new(seed, 2);
        let rounds = [0, 1, 2, 3].map(|i| [0, 1].map(|j| random.word(2 * i + j) as u32));
        Self { scale, rounds }
    }

    /// Every step can be undone: a product with an odd number, a sum, and an
    /// exclusive or of the upper bits onto the lower.
    fn of(&self, number: u32) -> u32 {
        let mask = (1_u32 << self.scale) - 1;
        self.rounds.iter().fold(number, |number, &[factor, term]| {
            let number = number.wrapping_mul(factor | 1).wrapping_add(term) & mask;
            number ^ number >> self.scale.div_ceil(2).max(1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_are_permutations() {
        for scale in [0, 1, 2, 7, 12] {
            let shuffle = Shuffle::new(scale, 5);
            let mut all: Vec<u32> = (0..1 << scale).map(|i| shuffle.of(i)).collect();
            if scale > 3 {
                assert!(!all.is_sorted());
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1 << scale));
        }
    }
}
