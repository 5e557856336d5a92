//! Images of what is around a scene: equirectangular panoramas of linear light.

mod exr;

use crate::beside::read_beside;
use crate::texture::{MAX_IMAGE_BYTES, decoded, refusal};
use image::codecs::hdr::HdrDecoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::Cursor;
use std::path::Path;

/// The most texels of a row or a column.
const MAX_PANORAMA_SIDE: u32 = 1 << 14;
/// The most texels: a renderer keeps 24 bytes of each.
const MAX_TEXELS: u64 = 1 << 26;
/// Bytes that a decoder may use.
const MAX_MEMORY: u64 = 2 << 30;
/// The radiance that takes the place of an infinite one: the largest of 16-bit floats, in which
/// such images are often kept.
const BRIGHTEST: f32 = 65_504.0;

/// The surroundings of a scene as an image. Rows are heights, from straight above to straight
/// below; columns are directions around the vertical axis, all of the same angle.
#[derive(Clone, Debug, PartialEq)]
pub struct Panorama {
    /// Texels of a row, from 1 to 16384.
    pub width: u32,
    /// Rows, from 1 to 16384.
    pub height: u32,
    /// Radiance in linear RGB, row by row from the top; finite and not below 0.
    pub texels: Vec<[f32; 3]>,
}

/// Why there is no panorama.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot use {path} as an environment: {cause}")]
pub struct PanoramaError {
    /// The file.
    pub path: String,
    /// The fault of the file.
    pub cause: String,
}

impl Panorama {
    /// Reads a Radiance HDR, OpenEXR, PNG or JPEG file, plain or compressed; and how many of its
    /// texels were infinite, negative or no numbers. The first become 65504, the others 0.
    ///
    /// # Errors
    ///
    /// [`PanoramaError`] with the file and the cause.
    pub fn read(path: impl AsRef<Path>) -> Result<(Self, usize), PanoramaError> {
        let path = path.as_ref();
        let bytes = read_beside(path, |path| heapwood_files::read(path, MAX_IMAGE_BYTES));
        bytes
            .and_then(|bytes| decode(&bytes))
            .map_err(|cause| PanoramaError {
                path: path.display().to_string(),
                cause,
            })
    }

    /// The panorama of the bytes of a file, as [`read`](Self::read) has it. Errors call it `name`.
    ///
    /// # Errors
    ///
    /// [`PanoramaError`] with the name and the cause.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<(Self, usize), PanoramaError> {
        decode(bytes).map_err(|cause| PanoramaError {
            path: name.to_owned(),
            cause,
        })
    }
}

