//! What an OpenEXR file says of itself, before any of it is decoded.
//!
//! The decoder asks for memory as its headers say: of a block that is packed, for all that the
//! block is to become.

use super::{LARGEST_SIDE, MOST_MEMORY};
use exr::error::Error;
use exr::meta::MetaData;
use exr::meta::attribute::Text;
use exr::meta::header::Header;
use std::io::Cursor;

/// Makes sure that the decoder finds an image in it, and that none of its parts takes more memory
/// than a decoder may use.
///
/// # Errors
/// The cause.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).map_err(refusal)?;
    if !meta.headers.iter().any(is_image) {
        return Err(
            "it is an OpenEXR file without the channels R, G and B, or a deep one: \
                    convert it to a flat image with these"
                .to_owned(),
        );
    }
    meta.headers.iter().try_for_each(check_size)
}

/// What the reader of headers says.
fn refusal(error: Error) -> String {
    let what = match &error {
        Error::NotSupported(_) => "it is of a kind that is not read",
        _ => "it is damaged",
    };
    format!("{what}: {}", crate::error::shortened(&error.to_string()))
}

/// Whether it is the header of what the decoder reads.
fn is_image(header: &Header) -> bool {
    let has = |name: &str| {
        let channels = &header.channels;
        channels.find_index_of_channel(&Text::from(name)).is_some()
    };
    !header.deep && ["R", "G", "B"].into_iter().all(has)
}

/// Its data window, which may be larger than the image that is shown.
fn check_size(header: &Header) -> Result<(), String> {
    let (width, height) = (header.layer_size.width(), header.layer_size.height());
    let row_bytes = width as u64 * header.channels.bytes_per_pixel as u64;
    if width.max(height) > LARGEST_SIDE as usize || height as u64 * row_bytes > MOST_MEMORY {
        return Err(format!(
            "its data window has {width} by {height} texels of {} bytes: {LARGEST_SIDE} a side and \
             {MOST_MEMORY} bytes in all are allowed",
            header.channels.bytes_per_pixel
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Panorama;
    use image::{ImageFormat, Rgb32FImage};
    use std::io::Cursor;

    /// Of 3 by 2 texels.
    fn sound() -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        let image = Rgb32FImage::from_raw(3, 2, vec![1.0; 18]).unwrap();
        image.write_to(&mut file, ImageFormat::OpenExr).unwrap();
        file.into_inner()
    }

    /// The file with other bytes behind these, which it has once.
    fn with(mut file: Vec<u8>, after: &[u8], bytes: &[u8]) -> Vec<u8> {
        let at = file.windows(after.len()).position(|part| part == after);
        let at = at.unwrap() + after.len();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    }

    /// The file with this data window: first column and row, and last ones.
    fn with_window(file: Vec<u8>, window: [i32; 4]) -> Vec<u8> {
        let bytes: Vec<u8> = window.into_iter().flat_map(i32::to_le_bytes).collect();
        with(file, b"dataWindow\0box2i\0\x10\0\0\0", &bytes)
    }

    fn failure(file: &[u8]) -> String {
        Panorama::decode(file).unwrap_err()
    }

    /// A packed block of 2^29 texels a row is to become more bytes than many machines have.
    #[test]
    fn windows_are_bounded() {
        let wide = failure(&with_window(sound(), [0, 0, (1 << 29) - 1, 1]));
        assert!(
            wide.starts_with("its data window has 536870912 by 2 texels of 12 bytes"),
            "{wide}"
        );
        let high = failure(&with_window(sound(), [0, 0, 0, 1 << 20]));
        assert!(high.contains("1 by 1048577"), "{high}");
        let both = failure(&with_window(sound(), [-8192, -8192, 8191, 8191]));
        assert!(both.contains("16384 by 16384"), "{both}");
        for window in [[-3, -2, -1, -1], [1 << 28, 0, (1 << 28) + 2, 1]] {
            // What is beyond the image is left out.
            let file = with_window(sound(), window);
            if let Ok((panorama, _)) = Panorama::decode(&file) {
                assert_eq!(panorama.texels, [[0.0; 3]; 6]);
            }
        }
    }

    #[test]
    fn images_without_colours_are_refused_by_what_they_lack() {
        let file = with(sound(), b"channels\0chlist\0", &[]);
        assert!(Panorama::decode(&file).is_ok());
        let at = file.windows(3).position(|part| part == b"R\0\x02").unwrap();
        let mut grey = file.clone();
        grey[at] = b'Y';
        let why = failure(&grey);
        assert!(why.contains("without the channels R, G and B"), "{why}");
        assert!(!why.contains("damaged"), "{why}");
    }

    #[test]
    fn headers_that_end_too_soon_are_damaged() {
        let file = sound();
        for end in [8, 40, 200] {
            let why = failure(&file[..end]);
            assert!(why.starts_with("it is damaged: "), "{end}: {why}");
        }
    }
}
