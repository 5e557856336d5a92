//! Pictures as text for a terminal: two pixels a character, one above the other, as the colours
//! of an upper half block and of its ground.

use std::fmt::Write;

use crate::diff::Image;

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// All of 24 bits.
    True,
    /// The 256 of xterm, of which a cube of 216 is used.
    Xterm,
}

impl Palette {
    /// That of the terminal whose environment has this `COLORTERM`.
    pub fn of(colorterm: Option<&str>) -> Self {
        match colorterm {
            Some("truecolor" | "24bit") => Self::True,
            _ => Self::Xterm,
        }
    }

    fn write(self, layer: u8, [red, green, blue]: [u8; 3], text: &mut String) {
        let written = match self {
            Self::True => write!(text, "\x1b[{layer};2;{red};{green};{blue}m"),
            Self::Xterm => {
                // Levels of the cube: 0, 95, 135, 175, 215, 255.
                let level = |value: u8| match value {
                    0..48 => 0,
                    48..115 => 1,
                    _ => (u32::from(value) - 35) / 40,
                };
                let index = 16 + 36 * level(red) + 6 * level(green) + level(blue);
                write!(text, "\x1b[{layer};5;{index}m")
            }
        };
        written.expect("writing to a string succeeds");
    }
}

/// Width and height in pixels of the largest picture with these sides' ratio on so many columns
/// and lines. At least one pixel each.
pub fn fitted(width: u32, height: u32, columns: u32, lines: u32) -> (u32, u32) {
    let (width, height) = (f64::from(width), f64::from(height));
    let scale = (f64::from(columns) / width).min(f64::from(2 * lines) / height);
    let side = |length: f64| ((length * scale).round() as u32).max(1);
    (side(width), side(height))
}

/// A picture of another size: each pixel is the mean of what it covers, or else the nearest.
///
/// # Panics
///
/// If the picture has no pixels, or is to have none.
pub fn resized(image: &Image, width: u32, height: u32) -> Image {
    let range = |index: u32, count: u32, of: u32| {
        let at = |index: u32| (u64::from(index) * u64::from(of) / u64::from(count)) as u32;
        let first = at(index);
        first..at(index + 1).max(first + 1)
    };
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut count) = ([0_u64; 3], 0);
            for row in range(y, height, image.height) {
                for column in range(x, width, image.width) {
                    let pixel = image.pixels[(row * image.width + column) as usize];
                    sum = [0, 1, 2].map(|i| sum[i] + u64::from(pixel[i]));
                    count += 1;
                }
            }
            pixels.push(sum.map(|channel| (channel / count) as u8));
        }
    }
    Image {
        width,
        height,
        pixels,
    }
}

/// A picture as lines of text.
///
/// ```
/// use heapwood::diff::Image;
/// use heapwood::terminal::{Palette, half_blocks};
///
/// let text = half_blocks(&Image::filled(3, 4, [255, 0, 0]), Palette::True);
/// assert_eq!(text.lines().count(), 2);
/// assert_eq!(text.matches('▀').count(), 6);
/// ```
pub fn half_blocks(image: &Image, palette: Palette) -> String {
    let mut text = String::new();
    let rows: Vec<&[[u8; 3]]> = image.pixels.chunks(image.width.max(1) as usize).collect();
    for pair in rows.chunks(2) {
        for (x, &upper) in pair[0].iter().enumerate() {
            palette.write(38, upper, &mut text);
            // A last row alone stands on the terminal's own ground.
            match pair.get(1) {
                Some(lower) => palette.write(48, lower[x], &mut text),
                None => text.push_str("\x1b[49m"),
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_ratio() {
        assert_eq!(fitted(160, 90, 80, 100), (80, 45));
        assert_eq!(fitted(90, 160, 80, 24), (27, 48));
        assert_eq!(fitted(10_000, 1, 80, 24), (80, 1));
        assert_eq!(fitted(1, 1, 80, 24), (48, 48));
    }

    #[test]
    fn smaller_pictures_have_the_mean_and_larger_ones_repeat() {
        let pixels = (0..8).map(|index| [10 * index, 0, 255]).collect();
        let image = Image {
            width: 4,
            height: 2,
            pixels,
        };
        let small = resized(&image, 2, 1);
        assert_eq!(small.pixels, [[25, 0, 255], [45, 0, 255]]);
        let large = resized(&image, 8, 2);
        assert_eq!(
            large.pixels[..4],
            [[0, 0, 255], [0, 0, 255], [10, 0, 255], [10, 0, 255]]
        );
        assert_eq!(resized(&image, 4, 2), image);
    }

    #[test]
    fn two_rows_are_a_line() {
        let image = Image {
            width: 1,
            height: 3,
            pixels: vec![[1, 2, 3], [4, 5, 6], [255, 115, 47]],
        };
        assert_eq!(
            half_blocks(&image, Palette::True),
            "\x1b[38;2;1;2;3m\x1b[48;2;4;5;6m▀\x1b[0m\n\x1b[38;2;255;115;47m\x1b[49m▀\x1b[0m\n"
        );
        let text = half_blocks(&image, Palette::Xterm);
        assert!(
            text.ends_with("\x1b[38;5;208m\x1b[49m▀\x1b[0m\n"),
            "{text:?}"
        );
    }

    #[test]
    fn terminals_say_what_they_show() {
        assert_eq!(Palette::of(Some("truecolor")), Palette::True);
        assert_eq!(Palette::of(Some("yes")), Palette::Xterm);
        assert_eq!(Palette::of(None), Palette::Xterm);
    }
}
