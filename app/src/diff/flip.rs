//! FLIP (Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild, HPG 2020): the
//! difference that people see who flip between two images, at each pixel.
//!
//! Colors are filtered by what an eye still sees at a distance, and compared in a uniform space;
//! edges and points of one image that the other lacks make the difference larger. Constants have
//! the paper's names.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::Image;
use super::color::{distance, hunt_lab, linear, opponent, shown};
use super::filter::{Weights, gauss, radius, separable, width};

/// Pixels in a degree of the view: a screen of 0.7 m and 3840 pixels, seen from 0.7 m.
pub const PIXELS_PER_DEGREE: f64 = 3840.0 * PI / 180.0;

/// Exponent of color differences.
const QC: f32 = 0.7;
/// Color differences up to this part of the largest one take [`PT`] of the range.
const PC: f32 = 0.4;
/// The part of the range from 0 to 1 that differences up to [`PC`] of the largest take.
const PT: f32 = 0.95;
/// The width of what counts as an edge or a point, in degrees.
const FEATURE_WIDTH: f64 = 0.082;
/// Exponent of differences of features.
const QF: f32 = 0.5;
/// The contrast sensitivity of luminance, red against green and blue against yellow: sums of
/// Gaussians `a sqrt(pi / b) exp(-pi^2 x^2 / b)`, with `x` in degrees.
const SENSITIVITY: [&[(f64, f64)]; 3] = [
    &[(1.0, 0.0047)],
    &[(1.0, 0.0053)],
    &[(34.1, 0.04), (13.5, 0.025)],
];
/// The widest of these.
const WIDEST: f64 = 0.04;

/// FLIP of each pixel, row by row, from 0 to 1, of images of one size. A degree of the view spans
/// `pixels_per_degree` pixels.
pub fn flip(reference: &Image, test: &Image, pixels_per_degree: f64) -> Vec<f32> {
    if reference.pixels.is_empty() {
        return Vec::new();
    }
    let [one, other] = [reference, test].map(|image| Seen::new(image, pixels_per_degree));
    let most = distance(hunt_lab([0.0, 1.0, 0.0]), hunt_lab([0.0, 0.0, 1.0])).powf(QC);
    let pixels = 0..reference.pixels.len();
    pixels
        .into_par_iter()
        .map(|at| {
            let color = distance(one.colors[at], other.colors[at]).powf(QC);
            let features = (0..2)
                .map(|kind| (one.features[kind][at] - other.features[kind][at]).abs())
                .fold(0.0, f32::max);
            let feature = (features / 2.0_f32.sqrt()).powf(QF);
            redistributed(color, most).powf(1.0 - feature)
        })
        .collect()
}

/// A color difference mapped to the range from 0 to 1, mostly used by small differences.
fn redistributed(difference: f32, most: f32) -> f32 {
    let knee = PC * most;
    if difference < knee {
        difference * PT / knee
    } else {
        PT + (difference - knee) / (most - knee) * (1.0 - PT)
    }
}

/// An image as it is seen.
struct Seen {
    /// Filtered colors.
    colors: Vec<[f32; 3]>,
    /// How much of an edge there is at a pixel, and how much of a point.
    features: [Vec<f32>; 2],
}

impl Seen {
    fn new(image: &Image, pixels_per_degree: f64) -> Self {
        let row = image.width as usize;
        let opponents: Vec<[f32; 3]> = image
            .pixels
            .par_iter()
            .map(|&pixel| opponent(linear(pixel)))
            .collect();
        let channels = [0, 1, 2].map(|axis| {
            let channel: Vec<f32> = opponents.iter().map(|pixel| pixel[axis]).collect();
            filtered(&channel, row, SENSITIVITY[axis], pixels_per_degree)
        });
        let colors = (0..opponents.len())
            .into_par_iter()
            .map(|at| hunt_lab(shown([0, 1, 2].map(|axis| channels[axis][at]))))
            .collect();
        let luminance: Vec<f32> = opponents
            .iter()
            .map(|pixel| (pixel[0] + 16.0) / 116.0)
            .collect();
        Self {
            colors,
            features: features(&luminance, row, pixels_per_degree),
        }
    }
}

