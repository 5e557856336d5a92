//! A ray axis by axis: where it begins, and what a distance is as a parameter.
//!
//! A GPU chooses among registers by predicates. A CPU would have to predict the axis of every
//! node, which differs from ray to ray; so there the axis is an index, a load that nothing
//! depends on but the plane.

#[cfg(target_arch = "nvptx64")]
use core::hint::select_unpredictable;

use glam::Vec3;

/// The origin and the inverse direction of a ray, by axis.
#[cfg(target_arch = "nvptx64")]
#[derive(Clone, Copy, Debug)]
pub struct AxisRay {
    origin: Vec3,
    inverse: Vec3,
}

#[cfg(target_arch = "nvptx64")]
impl AxisRay {
    /// That of a ray.
    #[inline(always)]
    pub fn new(origin: Vec3, inverse: Vec3) -> Self {
        Self { origin, inverse }
    }

    /// Origin and inverse direction on an axis, 0 to 2.
    #[inline(always)]
    pub fn on(&self, axis: u32) -> (f32, f32) {
        let choose = |of: Vec3| {
            let higher = select_unpredictable(axis == 1, of.y, of.z);
            select_unpredictable(axis == 0, of.x, higher)
        };
        (choose(self.origin), choose(self.inverse))
    }
}

/// The origin and the inverse direction of a ray, by axis; the fourth makes a mask of two bits
/// the bound of an index.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct AxisRay([(f32, f32); 4]);

#[cfg(not(target_arch = "nvptx64"))]
impl AxisRay {
    /// That of a ray.
    #[inline(always)]
    pub fn new(origin: Vec3, inverse: Vec3) -> Self {
        Self([
            (origin.x, inverse.x),
            (origin.y, inverse.y),
            (origin.z, inverse.z),
            (0.0, 0.0),
        ])
    }

    /// Origin and inverse direction on an axis, 0 to 2.
    #[inline(always)]
    pub fn on(&self, axis: u32) -> (f32, f32) {
        self.0[(axis & 3) as usize]
    }
}