fn decode(bytes: &[u8]) -> Result<(Panorama, usize), String> {
    let (decoder, is_light) = decoder_of(bytes)?;
    let (width, height) = decoder.dimensions();
    let count = u64::from(width) * u64::from(height);
    if width.max(height) > MAX_PANORAMA_SIDE || count > MAX_TEXELS {
        return Err(format!(
            "it has {width} by {height} texels: {MAX_PANORAMA_SIDE} a side and {MAX_TEXELS} in all \
                 are allowed"
        ));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(refusal)?;
    let mut texels: Vec<[f32; 3]> = match is_light {
        true => image.into_rgb32f().into_raw().as_chunks().0.to_vec(),
        false => {
            let bytes = image.into_rgb8().into_raw();
            let texels = bytes.as_chunks().0.iter();
            texels.map(|texel: &[u8; 3]| texel.map(decoded)).collect()
        }
    };
    if count == 0 || texels.len() as u64 != count {
        return Err("it has no texels".to_owned());
    }
    let mut odd = 0;
    for texel in &mut texels {
        let is_sound = |part: &f32| (0.0..=f32::MAX).contains(part);
        if !texel.iter().all(is_sound) {
            odd += 1;
            *texel = texel.map(|part| match part {
                f32::INFINITY => BRIGHTEST,
                part if is_sound(&part) => part,
                _ => 0.0,
            });
        }
    }
    let panorama = Panorama {
        width,
        height,
        texels,
    };
    Ok((panorama, odd))
}

/// The decoder for an image, and whether its numbers are linear light.
fn decoder_of(bytes: &[u8]) -> Result<(Box<dyn ImageDecoder + '_>, bool), String> {
    // Behind these two, Radiance writes its own name and others theirs, most often `RGBE`.
    if bytes.starts_with(b"#?") {
        let decoder = HdrDecoder::new_nonstrict(Cursor::new(bytes)).map_err(refusal)?;
        return Ok((Box::new(decoder), true));
    }
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let is_light = match reader.format() {
        Some(ImageFormat::OpenExr) => true,
        Some(ImageFormat::Png | ImageFormat::Jpeg) => false,
        _ => return Err("it is neither Radiance HDR, OpenEXR, PNG nor JPEG".to_owned()),
    };
    if is_light {
        exr::check(bytes)?;
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(refusal)?;
    Ok((Box::new(decoder), is_light))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::hdr::HdrEncoder;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder, Rgb, Rgb32FImage};
    use proptest::prelude::*;

    fn hdr(width: usize, texels: &[[f32; 3]]) -> Vec<u8> {
        let mut file = Vec::new();
        let colours: Vec<_> = texels.iter().map(|texel| Rgb(*texel)).collect();
        let encoder = HdrEncoder::new(&mut file);
        encoder
            .encode(&colours, width, texels.len() / width)
            .unwrap();
        file
    }

    fn exr(width: u32, texels: &[[f32; 3]]) -> Vec<u8> {
        let raw = texels.as_flattened().to_vec();
        let image = Rgb32FImage::from_raw(width, texels.len() as u32 / width, raw).unwrap();
        let mut file = Cursor::new(Vec::new());
        image.write_to(&mut file, ImageFormat::OpenExr).unwrap();
        file.into_inner()
    }

    /// Powers of two, which every format keeps.
    const TEXELS: [[f32; 3]; 6] = [
        [1.0, 2.0, 4.0],
        [0.5, 0.25, 0.5],
        [1024.0, 512.0, 1024.0],
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 1.0],
        [8.0, 8.0, 4.0],
    ];

    #[test]
    fn light_is_kept_as_it_is() {
        for file in [hdr(3, &TEXELS), exr(3, &TEXELS)] {
            let (panorama, odd) = decode(&file).unwrap();
            assert_eq!((panorama.width, panorama.height, odd), (3, 2, 0));
            assert_eq!(panorama.texels, TEXELS);
        }
    }

    #[test]
    fn bytes_become_linear_light() {
        let mut file = Vec::new();
        let encoder = PngEncoder::new(&mut file);
        let bytes = [0, 188, 255, 255, 255, 255];
        encoder
            .write_image(&bytes, 2, 1, ExtendedColorType::Rgb8)
            .unwrap();
        let (panorama, odd) = decode(&file).unwrap();
        assert_eq!(odd, 0);
        assert_eq!(panorama.texels, [[0.0, decoded(188), 1.0], [1.0; 3]]);
    }

    #[test]
    fn what_is_no_light_is_counted_and_mended() {
        let file = exr(2, &[[f32::INFINITY, 1.0, -2.0], [f32::NAN, 3.0, 0.5]]);
        let (panorama, odd) = decode(&file).unwrap();
        assert_eq!(odd, 2);
        assert_eq!(panorama.texels, [[BRIGHTEST, 1.0, 0.0], [0.0, 3.0, 0.5]]);
    }

    /// The line behind the signature is free, and names of programs are in use.
    #[test]
    fn any_program_may_have_written_it() {
        let mut file = b"#?RGBE\n# a comment\nEXPOSURE=2\nFORMAT=32-bit_rle_rgbe\n\n".to_vec();
        file.extend(b"-Y 1 +X 2\n\x80\x40\x20\x81\x80\x80\x80\x82");
        let (panorama, _) = decode(&file).unwrap();
        assert_eq!(panorama.texels, [[1.0, 0.5, 0.25], [2.0; 3]]);
    }

    #[test]
    fn what_is_not_read_is_not_called_damaged() {
        let file = |header: &str| format!("#?RADIANCE\n{header}").into_bytes();
        for header in [
            "FORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n0000",
            "FORMAT=32-bit_rle_rgbe\n\n+Y 1 +X 1\n0000",
        ] {
            let why = decode(&file(header)).unwrap_err();
            assert!(why.starts_with("it is of a kind that is not read"), "{why}");
        }
    }

    #[test]
    fn faults_name_the_file_and_the_cause() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sky.hdr");
        let failure = || Panorama::read(&path).unwrap_err().to_string();
        assert!(failure().starts_with(&format!(
            "cannot use {} as an environment: ",
            path.display()
        )));
        std::fs::write(&path, "not an image").unwrap();
        assert!(failure().ends_with("it is neither Radiance HDR, OpenEXR, PNG nor JPEG"));
        let whole = hdr(3, &TEXELS);
        std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        assert!(failure().contains("it is damaged"), "{}", failure());
        assert!(
            Panorama::read(folder.path())
                .unwrap_err()
                .cause
                .contains("not a regular file")
        );
        // A header alone asks for more than there may be.
        let huge = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 20000 +X 40000\n";
        std::fs::write(&path, huge).unwrap();
        assert!(failure().contains("40000 by 20000"), "{}", failure());
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(Panorama::read(&path).unwrap().0.texels, TEXELS);
    }

    proptest! {
        #[test]
        fn damaged_files_are_refused_or_sound(
            is_exr: bool,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            end in any::<prop::sample::Index>(),
        ) {
            let mut file = if is_exr { exr(3, &TEXELS) } else { hdr(3, &TEXELS) };
            for (at, byte) in changes {
                let at = at.index(file.len());
                file[at] = byte;
            }
            let end = end.index(2 * file.len()).min(file.len());
            if let Ok((panorama, _)) = decode(&file[..end]) {
                let count = panorama.width as usize * panorama.height as usize;
                prop_assert_eq!(panorama.texels.len(), count);
                let mut parts = panorama.texels.iter().flatten();
                prop_assert!(parts.all(|part| (0.0..=f32::MAX).contains(part)));
            }
        }
    }
}
