//! The host's side of rendering: memory images of the kernels' inputs, and
//! bytes from their output.

use super::{BOUNDS_FLOATS, Bounds, CAMERA_FLOATS, Camera, TILE, TILE_HEIGHT, TILE_WIDTH};

impl Camera {
    /// The numbers that the kernels read.
    pub fn to_floats(&self) -> [f32; CAMERA_FLOATS] {
        let vectors = [self.origin, self.corner, self.du, self.dv];
        let mut floats = [0.0; CAMERA_FLOATS];
        for (to, from) in floats.chunks_exact_mut(3).zip(vectors) {
            to.copy_from_slice(&from.to_array());
        }
        floats
    }
}

impl Bounds {
    /// The numbers that the kernels read.
    pub fn to_floats(&self) -> [f32; BOUNDS_FLOATS] {
        let mut floats = [0.0; BOUNDS_FLOATS];
        for (to, from) in floats.chunks_exact_mut(3).zip([self.lower, self.upper]) {
            to.copy_from_slice(&from.to_array());
        }
        floats
    }
}

/// The threads with which a launch of `Render` gives each thread one pixel.
/// More have nothing to do; with fewer each does several.
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
