//! Checks of an OpenEXR file's headers before any of its pixels are decoded.
//!
//! The decoder allocates memory by the headers alone: for a compressed block, all bytes that the
//! block decompresses to. Blocks of DWA compression have further headers, with the sizes of their
//! parts.

use super::{MAX_MEMORY, MAX_PANORAMA_SIDE};
use exr::block::chunk::{Chunk, CompressedBlock, CompressedScanLineBlock, CompressedTileBlock};
use exr::block::reader::ChunksReader;
use exr::compression::Compression;
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
    meta.headers.iter().try_for_each(check_size)?;
    match meta.headers.iter().any(is_dwa) {
        true => check_blocks(bytes),
        false => Ok(()),
    }
}

fn is_dwa(header: &Header) -> bool {
    matches!(
        header.compression,
        Compression::DWAA(_) | Compression::DWAB(_)
    )
}

/// Makes sure that no part of a block of DWA compression is larger than the block is to become.
fn check_blocks(bytes: &[u8]) -> Result<(), String> {
    let reader = exr::block::read(Cursor::new(bytes), false).map_err(refusal)?;
    // As the decoder does, by the offsets in the file.
    let chunks = reader.filter_chunks(false, |_, _, _| true);
    let chunks = chunks.map_err(refusal)?;
    let headers = chunks.meta_data().headers.clone();
    for chunk in chunks {
        let Chunk {
            layer_index,
            compressed_block,
        } = chunk.map_err(refusal)?;
        let header = (headers.get(layer_index)).ok_or("it is damaged: a block of no layer")?;
        let (CompressedBlock::ScanLine(CompressedScanLineBlock {
            compressed_pixels_le: packed,
            ..
        })
        | CompressedBlock::Tile(CompressedTileBlock {
            compressed_pixels_le: packed,
            ..
        })) = &compressed_block
        else {
            continue;
        };
        if !is_dwa(header) {
            continue;
        }
        let place = header.get_block_data_indices(&compressed_block);
        let area = place.and_then(|place| header.get_absolute_block_pixel_coordinates(place));
        let size = area.map_err(refusal)?.size;
        let texel_bytes = header.channels.bytes_per_pixel;
        // Blocks that do not become smaller are stored as they are.
        if packed.len() == size.area() * texel_bytes {
            continue;
        }
        let padded = size.width().next_multiple_of(8) * size.height().next_multiple_of(8);
        check_parts(packed, padded * texel_bytes)?;
    }
    Ok(())
}

/// Makes sure that the parts of a packed block are none of more than twice as many bytes as the
/// block has, its edges filled up to squares of 8 by 8 texels.
fn check_parts(packed: &[u8], bytes: usize) -> Result<(), String> {
    // Of eleven counters, those of what is unpacked: other channels, run lengths packed and not,
    // and coefficients of two bytes.
    const UNPACKED: [usize; 5] = [1, 6, 7, 8, 9];
    // Run lengths may take half as much again as what they stand for.
    let most = 2 * bytes as u64;
    let (counters, _) = packed.as_chunks();
    let of = |at: usize| counters.get(at).map(|counter| u64::from_le_bytes(*counter));
    match UNPACKED
        .into_iter()
        .find_map(|at| of(at).filter(|&counter| counter > most))
    {
        Some(counter) => Err(format!(
            "it is damaged: a part of a block of {bytes} bytes asks for {counter}"
        )),
        None => Ok(()),
    }
}

/// The message about an error of the reader of headers.
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
    if width.max(height) > MAX_PANORAMA_SIDE as usize || height as u64 * row_bytes > MAX_MEMORY {
        return Err(format!(
            "its data window has {width} by {height} texels of {} bytes: {MAX_PANORAMA_SIDE} a side and \
             {MAX_MEMORY} bytes in all are allowed",
            header.channels.bytes_per_pixel
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use image::{ImageFormat, Rgb32FImage};
    use std::io::Cursor;

    /// A sound file of 3 by 2 texels.
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
        decode(file).unwrap_err()
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
            // Pixels beyond the image are left out.
            let file = with_window(sound(), window);
            if let Ok((panorama, _)) = decode(&file) {
                assert_eq!(panorama.texels, [[0.0; 3]; 6]);
            }
        }
    }

    /// A file of DWA compression, whose blocks have eleven counters before their parts.
    fn packed() -> Vec<u8> {
        use exr::prelude::*;
        let mut image = Image::from_channels(
            (16, 9),
            SpecificChannels::rgb(|at: Vec2<usize>| {
                let ramp = at.x() as f32 / 16.0;
                (ramp, f16::from_f32(ramp), ramp * ramp)
            }),
        );
        image.layer_data.encoding.compression = Compression::DWAA(None);
        let mut file = Cursor::new(Vec::new());
        image.write().non_parallel().to_buffered(&mut file).unwrap();
        file.into_inner()
    }

    /// 506 bytes that ask for 17 terabytes end a program that lets the decoder have its way.
    #[test]
    fn parts_of_packed_blocks_are_bounded() {
        let file = packed();
        let (panorama, odd) = decode(&file).unwrap();
        assert_eq!((panorama.width, panorama.height, odd), (16, 9, 0));
        // The only block follows its line and its size, behind the table of one offset.
        let header = b"\0\0\0\0";
        let block = (0..file.len() - 8)
            .rfind(|&at| {
                let size = file.len() - at - 8;
                file[at..].starts_with(header)
                    && file[at + 4..].starts_with(&(size as u32).to_le_bytes())
            })
            .unwrap();
        for counter in [1, 6, 7, 8, 9] {
            for value in [1 << 44, i64::MAX as u64, u64::MAX, 1 << 20] {
                let mut file = file.clone();
                let at = block + 8 + 8 * counter;
                file[at..at + 8].copy_from_slice(&value.to_le_bytes());
                let why = failure(&file);
                assert!(
                    why.starts_with("it is damaged: a part of a block of"),
                    "{counter}: {why}"
                );
                assert!(
                    why.ends_with(&format!("asks for {value}")),
                    "{counter}: {why}"
                );
            }
        }
    }

    #[test]
    fn images_without_colours_are_refused_by_what_they_lack() {
        let file = with(sound(), b"channels\0chlist\0", &[]);
        assert!(decode(&file).is_ok());
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
