//! Writes the textures of `data/parlour.obj`: `cargo run -p heapwood-scenes --example
//! make_textures`.
//!
//! Sums and products of integers alone make them, so that they are the same on every machine.

use image::{ImageResult, Rgb, RgbImage, Rgba, RgbaImage};
use std::path::Path;

/// Texels of a side.
const SIDE: u32 = 64;

/// A number from 0 to 255 that looks random.
fn noise(x: u32, y: u32) -> u32 {
    let mut bits = x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    (bits ^ bits >> 13) >> 24
}

/// Noise of a coarse grid, mixed between its points.
fn smooth(x: u32, y: u32, cell: u32) -> u32 {
    let (column, row, u, v) = (x / cell, y / cell, x % cell, y % cell);
    let along = |row: u32| noise(column, row) * (cell - u) + noise(column + 1, row) * u;
    (along(row) * (cell - v) + along(row + 1) * v) / (cell * cell)
}

/// Four tiles with joints between them.
fn tiles(x: u32, y: u32) -> Rgb<u8> {
    let half = SIDE / 2;
    let is_joint = x % half < 2 || y % half < 2;
    let is_dark = (x / half + y / half) % 2 == 1;
    let shade = smooth(x, y, 8) / 8;
    let [red, green, blue] = match (is_joint, is_dark) {
        (true, _) => [70, 66, 60],
        (false, true) => [120, 48, 36],
        (false, false) => [205, 190, 160],
    };
    Rgb([red, green, blue].map(|channel| (channel + shade) as u8))
}

/// Boards of a wood with a grain.
fn wood(x: u32, y: u32) -> Rgb<u8> {
    let board = y / 16;
    let grain = smooth(x + 37 * board, 5 * y, 16);
    let ring = (grain + 6 * (y % 16)) % 48;
    let shade = if y.is_multiple_of(16) { 60 } else { 128 + ring };
    Rgb([shade, shade * 7 / 10, shade * 4 / 10].map(|channel| channel as u8))
}

/// Bars with holes between them.
fn lattice(x: u32, y: u32) -> Rgba<u8> {
    let is_bar = (x + y) % 16 < 4 || (x + SIDE - y) % 16 < 4;
    let is_frame = !(4..SIDE - 4).contains(&x);
    let alpha = if is_bar || is_frame { 255 } else { 0 };
    Rgba([255, 255, 255, alpha])
}

/// Panes of light in three colours.
fn lamp(x: u32, y: u32) -> Rgb<u8> {
    let is_frame = x % 16 < 2 || y % 16 < 2;
    match (is_frame, (x / 16 + y / 16) % 3) {
        (true, _) => Rgb([0, 0, 0]),
        (false, 0) => Rgb([255, 255, 255]),
        (false, 1) => Rgb([255, 190, 120]),
        (false, _) => Rgb([120, 170, 255]),
    }
}

fn main() -> ImageResult<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let path = |name: &str| folder.join(format!("parlour-{name}.png"));
    RgbImage::from_fn(SIDE, SIDE, tiles).save(path("tiles"))?;
    RgbImage::from_fn(SIDE, SIDE, wood).save(path("wood"))?;
    RgbaImage::from_fn(SIDE, SIDE, lattice).save(path("lattice"))?;
    RgbImage::from_fn(SIDE, SIDE, lamp).save(path("lamp"))
}