/// A channel filtered by a sum of Gaussians, whose weights have the sum 1.
fn filtered(channel: &[f32], row: usize, sum: &[(f64, f64)], pixels_per_degree: f64) -> Vec<f32> {
    let radius = radius(width(WIDEST) * pixels_per_degree);
    let term = |&(a, b): &(f64, f64)| {
        let weights = Weights::new(radius, |x| gauss(x / pixels_per_degree, width(b)));
        let along: f64 = (-(radius as i64)..=radius as i64)
            .map(|x| gauss(x as f64 / pixels_per_degree, width(b)))
            .sum();
        (weights.normalized(), a * (PI / b).sqrt() * along * along)
    };
    let terms: Vec<(Weights, f64)> = sum.iter().map(term).collect();
    let all: f64 = terms.iter().map(|(_, share)| share).sum();
    let mut result = vec![0.0; channel.len()];
    for (weights, share) in &terms {
        let share = (share / all) as f32;
        let part = separable(channel, row, weights, weights);
        result
            .iter_mut()
            .zip(part)
            .for_each(|(sum, part)| *sum += share * part);
    }
    result
}

/// The edges and the points of a luminance: lengths of its filtered first and second derivatives.
fn features(luminance: &[f32], row: usize, pixels_per_degree: f64) -> [Vec<f32>; 2] {
    let sigma = 0.5 * FEATURE_WIDTH * pixels_per_degree;
    let radius = radius(sigma);
    let smooth = Weights::new(radius, |x| gauss(x, sigma)).normalized();
    let slope = Weights::new(radius, |x| -x * gauss(x, sigma)).normalized();
    let curve = Weights::new(radius, |x| {
        (x * x / (sigma * sigma) - 1.0) * gauss(x, sigma)
    })
    .normalized();
    [slope, curve].map(|derivative| {
        let along = separable(luminance, row, &derivative, &smooth);
        let across = separable(luminance, row, &smooth, &derivative);
        along.iter().zip(across).map(|(x, y)| x.hypot(y)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 64;
    const HEIGHT: u32 = 48;

    fn image(pixel: impl Fn(u32, u32) -> [u8; 3]) -> Image {
        let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        Image {
            width: WIDTH,
            height: HEIGHT,
            pixels: pixels.map(|(x, y)| pixel(x, y)).collect(),
        }
    }

    fn ramps(x: u32, y: u32) -> [u8; 3] {
        [4 * x, 5 * y, 3 * x + 7 * y].map(|value| (value % 256) as u8)
    }

    /// Blocks with red inverted, and columns in another order at the right.
    fn changed(x: u32, y: u32) -> [u8; 3] {
        let [red, green, blue] = ramps(x, y);
        if (x / 8 + y / 8).is_multiple_of(3) {
            [255 - red, green, blue]
        } else if x > 40 {
            ramps(x * 7 % WIDTH, y)
        } else {
            [red, green, blue]
        }
    }

    fn mean(map: &[f32]) -> f64 {
        map.iter().map(|&error| f64::from(error)).sum::<f64>() / map.len() as f64
    }

    /// The figures are those of the authors' program (version 1.7) for these images.
    #[test]
    fn the_published_program_finds_the_same() {
        let one = image(ramps);
        let map = flip(&one, &image(changed), PIXELS_PER_DEGREE);
        let at = |x: u32, y: u32| map[(y * WIDTH + x) as usize];
        let found = [at(0, 0), at(41, 20), at(63, 47)];
        for (found, expected) in found.iter().zip([0.972_899_5, 0.335_164_73, 0.949_851_3]) {
            assert!((found - expected).abs() < 2e-4, "{found} for {expected}");
        }
        assert!((mean(&map) - 0.434_287_67).abs() < 1e-4, "{}", mean(&map));
        // One white pixel: a point of one image only.
        let dot = image(|x, y| {
            if (x, y) == (32, 24) {
                [255; 3]
            } else {
                ramps(x, y)
            }
        });
        let map = flip(&one, &dot, PIXELS_PER_DEGREE);
        assert!((mean(&map) - 0.002_024_235).abs() < 1e-5, "{}", mean(&map));
        let map = flip(
            &Image::filled(64, 48, [0; 3]),
            &Image::filled(64, 48, [255; 3]),
            PIXELS_PER_DEGREE,
        );
        assert!((mean(&map) - 0.967_365_27).abs() < 1e-4, "{}", mean(&map));
    }

    #[test]
    fn equal_images_differ_nowhere() {
        let one = image(ramps);
        assert!(
            flip(&one, &one, PIXELS_PER_DEGREE)
                .iter()
                .all(|&error| error == 0.0)
        );
        let nothing = Image::filled(0, 0, [0; 3]);
        assert!(flip(&nothing, &nothing, PIXELS_PER_DEGREE).is_empty());
        // Smaller than the filters.
        let dot = Image::filled(1, 1, [9; 3]);
        assert_eq!(flip(&dot, &dot, PIXELS_PER_DEGREE), [0.0]);
    }
}
