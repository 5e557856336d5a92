//! Details that coordinates lose as 32-bit floats, and the offset that keeps them. Surveys count
//! metres from the equator or from the centre of the earth: at 4.7e6 a 32-bit float has steps of
//! half a metre. A scene that loses details there is read relative to an offset in doubles; every
//! other scene keeps the coordinates of its file, bit for bit.

use crate::{MAX_COORDINATE, SceneError, Warning};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// By how much an area may change without a word, in relation to itself.
const TOLERANCE: f64 = 0.01;
/// Narrower triangles, by their height in relation to their longest side, are not looked at: their
/// areas are rounding errors anywhere.
const MIN_HEIGHT: f64 = 1e-3;
/// Triangles that are higher than so many steps of a coordinate keep their areas within the
/// tolerance. Rounding moves a vertex by at most sqrt(3) / 2 steps, and the sides of a triangle are
/// at most three times the longest. So twice its area changes by at most 2.6 steps times the
/// longest side, which is 1 % at a height of 260 steps; the rest is for the squares of what is left
/// out here.
const AMPLE_HEIGHT_STEPS: f64 = 280.0;
/// By how many steps the height of a rounded triangle may differ from its own.
const HEIGHT_ERROR_STEPS: f64 = 4.0;
/// A mesh is dense where sides of a typical size are shorter than so many steps of a coordinate.
const AMPLE_STEPS: f64 = 1024.0;
/// An offset is looked for where at least one of so many triangles changes. It moves all of them,
/// so a few small ones in a scene that floats hold do not ask for it.
const TRIANGLES_PER_CHANGE: usize = 100;

/// A position relative to an offset, rounded once.
pub(crate) fn relative(position: [f64; 3], offset: DVec3) -> Vec3 {
    (DVec3::from_array(position) - offset).as_vec3()
}

/// The offset of a scene: `given`, or else the one that loses less than none does. `loss` returns
/// what the scene loses relative to an offset.
pub(crate) fn choose_offset(given: Option<DVec3>, loss: impl Fn(DVec3) -> Loss) -> (DVec3, Loss) {
    if let Some(offset) = given {
        return (offset, loss(offset));
    }
    let unmoved = loss(DVec3::ZERO);
    let moved = unmoved.offset().map(|offset| (offset, loss(offset)));
    let is_better = |moved: &(DVec3, Loss)| moved.1.is_less_than(unmoved);
    moved.filter(is_better).unwrap_or((DVec3::ZERO, unmoved))
}

/// A box of doubles; empty with its least coordinates above the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reach {
    low: [f64; 3],
    high: [f64; 3],
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            low: [f64::MAX; 3],
            high: [f64::MIN; 3],
        }
    }
}

impl Reach {
    fn of(points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        points.into_iter().fold(Self::default(), Self::with)
    }

    /// The box with another point. Coordinates that cleaning leaves out are left out here.
    fn with(mut self, point: [f64; 3]) -> Self {
        for (axis, value) in point.into_iter().enumerate() {
            if is_bounded(value) {
                self.low[axis] = self.low[axis].min(value);
                self.high[axis] = self.high[axis].max(value);
            }
        }
        self
    }

    fn union(self, other: Self) -> Self {
        match other.extent() < 0.0 {
            true => self,
            false => self.with(other.low).with(other.high),
        }
    }

    /// The longest side.
    fn extent(&self) -> f64 {
        let sides = (0..3).map(|axis| self.high[axis] - self.low[axis]);
        sides.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The step between 32-bit floats at the largest coordinate; NaN if the box is empty.
    fn step(&self) -> f64 {
        let all = self.low.into_iter().chain(self.high);
        let largest = all.fold(0.0, |most, value| value.abs().max(most)) as f32;
        f64::from(largest.next_up()) - f64::from(largest)
    }

    /// Whether so many triangles of a typical size in this box have sides of few steps.
    fn is_dense(&self, triangles: usize) -> bool {
        self.extent() / (triangles.max(1) as f64).sqrt() < AMPLE_STEPS * self.step()
    }
}

/// How large the triangles of a mesh are in steps of 32-bit floats. No sample of them tells that:
/// one triangle elsewhere makes the box of all as large as it likes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    reach: Reach,
    count: usize,
    may_lose: bool,
}

