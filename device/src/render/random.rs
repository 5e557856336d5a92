//! Numbers for sampling: the same on every machine, by integer operations alone.
//!
//! A sample of a pixel draws pairs of numbers. Over the samples of a pixel, each pair runs
//! through a Sobol sequence of two dimensions, whose order and digits are scrambled for each
//! pixel, pair and seed: Burley, "Practical Hash-based Owen Scrambling" (JCGT 2020), listings 1
//! to 3. So few samples cover the square evenly, and pixels and pairs know nothing of each
//! other.

/// A hash of 32 bits: the PCG of Jarzynski and Olano, "Hash Functions for GPU Rendering"
/// (JCGT 2020).
#[inline(always)]
pub fn hash(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// A permutation of 32-bit words in which each bit depends on lower ones alone, by Laine and
/// Karras with Burley's constants.
#[inline(always)]
fn permute_upwards(word: u32, seed: u32) -> u32 {
    let mut word = word.wrapping_add(seed);
    word ^= word.wrapping_mul(0x6c50_b47c);
    word ^= word.wrapping_mul(0xb82f_1e52);
    word ^= word.wrapping_mul(0xc7af_e638);
    word ^ word.wrapping_mul(0x8d22_f6e6)
}

/// The second dimension of the Sobol sequence with its bits reversed; in the first, that is the
/// index itself. Its matrix is Pascal's triangle modulo 2, whose row i has the columns with
/// numbers that have all bits of i: five steps add up all of them.
#[inline(always)]
fn sobol_reversed(index: u32) -> u32 {
    let mut word = index;
    word ^= (word >> 16) & 0x0000_ffff;
    word ^= (word >> 8) & 0x00ff_00ff;
    word ^= (word >> 4) & 0x0f0f_0f0f;
    word ^= (word >> 2) & 0x3333_3333;
    word ^ (word >> 1) & 0x5555_5555
}

/// From 0 up to 1, by the upper 24 bits.
#[inline(always)]
pub fn to_unit(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// The numbers of one sample of a pixel.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// Number of the sample.
    index: u32,
    /// The scrambling word: of the pixel, and from pair to pair another.
    seed: u32,
}

impl Sampler {
    /// Sample `index` of the pixel in this column and row of the picture.
    #[inline(always)]
    pub fn new(column: u32, row: u32, index: u32, seed: u32) -> Self {
        // Sides are at most 65536, so this is one word a pixel.
        let pixel = row.wrapping_shl(16).wrapping_add(column);
        Self {
            index,
            seed: hash(pixel ^ hash(seed)),
        }
    }

    /// The next two numbers, from 0 up to 1.
    #[inline(always)]
    pub fn get_2d(&mut self) -> [f32; 2] {
        self.seed = hash(self.seed);
        let index = permute_upwards(self.index.reverse_bits(), self.seed).reverse_bits();
        let scrambled =
            |reversed: u32, seed: u32| to_unit(permute_upwards(reversed, seed).reverse_bits());
        [
            scrambled(index, hash(self.seed ^ 0x9e37_79b9)),
            scrambled(sobol_reversed(index), hash(self.seed ^ 0x3c6e_f372)),
        ]
    }

    /// The next number, from 0 up to 1.
    #[inline(always)]
    pub fn get_1d(&mut self) -> f32 {
        self.get_2d()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second dimension by its direction numbers, as Sobol defines it.
    fn sobol(index: u32) -> u32 {
        let (mut word, mut direction) = (0, 1 << 31);
        for bit in 0..32 {
            if index >> bit & 1 == 1 {
                word ^= direction;
            }
            direction ^= direction >> 1;
        }
        word
    }

    #[test]
    fn the_second_dimension_is_that_of_sobol() {
        for index in (0..4096).chain((0..4096).map(hash)) {
            assert_eq!(
                sobol_reversed(index).reverse_bits(),
                sobol(index),
                "{index}"
            );
        }
    }

    #[test]
    fn samples_of_a_pixel_cover_the_square_evenly() {
        // Of 256 pairs, every box of area 1/256 with sides of powers of two has one.
        for pixel in 0..20 {
            for skipped in 0..3 {
                let pairs: Vec<[f32; 2]> = (0..256)
                    .map(|index| {
                        let mut sampler = Sampler::new(pixel, 7 * pixel, index, 5);
                        (0..skipped).for_each(|_| {
                            sampler.get_2d();
                        });
                        sampler.get_2d()
                    })
                    .collect();
                for bits in 0..=8 {
                    let (across, down) = (1 << bits, 1 << (8 - bits));
                    let mut boxes = [0; 256];
                    for [x, y] in &pairs {
                        let (x, y) = (x * across as f32, y * down as f32);
                        boxes[y as usize * across + x as usize] += 1;
                    }
                    assert_eq!(
                        boxes, [1; 256],
                        "pixel {pixel}, pair {skipped}, {bits} bits"
                    );
                }
            }
        }
    }

    #[test]
    fn pixels_pairs_and_seeds_differ() {
        let first = |column, row, seed| Sampler::new(column, row, 0, seed).get_2d();
        let usual = first(3, 4, 0);
        assert_ne!(usual, first(4, 3, 0));
        assert_ne!(usual, first(3, 4, 1));
        let mut sampler = Sampler::new(3, 4, 0, 0);
        assert_eq!(usual, sampler.get_2d());
        assert_ne!(usual, sampler.get_2d());
    }

    #[test]
    fn pairs_of_different_draws_are_not_correlated() {
        // The mean of the product of deviations is 0 within five standard errors.
        let count = 20_000;
        let sum: f64 = (0..count)
            .map(|pixel| {
                let mut sampler = Sampler::new(pixel % 200, pixel / 200, pixel % 7, 9);
                let (first, second) = (sampler.get_1d(), sampler.get_1d());
                (f64::from(first) - 0.5) * (f64::from(second) - 0.5)
            })
            .sum();
        let error = (1.0 / 144.0 / f64::from(count)).sqrt();
        assert!((sum / f64::from(count)).abs() < 5.0 * error);
    }
}
