//! The host's side of rendering: the size of a launch, and bytes from its pixels.

use super::pixels::{TILE, TILE_HEIGHT, TILE_WIDTH};

/// The threads with which a launch of a kernel that makes images gives each thread one pixel.
/// With fewer, each renders several; more have nothing to do.
pub fn render_threads(width: u32, height: u32) -> u64 {
    u64::from(width.div_ceil(TILE_WIDTH)) * u64::from(height.div_ceil(TILE_HEIGHT)) * TILE
}

/// A linear value, 1 being white, as a byte of sRGB (IEC 61966-2-1), rounded to
/// the nearest. Values outside 0 to 1 and NaN become the nearest end, 0 for NaN.
///
/// In `f64`, so that no system's power function is off by enough to change the
/// byte.
pub fn to_srgb8(linear: f32) -> u8 {
    let linear = f64::from(linear);
    let encoded = if linear <= 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    };
    // A conversion to an integer saturates, and maps NaN to 0.
    (encoded * 255.0 + 0.5) as u8
}

/// An image of linear RGB as RGBA bytes in sRGB, opaque, in the same order.
pub fn to_rgba8(pixels: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pixels.len() * 4);
    for pixel in pixels {
        bytes.extend(pixel.map(to_srgb8));
        bytes.push(u8::MAX);
    }
    bytes
}
