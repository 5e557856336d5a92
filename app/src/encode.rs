//! Images as PNG files.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use thiserror::Error;

/// Why an image cannot be encoded.
#[derive(Debug, Error)]
#[error("cannot encode the image: {0}")]
pub struct EncodeError(String);

impl EncodeError {
    /// With what the encoder says.
    pub(crate) fn new(cause: impl ToString) -> Self {
        Self(cause.to_string())
    }
}

/// A PNG file of so many pixels a row and so many rows, in these bytes.
///
/// # Errors
///
/// When the encoder refuses them.
pub(crate) fn png(
    bytes: &[u8],
    (width, height): (u32, u32),
    colours: ExtendedColorType,
) -> Result<Vec<u8>, EncodeError> {
    let mut file = Vec::new();
    PngEncoder::new(&mut file)
        .write_image(bytes, width, height, colours)
        .map_err(EncodeError::new)?;
    Ok(file)
}
