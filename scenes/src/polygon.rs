//! Polygons as triangles: a fan where they are convex, and ears that are cut off one by one where
//! they have a notch.

use crate::Warning;
use glam::Vec3;

/// A point of a plane: products of two differences of `f32` are exact or nearly so.
type Point = [f64; 2];

/// Corners of a polygon beyond which a notch is not looked for: cutting ears takes their number
/// squared, and cubed at worst.
const MAX_CORNERS: usize = 256;

/// Polygons that became fans though they are not convex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fans {
    /// How many.
    count: usize,
    /// The number of the first, in the order in which they came.
    first: Option<usize>,
}

impl Fans {
    /// The warning about such polygons of a file, if there are any. `line` gives the line of a
    /// polygon by its number, if it has one.
    pub fn warning(self, path: &str, line: impl Fn(usize) -> Option<usize>) -> Option<Warning> {
        let face = self.first?;
        Some(Warning::CrossedPolygons {
            path: path.to_owned(),
            count: self.count,
            face,
            line: line(face),
        })
    }

    /// Appends the triangles of the polygon with this number and these corners, three or more. One
    /// that is convex becomes the fan of its first corner; one with notches is divided along
    /// diagonals inside of it; one that crosses itself, or has notches and more than 256 corners,
    /// becomes a fan and is counted. One with a position that is not finite has no shape, and
    /// becomes a fan.
    pub fn triangulate(
        &mut self,
        number: usize,
        corners: &[u32],
        position: impl Fn(u32) -> Vec3,
        triangles: &mut Vec<[u32; 3]>,
    ) {
        if corners.len() > 3 {
            let points = corners.iter().map(|&corner| position(corner).to_array());
            let points: Vec<[f64; 3]> = points.map(|point| point.map(f64::from)).collect();
            let is_finite = points.as_flattened().iter().all(|value| value.is_finite());
            let outline = flat(&points);
            if is_finite && !is_convex(&outline) {
                let ears = (outline.len() <= MAX_CORNERS && is_simple(&outline))
                    .then(|| ears(&outline))
                    .flatten();
                if let Some(ears) = ears {
                    triangles.extend(ears.iter().map(|ear| ear.map(|at| corners[at])));
                    return;
                }
                self.count += 1;
                self.first.get_or_insert(number);
            }
        }
        let rest = corners.windows(2).skip(1);
        triangles.extend(rest.map(|pair| [corners[0], pair[0], pair[1]]));
    }
}

/// The polygon seen along the axis that its normal (Newell's) is closest to, counterclockwise.
fn flat(points: &[[f64; 3]]) -> Vec<Point> {
    let mut normal = [0.0; 3];
    for (at, one) in points.iter().enumerate() {
        let other = &points[(at + 1) % points.len()];
        for (axis, sum) in normal.iter_mut().enumerate() {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            *sum += (one[u] - other[u]) * (one[v] + other[v]);
        }
    }
    let mut size = normal.map(f64::abs);
    if size == [0.0; 3] {
        // As much to the left as to the right: it crosses itself, if it is not on a line. The
        // narrowest side of its box shows least of it.
        let along = |axis: usize| points.iter().map(move |point| point[axis]);
        let side =
            |axis| along(axis).fold(f64::MIN, f64::max) - along(axis).fold(f64::MAX, f64::min);
        size = [0, 1, 2].map(|axis| -side(axis));
    }
    let axis = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let turn = if normal[axis] < 0.0 { -1.0 } else { 1.0 };
    points
        .iter()
        .map(|point| [point[u], turn * point[v]])
        .collect()
}

