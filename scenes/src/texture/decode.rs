//! Images from bytes, each decoded once. The size in a file's header is checked before memory is
//! allocated for it.

use super::{MAX_TEXELS, MAX_TEXTURE_SIDE, TextureImage};
use crate::beside::too_large;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use std::collections::HashMap;
use std::io::Cursor;

/// Most bytes of an image before it is decoded, wherever it comes from.
pub const MAX_IMAGE_BYTES: u64 = 256 << 20;
/// Bytes that a decoder may use.
const MAX_MEMORY: u64 = 1 << 30;

/// The use of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Its texels as they are.
    Colour,
    /// Its alpha is an opacity: if it has none, its grey is.
    Opacity,
}

/// Images of a scene by the name of their source.
#[derive(Debug, Default)]
pub struct Images {
    pub images: Vec<TextureImage>,
    known: HashMap<(String, Role), Option<u32>>,
    texels: u64,
}

impl Images {
    /// The number of the image of this name, whose bytes `read` gives.
    ///
    /// # Errors
    /// Why there is no such image, when it is asked for the first time; then `None`.
    pub fn get(
        &mut self,
        name: &str,
        role: Role,
        read: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Option<u32>, String> {
        let key = (name.to_owned(), role);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.known.insert(key.clone(), None);
        let bytes = read()?;
        if bytes.len() as u64 > MAX_IMAGE_BYTES {
            return Err(too_large(MAX_IMAGE_BYTES));
        }
        let image = decode(name, &bytes, role, MAX_TEXELS - self.texels)?;
        self.texels += image.texels.len() as u64;
        let number = self.images.len() as u32;
        self.images.push(image);
        self.known.insert(key, Some(number));
        Ok(Some(number))
    }
}

/// The message about a decoder's error, in one line.
pub fn refusal(error: image::ImageError) -> String {
    let what = match &error {
        ImageError::Unsupported(_) => "it is of a kind that is not read",
        ImageError::Limits(_) => "it is too large",
        _ => "it is damaged",
    };
    let text = error.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{what}: {}", crate::error::shortened(&words.join(" ")))
}

/// The formats that are read.
const READ: [ImageFormat; 5] = [
    ImageFormat::Png,
    ImageFormat::Jpeg,
    ImageFormat::Bmp,
    ImageFormat::Tga,
    ImageFormat::WebP,
];

/// The format of an image of this name, by its first bytes: those of TGA say nothing.
fn format_of(name: &str, bytes: &[u8]) -> Result<ImageFormat, String> {
    let is_tga = || {
        let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        suffix.eq_ignore_ascii_case("tga") || bytes.ends_with(b"TRUEVISION-XFILE.\0")
    };
    let format = image::guess_format(bytes).ok();
    match format.or_else(|| is_tga().then_some(ImageFormat::Tga)) {
        Some(format) if READ.contains(&format) => Ok(format),
        other => {
            let names = "PNG, JPEG, BMP, TGA nor WebP";
            let suffix = other.and_then(|format| format.extensions_str().first());
            let kind = suffix.map_or(String::new(), |suffix| format!(", but {suffix}"));
            Err(format!("it is neither {names}{kind}"))
        }
    }
}

/// An image of this name and of at most so many texels.
fn decode(name: &str, bytes: &[u8], role: Role, most: u64) -> Result<TextureImage, String> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format_of(name, bytes)?);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(refusal)?;
    let (width, height) = decoder.dimensions();
    if width > MAX_TEXTURE_SIDE || height > MAX_TEXTURE_SIDE {
        return Err(format!(
            "it has {width} by {height} texels: {MAX_TEXTURE_SIDE} a side are allowed"
        ));
    }
    let count = u64::from(width) * u64::from(height);
    if count > most {
        return Err(format!(
            "the textures of a scene have {MAX_TEXELS} texels at most: make them smaller"
        ));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(refusal)?;
    let has_alpha = image.color().has_alpha();
    let rgba = image.into_rgba8().into_raw();
    let mut texels: Vec<[u8; 4]> = rgba.as_chunks().0.to_vec();
    if count == 0 || texels.len() as u64 != count {
        return Err("it has no texels".to_owned());
    }
    if role == Role::Opacity && !has_alpha {
        texels.iter_mut().for_each(|texel| {
            let [red, green, blue, _] = texel.map(u32::from);
            texel[3] = ((red + green + blue + 1) / 3) as u8;
        });
    }
    Ok(TextureImage {
        width,
        height,
        texels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder};

    fn png(width: u32, height: u32, bytes: &[u8], colour: ExtendedColorType) -> Vec<u8> {
        let mut file = Vec::new();
        let encoder = PngEncoder::new(&mut file);
        encoder.write_image(bytes, width, height, colour).unwrap();
        file
    }

    fn failure(bytes: &[u8]) -> String {
        decode("t", bytes, Role::Colour, MAX_TEXELS).unwrap_err()
    }

    #[test]
    fn every_kind_of_texel_becomes_four_bytes() {
        let grey = png(2, 1, &[7, 200], ExtendedColorType::L8);
        let image = decode("t", &grey, Role::Colour, 2).unwrap();
        assert_eq!(image.texels, [[7, 7, 7, 255], [200, 200, 200, 255]]);
        let opacity = decode("t", &grey, Role::Opacity, 2).unwrap();
        assert_eq!(opacity.texels, [[7, 7, 7, 7], [200, 200, 200, 200]]);
        let clear = png(1, 1, &[1, 2, 3, 4], ExtendedColorType::Rgba8);
        for role in [Role::Colour, Role::Opacity] {
            assert_eq!(decode("t", &clear, role, 1).unwrap().texels, [[1, 2, 3, 4]]);
        }
    }

    #[test]
    fn images_of_every_format_are_read() {
        let texels = [[200, 100, 50], [0, 255, 0]];
        let buffer = image::RgbImage::from_raw(2, 1, texels.concat()).unwrap();
        for (format, name) in [
            (ImageFormat::Bmp, "t"),
            (ImageFormat::WebP, "t"),
            (ImageFormat::Png, "t.tga"),
            (ImageFormat::Tga, "x/t.TGA"),
        ] {
            let mut file = Cursor::new(Vec::new());
            buffer.write_to(&mut file, format).unwrap();
            let image = decode(name, &file.into_inner(), Role::Colour, 2).unwrap();
            let expected = texels.map(|[red, green, blue]| [red, green, blue, 255]);
            assert_eq!(image.texels, expected, "{format:?}");
        }
        // Without its suffix, what newer files end with tells TGA: 18 bytes of header, of a texel
        // of three bytes.
        let mut file = vec![0; 18];
        (file[2], file[12], file[14], file[16]) = (2, 1, 1, 24);
        file.extend([50, 100, 200]);
        file.extend([0; 8]);
        file.extend(b"TRUEVISION-XFILE.\0");
        let image = decode("t", &file, Role::Colour, 1).unwrap();
        assert_eq!(image.texels, [[200, 100, 50, 255]]);
        // Headers that ask for more than there may be.
        let mut huge = Cursor::new(Vec::new());
        buffer.write_to(&mut huge, ImageFormat::Bmp).unwrap();
        let mut huge = huge.into_inner();
        huge[18..26].copy_from_slice(&[0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0]);
        assert!(
            failure(&huge).contains("16384 a side"),
            "{}",
            failure(&huge)
        );
    }

    #[test]
    fn what_is_no_image_or_too_large_is_refused() {
        let neither = "it is neither PNG, JPEG, BMP, TGA nor WebP";
        assert_eq!(failure(b""), neither);
        assert_eq!(failure(b"GIF89a"), format!("{neither}, but gif"));
        assert_eq!(failure(b"II\x2a\0"), format!("{neither}, but tiff"));
        let sound = png(3, 3, &[9; 27], ExtendedColorType::Rgb8);
        for end in 8..sound.len() - 12 {
            assert!(failure(&sound[..end]).starts_with("it is damaged"), "{end}");
        }
        assert!(
            decode("t", &sound, Role::Colour, 8)
                .unwrap_err()
                .contains("at most")
        );
        // A header alone asks for 2^31 rows of 2^31 texels.
        let mut huge = sound.clone();
        huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        assert!(decode("t", &huge, Role::Colour, MAX_TEXELS).is_err());
        let wide = png(
            MAX_TEXTURE_SIDE + 1,
            1,
            &vec![0; MAX_TEXTURE_SIDE as usize + 1],
            ExtendedColorType::L8,
        );
        assert!(failure(&wide).contains("16384 a side"));
    }

    #[test]
    fn an_image_is_read_once_and_its_fault_told_once() {
        let mut images = Images::default();
        let bytes = png(1, 1, &[5], ExtendedColorType::L8);
        assert_eq!(images.get("a", Role::Colour, || Ok(bytes)), Ok(Some(0)));
        let never = || unreachable!("it is known");
        assert_eq!(images.get("a", Role::Colour, never), Ok(Some(0)));
        let missing = || Err("no such file".to_owned());
        assert!(images.get("b", Role::Colour, missing).is_err());
        assert_eq!(images.get("b", Role::Colour, never), Ok(None));
        let large = || Ok(vec![0; MAX_IMAGE_BYTES as usize + 1]);
        let why = "it has more than 268435456 bytes: make it smaller";
        assert_eq!(images.get("c", Role::Colour, large), Err(why.to_owned()));
        assert_eq!(images.images.len(), 1);
    }
}
