//! Axis-aligned boxes.
//!
//! A [`Bounds`] made by [`Bounds::of`] is empty (min above max) for no points
//! and otherwise contains every point that it was made from.

use glam::Vec3;

/// An axis-aligned box, in scene units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinate on each axis.
    pub min: Vec3,
    /// Largest coordinate on each axis.
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains nothing.
    pub const EMPTY: Bounds = Bounds {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    /// The smallest box around `points`.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Bounds {
        points.into_iter().fold(Bounds::EMPTY, Bounds::with)
    }

    /// This box, grown to contain `point`.
    pub fn with(self, point: Vec3) -> Bounds {
        Bounds {
            min: self.min.min(point),
            max: self.max.max(point),
        }
    }

    /// The smallest box around both boxes.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The middle of the box.
    pub fn centre(self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// The length of the box along each axis.
    pub fn extent(self) -> Vec3 {
        self.max - self.min
    }

    /// Whether `point` lies in the box or on its surface.
    pub fn contains(self, point: Vec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// The eight corners; bit 0 of the index chooses x, bit 1 y, bit 2 z.
    pub fn corners(self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
            Vec3::new(
                pick(0, self.min.x, self.max.x),
                pick(1, self.min.y, self.max.y),
                pick(2, self.min.z, self.max.z),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_contains_its_points_and_corners() {
        let points = [Vec3::new(1.0, -2.0, 3.0), Vec3::new(-1.0, 5.0, 0.0)];
        let bounds = Bounds::of(points);
        assert_eq!(bounds.min, Vec3::new(-1.0, -2.0, 0.0));
        assert_eq!(bounds.max, Vec3::new(1.0, 5.0, 3.0));
        assert_eq!(bounds.centre(), Vec3::new(0.0, 1.5, 1.5));
        assert_eq!(bounds.extent(), Vec3::new(2.0, 7.0, 3.0));
        assert!(bounds.corners().iter().all(|&c| bounds.contains(c)));
        assert!(!bounds.contains(Vec3::new(0.0, 0.0, 3.1)));
        assert_eq!(Bounds::of(bounds.corners()), bounds);
    }
}
