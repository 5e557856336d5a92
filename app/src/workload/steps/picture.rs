//! Pictures of what steps leave.

use image::ExtendedColorType;

use crate::encode::{EncodeError, png};

/// The shortest side that a picture is enlarged to.
const MIN_SIDE: u32 = 512;

/// A picture in bytes of red, green and blue, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Three bytes a pixel.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// That of a function of column and row.
    pub fn of(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Self {
        let rows = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        Self {
            width,
            height,
            bytes: rows.flat_map(|(column, row)| colour(column, row)).collect(),
        }
    }

    /// A PNG file. Small pictures are enlarged by a whole number, so that pixels are squares.
    ///
    /// # Errors
    ///
    /// When the encoder refuses it.
    pub fn png(&self) -> Result<Vec<u8>, EncodeError> {
        let factor = MIN_SIDE.div_ceil(self.width.min(self.height).max(1)).max(1);
        let large = Self::of(self.width * factor, self.height * factor, |column, row| {
            let pixel = (row / factor * self.width + column / factor) as usize;
            [0, 1, 2].map(|part| self.bytes[3 * pixel + part])
        });
        png(
            &large.bytes,
            (large.width, large.height),
            ExtendedColorType::Rgb8,
        )
    }
}