impl Sizes {
    /// Those of triangles with these corners.
    fn of(triangles: impl ParallelIterator<Item = [[f64; 3]; 3]>) -> Self {
        triangles
            .map(Self::of_triangle)
            .reduce(Self::default, Self::with)
    }

    fn of_triangle(corners: [[f64; 3]; 3]) -> Self {
        let reach = Reach::of(corners);
        Self {
            reach,
            count: 1,
            may_lose: may_change(corners, reach.step()),
        }
    }

    /// Those of a mesh without triangles, whose vertices, all of them used, are these.
    pub fn of_vertices(vertices: impl IntoIterator<Item = [f64; 3]>) -> Self {
        Self {
            reach: Reach::of(vertices),
            ..Self::default()
        }
    }

    /// The step between 32-bit floats at the largest coordinate.
    pub fn step(&self) -> f64 {
        self.reach.step()
    }

    /// Adds a triangle of the mesh whose step is `step`; returns whether it may change. Its own
    /// step is at most that, and looked at only where the other one leaves it open.
    pub fn add(&mut self, corners: [[f64; 3]; 3], step: f64) -> bool {
        let may_lose = may_change(corners, step) && Self::of_triangle(corners).may_lose;
        self.count += 1;
        self.may_lose |= may_lose;
        may_lose
    }

    /// These and others.
    pub fn with(self, other: Self) -> Self {
        Self {
            reach: self.reach.union(other.reach),
            count: self.count + other.count,
            may_lose: self.may_lose || other.may_lose,
        }
    }

    /// Whether so many triangles that change are enough to look for an offset.
    pub fn is_common(&self, changes: usize) -> bool {
        self.is_dense() || changes >= self.count / TRIANGLES_PER_CHANGE
    }

    /// Whether most triangles may be so small that they change.
    fn is_dense(&self) -> bool {
        self.reach.is_dense(self.count)
    }

    /// Whether some triangles may change.
    pub fn may_lose(&self) -> bool {
        self.may_lose
    }
}

/// Triangles that 32-bit floats change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loss {
    /// Those that vanish or change their area by more than the tolerance.
    count: usize,
    /// The step between floats at their largest coordinate.
    step: f64,
    /// The box around these triangles.
    reach: Reach,
    /// How many triangles were looked at.
    triangles: usize,
    /// Whether most triangles of a mesh may be so small that they change.
    is_dense: bool,
}

impl Loss {
    /// The loss of triangles whose vertices are at `exact`, by their numbers, when they are rounded
    /// relative to an offset.
    pub fn of(
        exact: impl Fn(u32) -> [f64; 3] + Sync,
        triangles: &[[u32; 3]],
        offset: DVec3,
    ) -> Self {
        let moved = |corners: [[f64; 3]; 3]| {
            corners.map(|corner| (DVec3::from_array(corner) - offset).to_array())
        };
        // Vertices that no triangle uses may be anywhere.
        let corners = triangles.par_iter().map(|corners| corners.map(&exact));
        let sizes = Sizes::of(corners.clone().map(moved));
        let none = Self {
            triangles: triangles.len(),
            is_dense: sizes.is_dense(),
            ..Self::default()
        };
        if !sizes.may_lose() {
            return none;
        }
        let changed = |exact: [[f64; 3]; 3]| {
            let rounded = exact.map(|vertex| relative(vertex, offset).to_array().map(f64::from));
            changes(exact, rounded).then(|| Self {
                count: 1,
                step: Reach::of(moved(exact)).step(),
                reach: Reach::of(exact),
                ..Self::default()
            })
        };
        let changed = corners.filter_map(changed);
        none.with(changed.reduce(Self::default, Self::with))
    }

    /// This loss as that of all triangles of a mesh of these sizes.
    pub fn among(self, sizes: Sizes) -> Self {
        Self {
            triangles: sizes.count,
            is_dense: sizes.is_dense(),
            ..self
        }
    }

