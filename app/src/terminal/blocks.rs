//! Half blocks: two pixels a character, one above the other, as the colours of an upper half block
//! and of its ground.

use std::fmt::Write;

use crate::diff::Image;

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// All of 24 bits.
    True,
    /// The cube of 216 colours among the 256 of xterm.
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
