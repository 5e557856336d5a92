//! Weights of generated edges: integers of a range, drawn for both ends of an edge, whatever
//! its direction. So parallel edges have the same weight.

use rayon::prelude::*;

use super::random::Random;

/// Draws a weight for each edge, from the first number of the range to the second.
pub(super) fn draw(edges: &[[u32; 2]], range: (u32, u32), seed: u64) -> Vec<u32> {
    let random = Random::new(seed, 8);
    let (min, max) = range;
    let count = u64::from(max - min) + 1;
    let weights = edges.par_iter().map(|&[u, v]| {
        let word = random.word(u64::from(u.min(v)) << 32 | u64::from(u.max(v)));
        min + (((word >> 32) * count) >> 32) as u32
    });
    weights.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_of_the_range_and_spread_over_it() {
        let edges: Vec<_> = (0..10_000).map(|i| [i, i + 7]).collect();
        let weights = draw(&edges, (5, 14), 1);
        for weight in 5..=14 {
            let count = weights.iter().filter(|&&other| other == weight).count();
            assert!((850..1150).contains(&count), "{weight}: {count}");
        }
        assert_eq!(weights.iter().min(), Some(&5));
        assert_eq!(weights.iter().max(), Some(&14));
        assert!(draw(&edges, (3, 3), 1).iter().all(|&weight| weight == 3));
        let all = draw(&edges, (0, u32::MAX), 1);
        assert!(all.iter().any(|&weight| weight > 3 << 30));
        assert_ne!(weights, draw(&edges, (5, 14), 2));
    }

    #[test]
    fn both_directions_have_the_same_weight() {
        let weights = draw(&[[3, 9], [9, 3], [3, 8]], (0, u32::MAX), 6);
        assert_eq!(weights[0], weights[1]);
        assert_ne!(weights[0], weights[2]);
    }
}
