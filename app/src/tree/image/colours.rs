//! Bytes from what was rendered: sRGB, and for distances and counts, which are no colours,
//! greys and a heat map with a legend.

use heapwood_device::render::Mode;
use heapwood_device::render::plan::to_rgba8;

use super::shading::Shade;

/// Colours of the heat map from nothing to most: Inferno of matplotlib at tenths.
const HEAT: [[u8; 3]; 10] = [
    [0x00, 0x00, 0x04],
    [0x1b, 0x0c, 0x41],
    [0x4a, 0x0c, 0x6b],
    [0x78, 0x1c, 0x6d],
    [0xa5, 0x2c, 0x60],
    [0xcf, 0x44, 0x46],
    [0xed, 0x69, 0x25],
    [0xfb, 0x9b, 0x06],
    [0xf7, 0xd1, 0x3d],
    [0xfc, 0xff, 0xa4],
];

/// Digits in 3 by 5 pixels: a row is an octal digit, its upper bit on the left.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 3, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 1, 2, 2],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];

/// Sides of the legend's bar in pixels, and the width of a digit with the gap behind it.
const BAR: (u32, u32) = (128, 8);
const DIGIT: u32 = 8;
/// Pixels between the legend and the picture's edges.
const EDGE: u32 = 8;

/// A picture's bytes, four a pixel.
pub(super) fn rgba(shade: &Shade, raw: &[[f32; 3]], width: u32, height: u32) -> Vec<u8> {
    match shade {
        Shade::Surface(Mode::Depth) => greys(raw),
        Shade::Surface(_) | Shade::Ambient { .. } | Shade::Path { .. } => to_rgba8(raw),
        Shade::Cost { most } => {
            let most = most.unwrap_or_else(|| max_cost(raw)).max(1.0);
            let mut picture = Picture {
                rgba: raw
                    .iter()
                    .flat_map(|pixel| opaque(heat(cost(pixel) / most)))
                    .collect(),
                width,
                height,
            };
            picture.legend(most);
            picture.rgba
        }
    }
}

/// Nodes and triangles together.
fn cost([nodes, triangles, _]: &[f32; 3]) -> f32 {
    nodes + triangles
}

/// The largest cost of a picture.
pub(super) fn max_cost(raw: &[[f32; 3]]) -> f32 {
    raw.iter().map(cost).fold(0.0, f32::max)
}

fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, u8::MAX]
}

/// Distances as greys: the nearest white, the farthest dark, and nothing black.
fn greys(raw: &[[f32; 3]]) -> Vec<u8> {
    let distances = || raw.iter().map(|pixel| f64::from(pixel[0]));
    let finite = || distances().filter(|distance| distance.is_finite());
    let near = finite().fold(f64::INFINITY, f64::min);
    let far = finite().fold(0.0, f64::max);
    let range = if far > near { far - near } else { 1.0 };
    let grey = |distance: f64| match distance.is_finite() {
        true => (255.0 - 215.0 * (distance - near) / range + 0.5) as u8,
        false => 0,
    };
    distances()
        .flat_map(|distance| opaque([grey(distance); 3]))
        .collect()
}

/// The colour of a part of the most, from 0 to 1.
fn heat(part: f32) -> [u8; 3] {
    let place = f64::from(part).clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let index = (place as usize).min(HEAT.len() - 2);
    let within = place - index as f64;
    let (low, high) = (HEAT[index], HEAT[index + 1]);
    [0, 1, 2].map(|channel| {
        let (low, high) = (f64::from(low[channel]), f64::from(high[channel]));
        (low + (high - low) * within + 0.5) as u8
    })
}

struct Picture {
    rgba: Vec<u8>,
    width: u32,
    height: u32,
}

impl Picture {
    fn set(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        let at = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba[at..at + 4].copy_from_slice(&opaque(colour));
    }

    /// A bar of the colours in the lower left corner, over 0 and the most; none in a picture
    /// that is hardly larger.
    fn legend(&mut self, most: f32) {
        let (width, height) = (BAR.0 + 2 * EDGE, BAR.1 + 2 * EDGE + 14);
        if self.width < 2 * width || self.height < 2 * height {
            return;
        }
        let (left, top) = (EDGE, self.height - height + EDGE);
        // A dark ground, so that it is read on every picture.
        for y in top - 4..top + BAR.1 + 18 {
            for x in left - 4..left + BAR.0 + 4 {
                self.set(x, y, [0, 0, 0]);
            }
        }
        for x in 0..BAR.0 {
            let colour = heat(x as f32 / (BAR.0 - 1) as f32);
            for y in 0..BAR.1 {
                self.set(left + x, top + y, colour);
            }
        }
        let below = top + BAR.1 + 3;
        self.number(0, left, below);
        let most = most as u64;
        let digits = most.to_string().len() as u32;
        self.number(most, left + BAR.0 - (digits * DIGIT - 2), below);
    }

    /// A number in white, each pixel of a digit two wide and two high.
    fn number(&mut self, number: u64, left: u32, top: u32) {
        for (digit, letter) in (0..).zip(number.to_string().bytes()) {
            for (y, row) in (0..).zip(DIGITS[usize::from(letter - b'0')]) {
                for x in (0..3).filter(|x| row >> (2 - x) & 1 == 1) {
                    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        let at = left + digit * DIGIT + 2 * x + dx;
                        self.set(at, top + 2 * y + dy, [255; 3]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_bright_and_nothing_black() {
        let raw = [[2.0; 3], [4.0; 3], [3.0; 3], [f32::INFINITY; 3]];
        let bytes = greys(&raw);
        let greys: Vec<u8> = bytes.chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(greys, [255, 40, 148, 0]);
        // A picture of nothing, and one of a single distance.
        assert_eq!(super::greys(&raw[3..]), [0, 0, 0, 255]);
        assert_eq!(super::greys(&raw[..1]), [255; 4]);
    }

    #[test]
    fn heat_runs_from_dark_to_bright() {
        assert_eq!((heat(0.0), heat(1.0)), (HEAT[0], HEAT[9]));
        assert_eq!((heat(-1.0), heat(7.0)), (HEAT[0], HEAT[9]));
        assert_eq!(heat(f32::NAN)[..2], HEAT[0][..2]);
        let luminance = |part: f32| {
            let [r, g, b] = heat(part).map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for step in 1..=100 {
            let (before, here) = ((step - 1) as f32 / 100.0, step as f32 / 100.0);
            assert!(luminance(here) > luminance(before), "{here}");
        }
    }

    #[test]
    fn the_legend_shows_the_range_where_there_is_room() {
        let cost = Shade::Cost { most: Some(90.0) };
        let raw = vec![[30.0, 15.0, 0.0]; 320 * 100];
        let large = rgba(&cost, &raw, 320, 100);
        let colours: std::collections::HashSet<&[u8]> = large.chunks(4).collect();
        assert!(colours.len() > 100);
        assert_eq!(large[..3], heat(0.5));
        let small = rgba(&cost, &raw[..64], 8, 8);
        assert!(small.chunks(4).all(|pixel| pixel[..3] == heat(0.5)));
    }
}
