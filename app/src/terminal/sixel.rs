//! Sixels: bands of six rows in up to 256 colours, as DEC's VT340 shows them.
//!
//! <https://vt100.net/docs/vt3xx-gp/chapter14.html>

use std::fmt::Write;

use crate::diff::Image;

/// Levels of red, green and blue: 252 colours.
const LEVELS: [u32; 3] = [6, 7, 6];
const COLOURS: usize = (LEVELS[0] * LEVELS[1] * LEVELS[2]) as usize;

/// A picture as sixels, its colours mixed of those that there are (Floyd and Steinberg, 1976).
pub fn sixel(image: &Image) -> String {
    let (width, height) = (image.width as usize, image.height as usize);
    let indices = mixed(image);
    let mut text = String::new();
    write!(text, "\x1bPq\"1;1;{width};{height}").expect(SUCCEEDS);
    let mut is_defined = [false; COLOURS];
    for band in indices.chunks(6 * width.max(1)) {
        let mut is_used = [false; COLOURS];
        band.iter()
            .for_each(|&index| is_used[usize::from(index)] = true);
        for index in (0..COLOURS).filter(|&index| is_used[index]) {
            match std::mem::replace(&mut is_defined[index], true) {
                true => write!(text, "#{index}").expect(SUCCEEDS),
                false => {
                    let [red, green, blue] = percent(index as u32);
                    write!(text, "#{index};2;{red};{green};{blue}").expect(SUCCEEDS);
                }
            }
            row(band, width, index as u8, &mut text);
            text.push('$');
        }
        text.pop();
        text.push('-');
    }
    text.push_str("\x1b\\\n");
    text
}

const SUCCEEDS: &str = "writing to a string succeeds";

/// The pixels of a band that have a colour.
fn row(band: &[u8], width: usize, colour: u8, text: &mut String) {
    let sixel = |x: usize| {
        let column = band[x..].iter().step_by(width).enumerate();
        let bits = column.filter(|(_, index)| **index == colour);
        char::from(b'?' + bits.map(|(bit, _)| 1 << bit).sum::<u8>())
    };
    let mut x = 0;
    while x < width {
        let shown = sixel(x);
        let count = (x..width).take_while(|&x| sixel(x) == shown).count();
        x += count;
        match count {
            // The rest of a row is empty.
            _ if x == width && shown == '?' => {}
            1..4 => (0..count).for_each(|_| text.push(shown)),
            _ => write!(text, "!{count}{shown}").expect(SUCCEEDS),
        }
    }
}

/// The levels of a colour.
fn levels(index: u32) -> [u32; 3] {
    let [_, green, blue] = LEVELS;
    [index / (green * blue), index / blue % green, index % blue]
}

/// A colour as the protocol has it.
fn percent(index: u32) -> [u32; 3] {
    let levels = levels(index);
    [0, 1, 2].map(|i| (200 * levels[i] + LEVELS[i] - 1) / (2 * (LEVELS[i] - 1)))
}

/// The colour of each pixel: the nearest one to what it is and what its neighbours lack.
fn mixed(image: &Image) -> Vec<u8> {
    let width = image.width as usize;
    let mut indices = Vec::with_capacity(image.pixels.len());
    // Sixteenths of what this row and the next one are short of, with a pixel on either side.
    let mut lack = [vec![[0_i32; 3]; width + 2], vec![[0; 3]; width + 2]];
    for row in image.pixels.chunks(width.max(1)) {
        for (x, pixel) in row.iter().enumerate() {
            let mut index = 0;
            for channel in 0..3 {
                let steps = LEVELS[channel] as i32 - 1;
                let wanted = i32::from(pixel[channel]) + lack[0][x + 1][channel] / 16;
                let level = (wanted.clamp(0, 255) * 2 * steps + 255) / 510;
                let short = wanted.clamp(0, 255) - level * 255 / steps;
                lack[0][x + 2][channel] += 7 * short;
                lack[1][x][channel] += 3 * short;
                lack[1][x + 1][channel] += 5 * short;
                lack[1][x + 2][channel] += short;
                index = index * LEVELS[channel] + level as u32;
            }
            indices.push(index as u8);
        }
        lack.swap(0, 1);
        lack[1].fill([0; 3]);
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pixels that a terminal shows of sixels, each in percent.
    fn shown(text: &str) -> (usize, usize, Vec<Option<[u32; 3]>>) {
        let body = text.strip_prefix("\x1bPq\"1;1;").unwrap();
        let body = body.strip_suffix("\x1b\\\n").unwrap();
        let at = body.find('#').unwrap();
        let (width, height) = body[..at].split_once(';').unwrap();
        let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
        let mut pixels = vec![None; width * height];
        let mut colours = [None; 256];
        let (mut x, mut y, mut colour, mut count) = (0, 0, 0, 1);
        let mut rest = &body[at..];
        while let Some(first) = rest.chars().next() {
            rest = &rest[1..];
            let mut numbers = || {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';');
                let (head, tail) = rest.split_at(end.unwrap_or(rest.len()));
                rest = tail;
                let numbers = head.split(';').map(|number| number.parse().unwrap());
                numbers.collect::<Vec<u32>>()
            };
            match first {
                '#' => {
                    let numbers = numbers();
                    colour = numbers[0] as usize;
                    if let [_, 2, red, green, blue] = numbers[..] {
                        colours[colour] = Some([red, green, blue]);
                    }
                }
                '!' => count = numbers()[0] as usize,
                '$' => x = 0,
                '-' => (x, y) = (0, y + 6),
                sixel => {
                    let bits = sixel as u8 - b'?';
                    for x in x..x + count {
                        for bit in (0..6).filter(|bit| bits & 1 << bit != 0) {
                            pixels[(y + bit) * width + x] = colours[colour];
                        }
                    }
                    (x, count) = (x + count, 1);
                }
            }
        }
        (width, height, pixels)
    }

    #[test]
    fn colours_that_are_there_are_shown_as_they_are() {
        // Corners of the cube, in bands; the last band is not full.
        let pixels = (0..13 * 8).map(|at| [1, 2, 4].map(|bit| if at & bit != 0 { 255 } else { 0 }));
        let image = Image {
            width: 13,
            height: 8,
            pixels: pixels.collect(),
        };
        let (width, height, found) = shown(&sixel(&image));
        assert_eq!((width, height), (13, 8));
        let expected = image
            .pixels
            .iter()
            .map(|pixel| Some(pixel.map(|of| u32::from(of) * 100 / 255)));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }

    #[test]
    fn colours_between_are_mixed() {
        let image = Image::filled(64, 48, [100, 30, 200]);
        let (_, _, found) = shown(&sixel(&image));
        for (channel, wanted) in [(0, 100.0), (1, 30.0), (2, 200.0)] {
            let sum: u32 = found.iter().map(|pixel| pixel.unwrap()[channel]).sum();
            let mean = f64::from(sum) * 2.55 / found.len() as f64;
            assert!((mean - wanted).abs() < 3.0, "{mean} for {wanted}");
        }
    }

    #[test]
    fn runs_are_short() {
        let text = sixel(&Image::filled(1000, 12, [255; 3]));
        assert_eq!(
            text,
            "\x1bPq\"1;1;1000;12#251;2;100;100;100!1000~-#251!1000~-\x1b\\\n"
        );
    }
}
