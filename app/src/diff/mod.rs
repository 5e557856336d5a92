//! How much two images differ: mean squared error, PSNR, the largest difference, the pixels that
//! differ, and FLIP, which says what a viewer sees who alternates between them.
//!
//! ```
//! use heapwood::diff::{Difference, Image};
//!
//! let black = Image::filled(8, 8, [0, 0, 0]);
//! let found = Difference::between(&black, &Image::filled(8, 8, [3, 0, 0]), 2)?.measures;
//! assert_eq!((found.pixels, found.differing, found.largest), (64, 64, 3));
//! assert!(found.psnr_db.is_some_and(|psnr| psnr > 40.0));
//! # Ok::<(), heapwood::diff::DiffError>(())
//! ```

mod color;
mod filter;
mod flip;

use std::path::{Path, PathBuf};

use heapwood_results::diff::Measures;
use image::ExtendedColorType;
use thiserror::Error;

pub use flip::{PIXELS_PER_DEGREE, flip};

use crate::encode::{self, EncodeError};

/// The first bytes of EXR files.
const EXR: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];

/// Why two images cannot be compared.
#[derive(Debug, Error)]
pub enum DiffError {
    /// A file that is no image that can be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        cause: String,
    },
    /// Images of different sizes.
    #[error(
        "the images have different sizes, {}x{} and {}x{}: nothing can be compared",
        .sizes[0].0, .sizes[0].1, .sizes[1].0, .sizes[1].1
    )]
    Sizes {
        /// Width and height of both.
        sizes: [(u32, u32); 2],
    },
}

/// An image: sRGB, 8 bits a channel, without its alpha channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row.
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// An image of one color.
    pub fn filled(width: u32, height: u32, color: [u8; 3]) -> Self {
        let pixels = vec![color; width as usize * height as usize];
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Reads a PNG file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is no PNG.
    pub fn read(path: &Path) -> Result<Self, DiffError> {
        let refused = |cause: String| DiffError::Read {
            path: path.to_owned(),
            cause,
        };
        let bytes =
            std::fs::read(path).map_err(|error| refused(format!("cannot read: {error}")))?;
        if bytes.starts_with(&EXR) {
            let why = "an EXR file: pictures that are compared or shown are PNG files, as \
                       `heapwood render -o FILE.png` writes them";
            return Err(refused(why.to_owned()));
        }
        let image = image::load_from_memory_with_format(&bytes, image::ImageFormat::Png)
            .map_err(|error| refused(format!("not a PNG image that can be read: {error}")))?
            .into_rgb8();
        let (width, height) = image.dimensions();
        let pixels = image.pixels().map(|pixel| pixel.0).collect();
        Ok(Self {
            width,
            height,
            pixels,
        })
    }

    /// As a PNG file.
    ///
    /// # Errors
    ///
    /// When the image cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, EncodeError> {
        let bytes = self.pixels.as_flattened();
        encode::png(bytes, (self.width, self.height), ExtendedColorType::Rgb8)
    }
}

/// How two images differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// As numbers.
    pub measures: Measures,
    /// FLIP of each pixel, row by row.
    pub map: Vec<f32>,
}

impl Difference {
    /// Compares two images. A pixel differs if one of its channels does by more than `tolerance`,
    /// of 255.
    ///
    /// # Errors
    ///
    /// Images of different sizes.
    pub fn between(reference: &Image, test: &Image, tolerance: u8) -> Result<Self, DiffError> {
        let sizes = [reference, test].map(|image| (image.width, image.height));
        if sizes[0] != sizes[1] {
            return Err(DiffError::Sizes { sizes });
        }
        let (mut differing, mut largest, mut squares) = (0, 0, 0_u64);
        for (one, other) in reference.pixels.iter().zip(&test.pixels) {
            let by = [0, 1, 2].map(|channel| one[channel].abs_diff(other[channel]));
            let most = by[0].max(by[1]).max(by[2]);
            differing += u64::from(most > tolerance);
            largest = largest.max(most);
            squares += by.map(|by| u64::from(by).pow(2)).iter().sum::<u64>();
        }
        let pixels = reference.pixels.len() as u64;
        let mse = squares as f64 / (3 * pixels).max(1) as f64;
        let map = flip(reference, test, PIXELS_PER_DEGREE);
        let sum: f64 = map.iter().map(|&error| f64::from(error)).sum();
        let measures = Measures {
            width: reference.width,
            height: reference.height,
            pixels,
            differing,
            largest,
            mse,
            psnr_db: (squares != 0).then(|| 10.0 * (255.0_f64.powi(2) / mse).log10()),
            flip: sum / pixels.max(1) as f64,
        };
        Ok(Self { measures, map })
    }

    /// FLIP as a gray PNG image: black where it is 0, white where it is 1.
    ///
    /// # Errors
    ///
    /// When the image cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, EncodeError> {
        let levels = self.map.iter().map(|error| (error * 255.0).round() as u8);
        let levels: Vec<u8> = levels.collect();
        let size = (self.measures.width, self.measures.height);
        encode::png(&levels, size, ExtendedColorType::L8)
    }
}
