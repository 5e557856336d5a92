//! Normals of triangles' corners. A surface whose corners have some is shaded as if it were curved:
//! normals in between are interpolated. Positions and trees know nothing of them.

use crate::Warning;
use glam::Vec3;
use rayon::prelude::*;

/// The normal of a corner that has none: the triangle is flat there.
pub(crate) const NO_NORMAL: Vec3 = Vec3::ZERO;

/// By how much the square of a normal's length may differ from 1.
const TOLERANCE: f32 = 1e-3;

/// A normal of length 1 in this direction, or none ([`NO_NORMAL`]) for a vector of length 0; and
/// whether it is no vector of numbers, for which there is none either.
pub(crate) fn sound(vector: [f64; 3]) -> (Vec3, bool) {
    // Numbers of 32 bits have squares in 64 bits; those of PLY and of transforms may not.
    let largest = vector
        .iter()
        .fold(0.0, |largest, part| part.abs().max(largest));
    if !vector.iter().all(|part| part.is_finite()) {
        return (NO_NORMAL, true);
    }
    if largest == 0.0 {
        return (NO_NORMAL, false);
    }
    let [x, y, z] = vector.map(|part| part / largest);
    let length = (x * x + y * y + z * z).sqrt();
    let unit = [x, y, z].map(|part| (part / length) as f32);
    (Vec3::from_array(unit), false)
}

/// Normals that were read, as a scene has them: a corner without one gets that of its triangle,
/// at the side of the others'; a triangle without any stays flat. None at all if all are flat.
pub(crate) fn completed(
    mut normals: Vec<[Vec3; 3]>,
    triangles: &[[u32; 3]],
    vertices: &[Vec3],
) -> Vec<[Vec3; 3]> {
    let complete = |(corners, triangle): (&mut [Vec3; 3], &[u32; 3])| -> bool {
        let missing = corners.iter().filter(|&&normal| normal == NO_NORMAL);
        let missing = missing.count();
        if (1..3).contains(&missing) {
            let own = of_triangle(triangle.map(|vertex| vertices[vertex as usize]));
            let is_behind = own.dot(corners.iter().sum()) < 0.0;
            let own = if is_behind { -own } else { own };
            let fill = |normal| if normal == NO_NORMAL { own } else { normal };
            *corners = corners.map(fill);
        }
        missing < 3
    };
    let any = (normals.par_iter_mut().zip(triangles))
        .map(complete)
        .reduce(|| false, |one, other| one | other);
    if any { normals } else { Vec::new() }
}

/// The unit normal of a triangle; none without an area.
fn of_triangle(corners: [Vec3; 3]) -> Vec3 {
    let [a, b, c] = corners.map(|corner| corner.to_array().map(f64::from));
    let side = |end: [f64; 3]| [0, 1, 2].map(|axis| end[axis] - a[axis]);
    let (p, q) = (side(b), side(c));
    sound([(1, 2), (2, 0), (0, 1)].map(|(u, v)| p[u] * q[v] - p[v] * q[u])).0
}

/// The fault of the normals of so many triangles, if there is one.
pub(crate) fn fault(normals: &[[Vec3; 3]], triangles: usize) -> Option<&'static str> {
    let is_sound =
        |normal: &Vec3| *normal == NO_NORMAL || (normal.length_squared() - 1.0).abs() <= TOLERANCE;
    if !normals.is_empty() && normals.len() != triangles {
        Some("normals, but not those of three corners for each triangle")
    } else if !(normals.par_iter()).all(|corners| corners.iter().all(is_sound)) {
        Some("a normal that has neither length 1 nor length 0")
    } else {
        None
    }
}

/// Normals of a file that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    count: usize,
    /// The line of the first, in a file of lines.
    first: Option<usize>,
}

impl Faults {
    /// Counts one more, if it is one.
    pub fn count(&mut self, is_faulty: bool, line: Option<usize>) {
        if is_faulty {
            self.count += 1;
            self.first = self.first.into_iter().chain(line).min();
        }
    }

    /// Adds the faults of a later part of a file, which begins after so many lines.
    pub fn append(&mut self, others: Self, lines: usize) {
        self.count += others.count;
        let first = others.first.map(|line| lines + line);
        self.first = self.first.into_iter().chain(first).min();
    }

    /// The warning about the faults of a file, if there are any.
    pub fn warning(self, path: &str) -> Option<Warning> {
        (self.count > 0).then(|| Warning::Normals {
            path: path.to_owned(),
            count: self.count,
            line: self.first,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_become_sound() {
        for (vector, expected, is_faulty) in [
            ([0.0, 0.0, -7.0], Vec3::NEG_Z, false),
            ([3e-300, 4e-300, 0.0], Vec3::new(0.6, 0.8, 0.0), false),
            ([3e300, 0.0, 4e300], Vec3::new(0.6, 0.0, 0.8), false),
            ([0.0, -0.0, 0.0], NO_NORMAL, false),
            ([f64::NAN, 0.0, 1.0], NO_NORMAL, true),
            ([0.0, f64::NAN, 0.0], NO_NORMAL, true),
            ([1.0, 0.0, f64::NEG_INFINITY], NO_NORMAL, true),
        ] {
            assert_eq!(sound(vector), (expected, is_faulty), "{vector:?}");
        }
    }

    #[test]
    fn corners_without_normals_get_that_of_their_triangle() {
        let vertices = [Vec3::ZERO, Vec3::X * 1e-20, Vec3::Y * 1e-20];
        let up = Vec3::new(0.6, 0.0, 0.8);
        let down = Vec3::new(0.6, 0.0, -0.8);
        let read = vec![
            [up, NO_NORMAL, up],
            [NO_NORMAL, NO_NORMAL, down],
            [NO_NORMAL; 3],
            [up, down, up],
        ];
        let found = completed(read.clone(), &[[0, 1, 2]; 4], &vertices);
        assert_eq!(found[0], [up, Vec3::Z, up]);
        assert_eq!(found[1], [Vec3::NEG_Z, Vec3::NEG_Z, down]);
        assert_eq!(found[2..], read[2..]);
        assert_eq!(
            completed(vec![[NO_NORMAL; 3]; 2], &[[0, 1, 2]; 2], &vertices),
            [[Vec3::ZERO; 3]; 0]
        );
        // Nothing is made up for a triangle without area.
        let found = completed(vec![[up, NO_NORMAL, up]], &[[0, 1, 1]], &vertices);
        assert_eq!(found, [[up, NO_NORMAL, up]]);
    }

    #[test]
    fn the_first_line_of_faults_is_told() {
        let mut faults = Faults::default();
        faults.count(false, Some(1));
        assert_eq!(faults.warning("t"), None);
        faults.count(true, Some(5));
        faults.count(true, Some(3));
        let mut later = Faults::default();
        later.count(true, Some(1));
        faults.append(later, 1);
        let expected = Warning::Normals {
            path: "t".to_owned(),
            count: 3,
            line: Some(2),
        };
        assert_eq!(faults.warning("t"), Some(expected));
    }
}