/// Twice the area of a triangle, above 0 if it is counterclockwise.
fn area([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// Whether a polygon turns left at all corners, or straight on, and goes around once.
fn is_convex(outline: &[Point]) -> bool {
    let count = outline.len();
    // Edges that go up and those that do not take turns once in going around.
    let mut turns = 0;
    let mut was_up = None;
    let mut first = None;
    for at in 0..count {
        let [a, b, c] = [at, at + 1, at + 2].map(|at| outline[at % count]);
        if area(a, b, c) < 0.0 {
            return false;
        }
        if a == b {
            continue;
        }
        let is_up = (b[1], b[0]) > (a[1], a[0]);
        first = first.or(Some(is_up));
        turns += usize::from(was_up.is_some_and(|was| was != is_up));
        was_up = Some(is_up);
    }
    turns + usize::from(was_up != first) <= 2
}

/// Whether no two edges of a polygon cross.
fn is_simple(outline: &[Point]) -> bool {
    let count = outline.len();
    let edge = |at: usize| (outline[at], outline[(at + 1) % count]);
    (0..count).all(|one| {
        // Neighbours meet in a corner.
        (one + 2..count).all(|other| {
            let is_neighbour = one == 0 && other == count - 1;
            is_neighbour || !cross(edge(one), edge(other))
        })
    })
}

/// Whether two edges cross inside of both.
fn cross((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    area(a, b, c) * area(a, b, d) < 0.0 && area(c, d, a) * area(c, d, b) < 0.0
}

/// The triangles of a simple polygon, as numbers of its corners; none if rounding, or edges that
/// touch, leave no ear.
fn ears(outline: &[Point]) -> Option<Vec<[usize; 3]>> {
    let mut rest: Vec<usize> = (0..outline.len()).collect();
    let mut triangles = Vec::with_capacity(outline.len() - 2);
    while rest.len() > 3 {
        let count = rest.len();
        let at = (0..count).find(|&at| is_ear(outline, &rest, at))?;
        triangles.push(around(&rest, at));
        rest.remove(at);
    }
    triangles.push([rest[0], rest[1], rest[2]]);
    Some(triangles)
}

/// A corner between its neighbours.
fn around(rest: &[usize], at: usize) -> [usize; 3] {
    let count = rest.len();
    [
        rest[(at + count - 1) % count],
        rest[at],
        rest[(at + 1) % count],
    ]
}

/// Whether the triangle at a corner is inside of the polygon that is left: it turns left, and no
/// other corner is in it.
fn is_ear(outline: &[Point], rest: &[usize], at: usize) -> bool {
    let ear = around(rest, at);
    let [a, b, c] = ear.map(|at| outline[at]);
    let turn = area(a, b, c);
    if turn <= 0.0 {
        // A corner between two edges that go straight on, or back, leaves nothing out.
        return turn == 0.0;
    }
    rest.iter().all(|&other| {
        let point = outline[other];
        let is_corner = ear.contains(&other) || [a, b, c].contains(&point);
        let is_inside =
            area(a, b, point) >= 0.0 && area(b, c, point) >= 0.0 && area(c, a, point) >= 0.0;
        is_corner || !is_inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a polygon in the plane z = 0 and how many became fans.
    fn triangles(points: &[[f32; 2]]) -> (Vec<[u32; 3]>, Fans) {
        let position = |at: u32| {
            let [x, y] = points[at as usize];
            Vec3::new(x, y, 0.0)
        };
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let (mut triangles, mut fans) = (Vec::new(), Fans::default());
        fans.triangulate(7, &corners, position, &mut triangles);
        (triangles, fans)
    }

    /// Signed areas of a polygon's triangles, and its own.
    fn areas(points: &[[f32; 2]], triangles: &[[u32; 3]]) -> (Vec<f64>, f64) {
        let point = |at: usize| {
            let [x, y] = points[at % points.len()];
            [f64::from(x), f64::from(y)]
        };
        let all = (0..points.len()).map(|at| area([0.0; 2], point(at), point(at + 1)));
        let parts = triangles.iter().map(|corners| {
            let [a, b, c] = corners.map(|at| point(at as usize));
            area(a, b, c)
        });
        (parts.collect(), all.sum())
    }

    #[test]
    fn convex_polygons_are_fans() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0]];
        let (fan, fans) = triangles(&square);
        assert_eq!(
            (&fan[..], fans.count),
            (&[[0, 1, 2], [0, 2, 3], [0, 3, 4]][..], 0)
        );
        let backwards: Vec<[f32; 2]> = square.iter().rev().copied().collect();
        assert_eq!(triangles(&backwards).0, fan);
        // Nothing to see of it, or everything on a line.
        assert_eq!(triangles(&[[1.0, 1.0]; 6]).0.len(), 4);
        assert_eq!(
            triangles(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
                .1
                .count,
            0
        );
    }

    #[test]
    fn notches_are_left_out() {
        let arrow = [[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]];
        let turned = [[1.0, 1.0], [0.0, 4.0], [0.0, 0.0], [4.0, 0.0]];
        let comb = [
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        for points in [&arrow[..], &turned, &comb] {
            for turn in 0..points.len() {
                let mut points = points.to_vec();
                points.rotate_left(turn);
                for is_back in [false, true] {
                    if is_back {
                        points.reverse();
                    }
                    let (found, fans) = triangles(&points);
                    assert_eq!(
                        (found.len(), fans.count),
                        (points.len() - 2, 0),
                        "{points:?}"
                    );
                    let (parts, all) = areas(&points, &found);
                    let same_side = parts.iter().all(|part| part * all >= 0.0);
                    assert!(same_side, "{points:?}: {found:?}");
                    let sum: f64 = parts.iter().sum();
                    assert!((sum - all).abs() < 1e-9, "{points:?}: {sum} of {all}");
                }
            }
        }
    }

    #[test]
    fn what_crosses_itself_is_a_fan_and_counted() {
        let bow = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.5]];
        let one = Fans {
            count: 1,
            first: Some(7),
        };
        assert_eq!(triangles(&bow), (vec![[0, 1, 2], [0, 2, 3]], one));
        let star = [0.0_f32, 144.0, 288.0, 72.0, 216.0].map(|angle| {
            let (sin, cos) = angle.to_radians().sin_cos();
            [cos, sin]
        });
        assert_eq!(triangles(&star).1, one);
        let even = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]];
        assert_eq!(triangles(&even).1, one);
    }

    #[test]
    fn many_corners_take_linear_time() {
        let zigzag: Vec<[f32; 2]> = (0..300_000)
            .map(|at| [at as f32, (at % 2) as f32])
            .chain([[1.0, 1e6]])
            .collect();
        let (found, fans) = triangles(&zigzag);
        assert_eq!((found.len(), fans.count), (zigzag.len() - 2, 1));
    }
}
