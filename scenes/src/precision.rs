//! What coordinates lose as 32-bit floats. Surveys count metres from the equator or from the centre
//! of the earth: at 4.7e6 a 32-bit float has steps of half a metre.

use crate::{SceneError, Warning};
use glam::Vec3;
use rayon::prelude::*;

/// By how much an area may change without a word, in relation to itself.
const TOLERANCE: f64 = 0.01;
/// Narrower triangles, by their height in relation to their longest side, are not looked at: their
/// areas are rounding errors anywhere.
const MIN_HEIGHT: f64 = 1e-3;
/// Typical sides are longer than so many steps of a coordinate where nothing can be lost.
const AMPLE_STEPS: f64 = 1024.0;

/// Triangles that 32-bit floats change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loss {
    /// Those that vanish or change their area by more than the tolerance.
    count: usize,
    /// The step between floats at the largest coordinate of a mesh with such triangles.
    step: f64,
}

impl Loss {
    /// The loss of triangles with these vertices before they are rounded, the first of which has
    /// the number `base`.
    pub fn of(vertices: &[[f64; 3]], triangles: &[[u32; 3]], base: u32) -> Self {
        let Some(step) = step(vertices.iter().copied(), triangles.len()) else {
            return Self::default();
        };
        let is_changed = |corners: &&[u32; 3]| {
            let exact = corners.map(|vertex| vertices[(vertex - base) as usize]);
            let rounded = exact.map(|vertex| vertex.map(|value| f64::from(value as f32)));
            changes(exact, rounded)
        };
        let count = triangles.par_iter().filter(is_changed).count();
        Self { count, step }
    }

    /// Whether triangles with these vertices, so many of them, may have lost anything when they
    /// were rounded.
    pub fn is_possible(vertices: &[Vec3], triangles: usize) -> bool {
        let exact = vertices
            .iter()
            .map(|vertex| vertex.to_array().map(f64::from));
        step(exact, triangles).is_some()
    }

    /// Adds the loss of another mesh.
    pub fn add(&mut self, other: Self) {
        if other.count > 0 {
            self.step = self.step.max(other.step);
            self.count += other.count;
        }
    }

    /// The error of a scene of which cleaning leaves nothing, with the reason where that is this loss.
    pub fn explain(self, error: SceneError) -> SceneError {
        match error {
            SceneError::AllDegenerate { name, count, .. } if self.count > 0 => {
                SceneError::Collapsed {
                    name,
                    count,
                    step: self.step,
                }
            }
            other => other,
        }
    }

    /// What there is to say about a file of so many triangles.
    pub fn warning(self, path: &str, triangles: usize) -> Option<Warning> {
        (self.count > 0).then(|| Warning::Precision {
            path: path.to_owned(),
            count: self.count,
            triangles,
            step: self.step,
        })
    }
}

/// The step between 32-bit floats at the largest coordinate; none where triangles of a typical size,
/// so many of them in the box of the vertices, have far longer sides.
fn step(vertices: impl Iterator<Item = [f64; 3]>, triangles: usize) -> Option<f64> {
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for vertex in vertices {
        for axis in 0..3 {
            // Comparisons leave out NaN.
            if vertex[axis].is_finite() && vertex[axis] < low[axis] {
                low[axis] = vertex[axis];
            }
            if vertex[axis].is_finite() && vertex[axis] > high[axis] {
                high[axis] = vertex[axis];
            }
        }
    }
    let extent = (0..3)
        .map(|axis| high[axis] - low[axis])
        .fold(0.0, f64::max);
    if high[0] < low[0] {
        return None;
    }
    let largest = (low.into_iter().chain(high)).fold(0.0, |most, value| value.abs().max(most));
    let rounded = largest as f32;
    let step = f64::from(rounded.next_up() - rounded);
    let side = extent / (triangles.max(1) as f64).sqrt();
    (largest.is_finite() && side < AMPLE_STEPS * step).then_some(step)
}

/// Whether the area of a triangle that is not all but a line changes by more than the tolerance.
fn changes(exact: [[f64; 3]; 3], rounded: [[f64; 3]; 3]) -> bool {
    let (before, after) = (doubled_area(exact), doubled_area(rounded));
    let [a, b, c] = exact;
    let longest = [(a, b), (b, c), (c, a)]
        .map(|(from, to)| {
            (0..3)
                .map(|axis| (to[axis] - from[axis]).powi(2))
                .sum::<f64>()
        })
        .into_iter()
        .fold(0.0, f64::max);
    before > MIN_HEIGHT * longest && (after - before).abs() > TOLERANCE * before
}

/// Twice the area of a triangle.
pub(crate) fn doubled_area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let side = |end: [f64; 3]| [0, 1, 2].map(|axis| end[axis] - a[axis]);
    let (p, q) = (side(b), side(c));
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(u, v)| p[u] * q[v] - p[v] * q[u]);
    cross.iter().map(|part| part * part).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> usize {
        Loss::of(vertices, triangles, 0).count
    }

    #[test]
    fn triangles_far_away_that_change_are_counted() {
        let square = |x: f64, y: f64, side: f64| {
            [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]].map(|[u, v]| [x + u, y + v, 0.0])
        };
        let faces = [[0, 1, 2], [0, 2, 3]];
        assert_eq!(changed(&square(500_000.1, 5_800_000.2, 0.2), &faces), 2);
        // They vanish.
        assert_eq!(changed(&square(1e9 + 0.1, 1e9 + 0.1, 0.05), &faces), 2);
        // Near the origin, large, or on the steps of floats.
        for (x, side) in [(0.1, 0.2), (5e6 + 0.1, 1e4), (5e6, 0.5), (1.0, 1e-3)] {
            assert_eq!(changed(&square(x, x, side), &faces), 0, "{x} {side}");
        }
        assert_eq!(
            changed(&[[f64::NAN; 3], [1.0, f64::INFINITY, 0.0]], &[[0, 1, 1]]),
            0
        );
    }

    #[test]
    fn narrow_triangles_are_left_out() {
        let line = [
            [5e6, 0.0, 0.0],
            [5e6 + 0.3, 0.0, 0.0],
            [5e6 + 0.7, 1e-9, 0.0],
        ];
        assert_eq!(changed(&line, &[[0, 1, 2]]), 0);
    }
}
