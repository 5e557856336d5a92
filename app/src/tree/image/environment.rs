//! An image of what is around a scene, as kernels read it.

use std::f64::consts::{PI, TAU};

use heapwood_device::render::{ENVIRONMENT_ROW_WORDS, ENVIRONMENT_TEXEL_WORDS, ENVIRONMENT_WORDS};
use heapwood_scenes::Panorama;
use rayon::prelude::*;

use super::alias::choices;

/// The least density with which shadow rays look for a texel. That of an even image is 0.08.
const MIN_DENSITY: f64 = 1e-20;

/// The words of an `EnvironmentImage`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EnvironmentWords {
    pub words: Vec<u32>,
    /// Whether shadow rays look for it.
    pub is_looked_for: bool,
}

/// Luminance of linear light (Rec. 709), by which directions are chosen.
fn luminance([red, green, blue]: [f32; 3]) -> f64 {
    0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
}

/// A density as kernels have it, over solid angle. By one whose inverse is beyond an `f32`, or
/// nearly so, nothing can be divided: such a texel, dark beside others, is found by chance alone.
fn density_of(density: f64) -> f32 {
    match density < MIN_DENSITY {
        true => 0.0,
        false => density as f32,
    }
}

/// How far the edges of a row are below a pole, as the kernel's rows have it: below the upper one,
/// or where all of the row is below the horizon, below the lower one.
fn edges(row: u32, height: u32) -> [f64; 2] {
    // 1 less the cosine, without the loss of digits near 0.
    let below = |edge: u32| {
        2.0 * (0.5 * PI * f64::from(edge) / f64::from(height))
            .sin()
            .powi(2)
    };
    match 2 * row < height {
        true => [row, row + 1].map(below),
        false => [row, row + 1].map(|edge| -below(height - edge)),
    }
}

/// For each texel of a row what is seen over it, in the mean: light is mixed between the middles
/// of texels, so that a bright one shines over half of each neighbour. Where a texel's light is
/// not 0 somewhere, neither is its mean.
fn means(image: &Panorama, row: u32) -> Vec<f64> {
    let (width, last) = (image.width as usize, image.height - 1);
    let line = |row: u32| &image.texels[row as usize * width..][..width];
    let lines = [
        line(row.saturating_sub(1)),
        line(row),
        line(last.min(row + 1)),
    ];
    // A neighbour's part of the mean, along one axis: the integral of what is mixed.
    let parts = [0.125, 0.75, 0.125];
    let column = |x: usize| {
        let of = lines
            .iter()
            .zip(parts)
            .map(|(line, part)| part * luminance(line[x]));
        of.sum::<f64>()
    };
    let columns: Vec<f64> = (0..width).map(column).collect();
    let mean = |x: usize| {
        let [before, after] = [(x + width - 1) % width, (x + 1) % width];
        parts[0] * columns[before] + parts[1] * columns[x] + parts[2] * columns[after]
    };
    (0..width).map(mean).collect()
}

