//! A mesh under construction.
//!
//! Faces are given counter-clockwise as seen from outside. [`Builder::finish`]
//! rounds to four decimals and cleans, so parts may share faces or have
//! pinched ends.

use crate::clean::positive_zero;
use crate::{CleanOptions, Material, Scene};
use glam::{Vec2, Vec3};

/// Collects triangles, part by part.
pub(super) struct Builder {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    materials: Vec<Material>,
    material_of: Vec<u32>,
    current: u32,
}

impl Builder {
    /// An empty mesh that uses `materials`, the first one to start with.
    pub fn new(materials: Vec<Material>) -> Builder {
        Builder {
            vertices: Vec::new(),
            triangles: Vec::new(),
            materials,
            material_of: Vec::new(),
            current: 0,
        }
    }

    /// Triangles so far.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Chooses the material of what follows.
    pub fn material(&mut self, material: u32) {
        self.current = material;
    }

    /// Adds a vertex and returns its index.
    pub fn vertex(&mut self, position: Vec3) -> u32 {
        self.vertices.push(position);
        self.vertices.len() as u32 - 1
    }

    /// Adds a triangle between existing vertices.
    pub fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
        self.material_of.push(self.current);
    }

    /// Adds a quadrilateral between existing vertices.
    pub fn patch(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// Adds a quadrilateral with vertices of its own.
    pub fn quad(&mut self, corners: [Vec3; 4]) {
        let corners = corners.map(|corner| self.vertex(corner));
        self.patch(corners);
    }

    /// Adds a box with eight vertices of its own.
    pub fn cuboid(&mut self, min: Vec3, max: Vec3) {
        let v: [u32; 8] = crate::Bounds { min, max }
            .corners()
            .map(|corner| self.vertex(corner));
        for [a, b, c, d] in [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ] {
            self.patch([v[a], v[b], v[c], v[d]]);
        }
    }

    /// Adds a surface of revolution about the vertical through `base`: rings
    /// of `sides` vertices at the given (radius, height), from bottom to top
    /// on the outside. A radius of 0 closes the end.
    pub fn lathe(&mut self, base: Vec3, sides: u32, profile: &[(f32, f32)]) {
        let first = self.vertices.len() as u32;
        for &(radius, height) in profile {
            for side in 0..sides {
                let around = Vec2::from_angle(turn(side, sides)) * radius;
                self.vertex(base + Vec3::new(around.x, height, -around.y));
            }
        }
        for ring in 1..profile.len() as u32 {
            let (below, above) = (first + (ring - 1) * sides, first + ring * sides);
            for side in 0..sides {
                let next = (side + 1) % sides;
                self.patch([below + side, below + next, above + next, above + side]);
            }
        }
    }

    /// Adds a surface of `steps` times `sides` quadrilaterals around a line. `point` gives the
    /// vertices of each of the `steps + 1` rings, counter-clockwise as seen from where the line
    /// leads. Both ends are open.
    pub fn tube(&mut self, steps: u32, sides: u32, point: impl Fn(u32, u32) -> Vec3) {
        let first = self.vertices.len() as u32;
        for step in 0..=steps {
            self.vertices
                .extend((0..sides).map(|side| point(step, side)));
        }
        for step in 0..steps {
            let (below, above) = (first + step * sides, first + (step + 1) * sides);
            for side in 0..sides {
                let next = (side + 1) % sides;
                self.patch([below + side, below + next, above + next, above + side]);
            }
        }
    }

    /// Adds a closed surface as [`tube`](Self::tube) does, whose first and last ring are a point.
    pub fn spindle(&mut self, steps: u32, sides: u32, point: impl Fn(u32, u32) -> Vec3) {
        let bottom = self.vertex(point(0, 0));
        let first = bottom + 1;
        self.tube(steps - 2, sides, |step, side| point(step + 1, side));
        let top = self.vertex(point(steps, 0));
        let last = top - sides;
        for side in 0..sides {
            let next = (side + 1) % sides;
            self.triangle([bottom, first + next, first + side]);
            self.triangle([top, last + side, last + next]);
        }
    }

    /// Adds a scene of the same materials, each vertex where `place` moves it.
    pub fn add(&mut self, scene: &Scene, place: impl Fn(Vec3) -> Vec3) {
        let base = self.vertices.len() as u32;
        self.vertices
            .extend(scene.vertices().iter().map(|&v| place(v)));
        self.triangles
            .extend(scene.triangles().iter().map(|t| t.map(|v| v + base)));
        self.material_of.extend_from_slice(scene.material_of());
    }

    /// The scene as it was given, neither rounded nor cleaned, but for +0 in place of -0.
    pub fn into_scene(self, name: &str) -> Scene {
        let Self {
            mut vertices,
            triangles,
            materials,
            material_of,
            ..
        } = self;
        vertices.iter_mut().for_each(|v| *v = positive_zero(*v));
        let scene = Scene::new(name, vertices, triangles, materials, material_of);
        scene.expect("a builder's indices are its own")
    }

    /// The finished scene.
    ///
    /// # Panics
    /// If nothing with an area was added.
    pub fn finish(self, name: &str) -> Scene {
        let vertices = self.vertices.into_iter().map(four_decimals).collect();
        let scene = Self { vertices, ..self }.into_scene(name);
        let cleaned = scene.clean(CleanOptions::default());
        cleaned.expect("something with an area was added").0
    }
}

/// The angle in radians of step `i` of `n` around the circle.
pub(super) fn turn(i: u32, n: u32) -> f32 {
    std::f32::consts::TAU * i as f32 / n as f32
}

/// The `f32` nearest to `v` with four decimals, which prints as such.
fn four_decimals(v: Vec3) -> Vec3 {
    Vec3::from_array(
        v.to_array()
            .map(|x| ((f64::from(x) * 1e4).round() / 1e4) as f32),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the signed volume; positive if faces look outwards.
    fn volume(scene: &Scene) -> f32 {
        let positions = scene.positions();
        positions.iter().map(|[a, b, c]| a.dot(b.cross(*c))).sum()
    }

    #[test]
    fn boxes_are_closed_and_look_outwards() {
        let mut builder = Builder::new(vec![Material::default()]);
        builder.cuboid(Vec3::splat(1.0), Vec3::new(2.0, 3.0, 4.0));
        let scene = builder.finish("box");
        assert_eq!(scene.len(), 12);
        assert!((volume(&scene) - 6.0 * 6.0).abs() < 1e-4);
    }

    #[test]
    fn a_closed_lathe_has_the_volume_of_its_prism() {
        let mut builder = Builder::new(vec![Material::default()]);
        builder.lathe(
            Vec3::X,
            6,
            &[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)],
        );
        let scene = builder.finish("prism");
        assert_eq!(scene.len(), 6 + 12 + 6);
        let hexagon = 1.5 * 3f32.sqrt();
        assert!((volume(&scene) / 6.0 - 2.0 * hexagon).abs() < 1e-3);
    }

    #[test]
    fn four_decimals_print_as_four_decimals() {
        let v = four_decimals(Vec3::new(1.0 / 3.0, -12.345678, 0.00001));
        assert_eq!(format!("{} {} {}", v.x, v.y, v.z), "0.3333 -12.3457 0");
    }
}