    /// The middle of the triangles that change, rounded to a multiple of a power of two above their
    /// extent. With so few bits differences are exact, and scenes that differ little share it. None
    /// where nothing changes, or little in a scene of larger triangles, or the middle is the
    /// origin.
    pub fn offset(&self) -> Option<DVec3> {
        let is_common = self.is_dense || self.count >= self.triangles / TRIANGLES_PER_CHANGE;
        if self.count == 0 || !is_common {
            return None;
        }
        let extent = self.reach.extent();
        // The power of two above the extent: its exponent plus 1, and no fraction.
        let step = f64::from_bits(((extent.to_bits() >> 52) + 1) << 52);
        let [low, high] = [self.reach.low, self.reach.high].map(DVec3::from_array);
        let middle = low + 0.5 * (high - low);
        // +0 in place of -0.
        let offset = (middle / step).round() * step + DVec3::ZERO;
        (offset != DVec3::ZERO).then_some(offset)
    }

    /// Whether fewer triangles change.
    pub fn is_less_than(self, other: Self) -> bool {
        self.count < other.count
    }

    /// This loss and that of another mesh.
    pub fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            step: self.step.max(other.step),
            reach: self.reach.union(other.reach),
            triangles: self.triangles + other.triangles,
            is_dense: self.is_dense || other.is_dense,
        }
    }

    /// The error of a scene without triangles after cleaning, with this loss as the reason if it is
    /// one.
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

    /// The warning about a file of so many triangles, if any of them changes.
    pub fn warning(self, path: &str, triangles: usize) -> Option<Warning> {
        (self.count > 0).then(|| Warning::Precision {
            path: path.to_owned(),
            count: self.count,
            triangles,
            step: self.step,
        })
    }
}

/// Whether rounding to steps of at most this length may change the area of a triangle, exact or
/// already rounded, by more than the tolerance. Its height tells that: a long narrow triangle loses
/// its area where its sides lose nothing.
fn may_change(corners: [[f64; 3]; 3], step: f64) -> bool {
    let longest = squared_longest_side(corners);
    // Squares, without the roots that nearly all triangles have no need of.
    let ample = AMPLE_HEIGHT_STEPS * step;
    let squared_area = squared_doubled_area(corners);
    if squared_area > ample * ample * longest {
        return false;
    }
    let height = (squared_area / longest.max(f64::MIN_POSITIVE)).sqrt();
    height + HEIGHT_ERROR_STEPS * step > MIN_HEIGHT * longest.sqrt()
}

/// Whether the area of a triangle that is not all but a line changes by more than the tolerance.
fn changes(exact: [[f64; 3]; 3], rounded: [[f64; 3]; 3]) -> bool {
    let (before, after) = (doubled_area(exact), doubled_area(rounded));
    exact.as_flattened().iter().copied().all(is_bounded)
        && before > MIN_HEIGHT * squared_longest_side(exact)
        && (after - before).abs() > TOLERANCE * before
}

fn squared_longest_side([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let squared = |from: [f64; 3], to: [f64; 3]| {
        let sides = (0..3).map(|axis| to[axis] - from[axis]);
        sides.map(|side| side * side).sum::<f64>()
    };
    squared(a, b).max(squared(b, c)).max(squared(c, a))
}

/// Whether cleaning keeps triangles with this coordinate.
fn is_bounded(value: f64) -> bool {
    value.abs() <= f64::from(MAX_COORDINATE)
}

/// Twice the area of a triangle.
pub(crate) fn doubled_area(corners: [[f64; 3]; 3]) -> f64 {
    squared_doubled_area(corners).sqrt()
}

fn squared_doubled_area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let side = |end: [f64; 3]| [0, 1, 2].map(|axis| end[axis] - a[axis]);
    let (p, q) = (side(b), side(c));
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(u, v)| p[u] * q[v] - p[v] * q[u]);
    cross.iter().map(|part| part * part).sum()
}

#[cfg(test)]
mod tests;
