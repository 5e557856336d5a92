//! Pictures in terminals: by the protocols of those that show pixels, or as half blocks in the
//! colours of any other.
//!
//! A terminal is known by its environment and not asked, since one that does not answer would be
//! waited for.

mod blocks;
mod inline;
mod sixel;

use crate::diff::Image;

pub use blocks::{Palette, half_blocks};
pub use inline::{iterm2, kitty};
pub use sixel::sixel;

/// Pixels of a character on a screen of high density, which more pixels would not show.
const CELL: [u32; 2] = [16, 32];
/// Pixels of a character for protocols that count in pixels: those of a small font, so that a
/// picture fits any terminal of its columns and lines.
const SMALL_CELL: [u32; 2] = [8, 16];

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// As text in colours.
    Blocks,
    /// By that of kitty, which Ghostty and Konsole have, too.
    Kitty,
    /// By that of iTerm2, which WezTerm and mintty have, too.
    Iterm2,
    /// By that of DEC's terminals, which foot and mlterm have.
    Sixel,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Blocks, Self::Kitty, Self::Iterm2, Self::Sixel];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Kitty => "kitty",
            Self::Iterm2 => "iterm2",
            Self::Sixel => "sixel",
        }
    }

    /// That of the terminal with these variables of its environment. Terminals within terminals,
    /// which pass no pictures on, show blocks.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let is_within = ["screen", "tmux"].iter().any(|name| term.starts_with(name));
        if is_within || is_set("TMUX") || is_set("STY") {
            return Self::Blocks;
        }
        match (&term[..], &program[..]) {
            ("xterm-kitty" | "xterm-ghostty", _) | (_, "ghostty") => Self::Kitty,
            ("wezterm" | "mintty", _) | (_, "WezTerm" | "iTerm.app" | "mintty") => Self::Iterm2,
            ("foot" | "foot-extra" | "mlterm" | "yaft-256color", _) => Self::Sixel,
            _ if is_set("KITTY_WINDOW_ID") || is_set("KONSOLE_VERSION") => Self::Kitty,
            // ssh passes this one on.
            _ if variable("LC_TERMINAL").as_deref() == Some("iTerm2") => Self::Iterm2,
            _ => Self::Blocks,
        }
    }

    /// The most pixels that a picture on so many columns and lines has.
    pub fn pixels(self, columns: u32, lines: u32) -> (u32, u32) {
        let [width, height] = match self {
            Self::Blocks => [1, 2],
            Self::Kitty | Self::Iterm2 => CELL,
            Self::Sixel => SMALL_CELL,
        };
        (columns * width, lines * height)
    }
}

/// Width and height in pixels of the largest picture with these sides' ratio within so many pixels.
/// At least one pixel each.
pub fn fitted(width: u32, height: u32, within: (u32, u32)) -> (u32, u32) {
    let (width, height) = (f64::from(width), f64::from(height));
    let scale = (f64::from(within.0) / width).min(f64::from(within.1) / height);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_ratio() {
        assert_eq!(fitted(160, 90, (80, 200)), (80, 45));
        assert_eq!(fitted(90, 160, (80, 48)), (27, 48));
        assert_eq!(fitted(10_000, 1, (80, 48)), (80, 1));
        assert_eq!(fitted(1, 1, (80, 48)), (48, 48));
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
    fn terminals_are_known_by_their_environment() {
        for (environment, expected) in [
            ("", Protocol::Blocks),
            ("TERM=xterm-256color", Protocol::Blocks),
            ("TERM=xterm-kitty", Protocol::Kitty),
            ("TERM=xterm-256color KITTY_WINDOW_ID=1", Protocol::Kitty),
            ("TERM=xterm-256color TERM_PROGRAM=ghostty", Protocol::Kitty),
            ("TERM=xterm-256color TERM_PROGRAM=WezTerm", Protocol::Iterm2),
            ("TERM=wezterm", Protocol::Iterm2),
            (
                "TERM=xterm-256color TERM_PROGRAM=iTerm.app",
                Protocol::Iterm2,
            ),
            ("TERM=xterm-256color LC_TERMINAL=iTerm2", Protocol::Iterm2),
            // One of them started the other.
            (
                "TERM=xterm-256color TERM_PROGRAM=WezTerm KITTY_WINDOW_ID=1",
                Protocol::Iterm2,
            ),
            ("TERM=foot", Protocol::Sixel),
            ("TERM=screen-256color LC_TERMINAL=iTerm2", Protocol::Blocks),
            ("TERM=xterm-kitty TMUX=/tmp/tmux", Protocol::Blocks),
            ("TERM=xterm-256color KITTY_WINDOW_ID=", Protocol::Blocks),
        ] {
            let variable = |name: &str| {
                let mut pairs = environment
                    .split(' ')
                    .filter_map(|pair| pair.split_once('='));
                let found = pairs.find(|(other, _)| *other == name);
                found.map(|(_, value)| value.to_owned())
            };
            assert_eq!(Protocol::of(variable), expected, "{environment}");
        }
    }
}
