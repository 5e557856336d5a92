//! Seeded value noise: a smooth function of position.
//!
//! Random values on the integer lattice, blended with a cubic. Integer hashing
//! and `+ - *` alone, so the values are the same everywhere.

use glam::Vec3;

/// Noise in -1 to 1 at `p`; features are about one unit in size.
pub(super) fn value(p: Vec3, seed: u32) -> f32 {
    let cell = p.floor();
    let t = p - cell;
    let weight = t * t * (Vec3::splat(3.0) - 2.0 * t);
    // Beyond 2^31 cells the conversion saturates: constant, but defined.
    let [x, y, z] = cell.to_array().map(|c| c as i32);
    let corner = |dx: i32, dy: i32, dz: i32| {
        lattice(
            [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)],
            seed,
        )
    };
    let blend = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let row = |dy, dz| blend(corner(0, dy, dz), corner(1, dy, dz), weight.x);
    let plane = |dz| blend(row(0, dz), row(1, dz), weight.y);
    blend(plane(0), plane(1), weight.z)
}

/// Sum of `octaves` noises, each of half the size and height of the one
/// before; within -2 to 2.
pub(super) fn fractal(p: Vec3, octaves: u32, seed: u32) -> f32 {
    (0..octaves)
        .map(|octave| {
            let scale = (1u32 << octave) as f32;
            value(p * scale, seed.wrapping_add(octave)) / scale
        })
        .sum()
}

/// The value in -1 to 1 at a lattice point.
fn lattice(point: [i32; 3], seed: u32) -> f32 {
    let hash = point
        .into_iter()
        .fold(scramble(seed), |hash, c| scramble(hash ^ c as u32));
    // 24 bits are exact in f32.
    (hash >> 8) as f32 / 8_388_607.5 - 1.0
}

/// Mixes the bits of a word: multiply and shift, twice over.
pub(super) fn scramble(word: u32) -> u32 {
    let word = word.wrapping_add(0x9e37_79b9);
    let word = (word ^ (word >> 16)).wrapping_mul(0x85eb_ca6b);
    let word = (word ^ (word >> 13)).wrapping_mul(0xc2b2_ae35);
    word ^ (word >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(seed: u32) -> Vec<f32> {
        let at = |i: u32| Vec3::new(i as f32 * 0.37, i as f32 * -0.61, 0.5);
        (0..500).map(|i| value(at(i), seed)).collect()
    }

    #[test]
    fn noise_stays_in_range_varies_and_follows_its_seed() {
        let values = samples(1);
        assert!(values.iter().all(|v| v.abs() <= 1.0));
        assert!(values.iter().any(|&v| v > 0.4) && values.iter().any(|&v| v < -0.4));
        assert_eq!(values, samples(1));
        assert_ne!(values, samples(2));
    }

    #[test]
    fn noise_is_continuous_across_cells() {
        for i in -5..5 {
            let at = |offset: f32| value(Vec3::new(i as f32 + offset, 0.3, 0.7), 3);
            assert!((at(-1e-4) - at(1e-4)).abs() < 1e-3);
        }
    }

    #[test]
    fn far_away_is_defined() {
        assert!(value(Vec3::splat(1e18), 0).abs() <= 1.0);
    }
}