impl EnvironmentWords {
    /// The words of an image, so many times as bright, and turned to the left around the vertical
    /// axis as seen from within.
    pub fn new(image: &Panorama, scale: f32, turn_degrees: f32) -> Self {
        let Panorama { width, height, .. } = *image;
        let rows: Vec<Vec<f64>> = (0..height)
            .into_par_iter()
            .map(|y| means(image, y))
            .collect();
        // An image without any light is looked at evenly.
        let is_dark = rows.par_iter().flatten().all(|mean| *mean <= 0.0);
        let rows = match is_dark {
            true => vec![vec![1.0; width as usize]; height as usize],
            false => rows,
        };
        // Solid angle of a texel.
        let angle = |y: u32| {
            let [top, bottom] = edges(y, height);
            TAU / f64::from(width) * (bottom - top)
        };
        let sums = (0..height).zip(&rows);
        let sums: Vec<f64> = sums
            .map(|(y, row)| row.iter().sum::<f64>() * angle(y))
            .collect();
        let all: f64 = sums.iter().sum();

        let texel_words = width as usize * ENVIRONMENT_TEXEL_WORDS;
        let first_texel = ENVIRONMENT_WORDS + height as usize * ENVIRONMENT_ROW_WORDS;
        let mut words = vec![0; first_texel + height as usize * texel_words];
        let (head, texels) = words.split_at_mut(first_texel);
        let turn = f64::from(turn_degrees) / 360.0;
        let turn = (turn - turn.floor()) as f32;
        head[..ENVIRONMENT_WORDS].copy_from_slice(&[width, height, turn.to_bits()]);
        let row_heads = head[ENVIRONMENT_WORDS..].chunks_mut(ENVIRONMENT_ROW_WORDS);
        for ((y, words), choice) in (0..).zip(row_heads).zip(choices(&sums)) {
            let [other, threshold] = choice.to_words();
            let [top, bottom] = edges(y, height).map(|edge| (edge as f32).to_bits());
            words.copy_from_slice(&[other, threshold, top, bottom]);
        }
        let lines = texels.par_chunks_mut(texel_words);
        let lines = lines
            .zip(image.texels.par_chunks(width as usize))
            .zip(&rows);
        lines.for_each(|((words, colours), means)| {
            let texels = words.chunks_mut(ENVIRONMENT_TEXEL_WORDS);
            let texels = texels.zip(colours).zip(means).zip(choices(means));
            for (((words, colour), mean), choice) in texels {
                let [other, threshold] = choice.to_words();
                let density = density_of(mean / all);
                let light = colour.map(|part| (part * scale).min(f32::MAX));
                let [red, green, blue] = light.map(f32::to_bits);
                words.copy_from_slice(&[other, threshold, density.to_bits(), red, green, blue]);
            }
        });
        Self {
            words,
            is_looked_for: true,
        }
    }

    /// The same for paths that find it by chance alone.
    pub fn without_next_event_estimation(self) -> Self {
        Self {
            is_looked_for: false,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(width: u32, texels: &[f32], scale: f32) -> Vec<u32> {
        let image = Panorama {
            width,
            height: texels.len() as u32 / width,
            texels: texels.iter().map(|&texel| [texel, 0.0, 0.0]).collect(),
        };
        EnvironmentWords::new(&image, scale, 0.0).words
    }

    /// The density and the red of each texel.
    fn texels(words: &[u32]) -> Vec<[f32; 2]> {
        let rows = words[1] as usize * ENVIRONMENT_ROW_WORDS;
        let texels = words[ENVIRONMENT_WORDS + rows..].chunks(ENVIRONMENT_TEXEL_WORDS);
        texels
            .map(|texel| [texel[2], texel[3]].map(f32::from_bits))
            .collect()
    }

    #[test]
    fn light_is_finite_however_bright_it_is() {
        for scale in [1.0, 1e6] {
            let texels = texels(&words_of(2, &[f32::MAX, 1e30, 0.0, 1.0], scale));
            let mut parts = texels.iter().flatten();
            assert!(parts.all(|part| part.is_finite()), "{texels:?}");
            assert_eq!(texels[0][1], f32::MAX);
        }
    }

    /// A radiance divided by a density stays finite.
    #[test]
    fn densities_have_inverses() {
        let mut image = [1e-10; 64];
        image[0] = 1e30;
        let texels = texels(&words_of(8, &image, 1.0));
        let of = |index: usize| texels[index][0];
        assert!(of(0) > 1.0 && of(7) > 1.0 && of(8) > 1.0);
        assert_eq!((of(3), of(28)), (0.0, 0.0));
        let least = |density: &f32| *density == 0.0 || f64::from(*density) >= MIN_DENSITY;
        assert!(texels.iter().all(|[density, _]| least(density)));
    }

    #[test]
    fn rows_have_their_part_of_the_sphere() {
        for height in [1, 2, 3, 5, 512, 16_384] {
            let words = words_of(1, &vec![1.0; height as usize], 1.0);
            let rows = words[ENVIRONMENT_WORDS..].chunks(ENVIRONMENT_ROW_WORDS);
            let mut sum = 0.0;
            for (y, row) in (0..height).zip(rows) {
                let [top, bottom] = [row[2], row[3]].map(|bits| f64::from(f32::from_bits(bits)));
                // The difference of the edges' cosines.
                let middle = PI * (f64::from(y) + 0.5) / f64::from(height);
                let expected = 2.0 * middle.sin() * (0.5 * PI / f64::from(height)).sin();
                let off = (bottom - top) / expected - 1.0;
                assert!(off.abs() < 4e-4, "{y} of {height}: {off}");
                sum += bottom - top;
            }
            assert!((sum - 2.0).abs() < 1e-5, "{height}: {sum}");
        }
    }
}
