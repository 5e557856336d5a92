//! Where nodes place their meshes.
//!
//! Maps are composed in `f64` by `+ - * /` and square roots alone, so every machine gets the same
//! positions, and a node without a transform leaves those of its mesh as they are.

use crate::error::GltfProblem;
use gltf_json::Node;
use serde::Deserialize;

/// A vector.
type Vector = [f64; 3];

/// The transform of a node as the file has it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Transform {
    matrix: Option<[f64; 16]>,
    rotation: Option<[f64; 4]>,
    scale: Option<Vector>,
    translation: Option<Vector>,
}

impl Transform {
    /// That of a node whose numbers were read as `f32`.
    pub fn of(node: &Node) -> Self {
        Self {
            matrix: node.matrix.map(|matrix| matrix.map(f64::from)),
            rotation: node.rotation.as_ref().map(|r| r.0.map(f64::from)),
            scale: node.scale.map(|scale| scale.map(f64::from)),
            translation: node.translation.map(|way| way.map(f64::from)),
        }
    }
}

/// An affine map: where it takes the axes, and the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    axes: [Vector; 3],
    origin: Vector,
}

impl Affine {
    /// The map that moves nothing.
    pub const IDENTITY: Self = Self {
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        origin: [0.0; 3],
    };

    /// The map from the space of the node with this number to that of its parent.
    pub fn of(number: usize, transform: &Transform) -> Result<Self, GltfProblem> {
        let fault = |fault| GltfProblem::Transform {
            node: number,
            fault,
        };
        let map = if let Some(matrix) = &transform.matrix {
            let column = |at: usize| [0, 1, 2].map(|row| matrix[4 * at + row]);
            if [3, 7, 11, 15].map(|at| matrix[at] as f32) != [0.0, 0.0, 0.0, 1.0] {
                return Err(fault("a matrix whose last row is not 0 0 0 1"));
            }
            Self {
                axes: [0, 1, 2].map(column),
                origin: column(3),
            }
        } else {
            let axes = rotated_axes(transform.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            let axes = axes.ok_or_else(|| fault("a rotation of length 0"))?;
            let scale = transform.scale.unwrap_or([1.0; 3]);
            Self {
                axes: [0, 1, 2].map(|at| axes[at].map(|value| value * scale[at])),
                origin: transform.translation.unwrap_or([0.0; 3]),
            }
        };
        map.checked(number)
    }

    /// This map after `other`, for the node with this number.
    pub fn after(self, other: Self, number: usize) -> Result<Self, GltfProblem> {
        let map = Self {
            axes: other.axes.map(|axis| self.direction(axis)),
            origin: self.point(other.origin),
        };
        map.checked(number)
    }

    /// Where a point goes.
    pub fn point(&self, point: Vector) -> Vector {
        let moved = self.direction(point);
        [0, 1, 2].map(|row| moved[row] + self.origin[row])
    }

    /// Whether right-handed corners become left-handed ones.
    pub fn mirrors(&self) -> bool {
        let [a, b, c] = self.axes;
        let cross = |u: usize, v: usize| b[u] * c[v] - b[v] * c[u];
        a[0] * cross(1, 2) + a[1] * cross(2, 0) + a[2] * cross(0, 1) < 0.0
    }

    /// The map of normals, but for their lengths: the inverse transpose of this one's axes, up to
    /// a factor above 0. Where axes lie in a plane, it leads to the plane's normal.
    pub fn of_normals(&self) -> Self {
        // Products of what may be as large as floats allow stay finite.
        let largest = |largest: f64, part: &f64| part.abs().max(largest);
        let largest = self.axes.as_flattened().iter().fold(0.0, largest);
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        let [a, b, c] = self.axes.map(|axis| axis.map(|part| part / scale));
        let cross = |p: Vector, q: Vector| {
            [(1, 2), (2, 0), (0, 1)].map(|(u, v)| sign * (p[u] * q[v] - p[v] * q[u]))
        };
        Self {
            axes: [cross(b, c), cross(c, a), cross(a, b)],
            origin: [0.0; 3],
        }
    }

    /// Where a direction goes.
    pub fn direction(&self, [x, y, z]: Vector) -> Vector {
        let [a, b, c] = self.axes;
        [0, 1, 2].map(|row| a[row] * x + b[row] * y + c[row] * z)
    }

    /// This map if all of its numbers are finite.
    fn checked(self, node: usize) -> Result<Self, GltfProblem> {
        let mut numbers = self.axes.as_flattened().iter().chain(&self.origin);
        if numbers.all(|number| number.is_finite()) {
            return Ok(self);
        }
        let fault = "a transform with a number that is not finite";
        Err(GltfProblem::Transform { node, fault })
    }
}

/// Where a rotation takes the axes; none for a quaternion of length 0. Exporters round, so that
/// the length is not quite 1.
fn rotated_axes([x, y, z, w]: [f64; 4]) -> Option<[Vector; 3]> {
    let square = x * x + y * y + z * z + w * w;
    if square == 0.0 {
        return None;
    }
    let twice = 2.0 / square;
    Some([
        [
            1.0 - twice * (y * y + z * z),
            twice * (x * y + w * z),
            twice * (x * z - w * y),
        ],
        [
            twice * (x * y - w * z),
            1.0 - twice * (x * x + z * z),
            twice * (y * z + w * x),
        ],
        [
            twice * (x * z + w * y),
            twice * (y * z - w * x),
            1.0 - twice * (x * x + y * y),
        ],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(json: &str) -> Transform {
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, "nodes": [{json}]}}"#);
        Transform::of(&gltf_json::Root::from_str(&text).unwrap().nodes[0])
    }

    #[test]
    fn parts_are_composed_in_the_order_of_the_format() {
        // Scaled, then turned by 90 degrees about z (of any length), then moved.
        let map = Affine::of(
            0,
            &node(r#"{"translation": [5, 6, 7], "rotation": [0, 0, 3, 3], "scale": [2, 3, 4]}"#),
        );
        let map = map.unwrap();
        assert_eq!(map.point([1.0, 0.0, 0.0]), [5.0, 8.0, 7.0]);
        assert_eq!(map.point([0.0, 1.0, 1.0]), [2.0, 6.0, 11.0]);
        assert!(!map.mirrors());
        let mirror = Affine::of(0, &node(r#"{"scale": [1, -1, 1]}"#)).unwrap();
        assert!(mirror.mirrors());
        let both = mirror.after(map, 0).unwrap();
        assert_eq!(both.point([1.0, 0.0, 0.0]), [5.0, -8.0, 7.0]);
        assert!(both.mirrors() && !both.after(mirror, 0).unwrap().mirrors());
        assert_eq!(Affine::of(0, &node("{}")).unwrap(), Affine::IDENTITY);
    }

    #[test]
    fn normals_stay_upright() {
        for (json, corners) in [
            (
                r#"{"rotation": [1, 2, 3, 4], "scale": [2, 3, 4]}"#,
                [0, 1, 2],
            ),
            (
                r#"{"rotation": [1, 2, 3, 4], "scale": [2, -3, 4]}"#,
                [0, 2, 1],
            ),
            (r#"{"scale": [1e-38, 1e-30, -1e-35]}"#, [0, 2, 1]),
            (
                r#"{"matrix": [1, 0, 0, 0, 5, 1, 0, 0, 7, -3, 1, 0, 0, 0, 0, 1]}"#,
                [0, 1, 2],
            ),
            (r#"{"scale": [1e38, 1e30, 1e35]}"#, [0, 1, 2]),
        ] {
            let map = Affine::of(0, &node(json)).unwrap();
            // A triangle and its normal. Where the node mirrors, corners are turned around.
            let triangle = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
            let normal = map.of_normals().direction([6.0, 3.0, 2.0]);
            let [a, b, c] = corners.map(|corner: usize| map.point(triangle[corner]));
            let unit = |v: Vector| {
                let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
                v.map(|part| part / length)
            };
            let side = |end: Vector| unit([0, 1, 2].map(|axis| end[axis] - a[axis]));
            let (p, q) = (side(b), side(c));
            let cross = [(1, 2), (2, 0), (0, 1)].map(|(u, v)| p[u] * q[v] - p[v] * q[u]);
            let (found, expected) = (unit(normal), unit(cross));
            for axis in 0..3 {
                let difference = found[axis] - expected[axis];
                assert!(
                    difference.abs() < 1e-9,
                    "{json}: {found:?} for {expected:?}"
                );
            }
        }
        let flat = Affine::of(0, &node(r#"{"scale": [2, 3, 0]}"#)).unwrap();
        let [x, y, z] = flat.of_normals().direction([1.0, 1.0, 1.0]);
        assert!(x == 0.0 && y == 0.0 && z > 0.0);
        let line = Affine::of(0, &node(r#"{"scale": [2, 0, 0]}"#)).unwrap();
        assert_eq!(line.of_normals().direction([1.0, 1.0, 1.0]), [0.0; 3]);
    }

    #[test]
    fn matrices_have_columns_and_are_affine() {
        let map = node(r#"{"matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1]}"#);
        let map = Affine::of(0, &map).unwrap();
        assert_eq!(map.point([1.0, 2.0, 3.0]), [5.0, 9.0, 12.0]);
        for (json, words) in [
            (
                r#"{"matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}"#,
                "last row",
            ),
            (r#"{"rotation": [0, 0, 0, 0]}"#, "length 0"),
        ] {
            let problem = Affine::of(3, &node(json)).unwrap_err().to_string();
            assert!(
                problem.starts_with("nodes[3] has ") && problem.contains(words),
                "{problem}"
            );
        }
        // Whether text may name one depends on the features of serde_json.
        let mut node = node("{}");
        node.translation = Some([f64::INFINITY, 0.0, 0.0]);
        let problem = Affine::of(3, &node).unwrap_err().to_string();
        assert!(problem.contains("not finite"), "{problem}");
    }
}
