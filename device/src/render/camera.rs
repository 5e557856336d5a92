//! A pinhole camera as the device sees it.

use glam::Vec3;

/// Numbers of a camera in memory.
pub const CAMERA_FLOATS: usize = 12;

/// Where the rays of an image start and how they spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The eye.
    pub origin: Vec3,
    /// From the eye to the upper left corner of the image plane.
    pub corner: Vec3,
    /// From one pixel to its neighbour on the right.
    pub du: Vec3,
    /// From one pixel to its neighbour below.
    pub dv: Vec3,
}

impl Camera {
    /// The direction, not normalised, of the ray through the centre of pixel
    /// (x, y); row 0 is the top one.
    #[inline(always)]
    pub fn direction(&self, x: u32, y: u32) -> Vec3 {
        self.corner + self.du * (x as f32 + 0.5) + self.dv * (y as f32 + 0.5)
    }

    /// Reads a camera from memory: `origin`, `corner`, `du`, `dv`.
    ///
    /// # Safety
    ///
    /// `floats` points to [`CAMERA_FLOATS`] numbers that may be read.
    #[inline(always)]
    pub unsafe fn read(floats: *const f32) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                origin: read_vector(floats),
                corner: read_vector(floats.add(3)),
                du: read_vector(floats.add(6)),
                dv: read_vector(floats.add(9)),
            }
        }
    }
}

/// Reads three numbers.
///
/// # Safety
///
/// `floats` points to three numbers that may be read.
#[inline(always)]
pub unsafe fn read_vector(floats: *const f32) -> Vec3 {
    // SAFETY: the caller's promise.
    unsafe { Vec3::new(floats.read(), floats.add(1).read(), floats.add(2).read()) }
}
