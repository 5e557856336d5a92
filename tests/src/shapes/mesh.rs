//! Meshes as modelling programs compute them: in doubles, vertices shared by faces.

use std::collections::HashMap;
use std::f64::consts::TAU;

/// A point, in doubles.
pub type Point = [f64; 3];

/// Vertices, and faces that are triangles.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The vertices.
    pub vertices: Vec<Point>,
    /// Indices of vertices, counterclockwise as seen from outside.
    pub faces: Vec<[usize; 3]>,
}

impl Mesh {
    /// Adds a vertex.
    pub fn vertex(&mut self, point: Point) -> usize {
        self.vertices.push(point);
        self.vertices.len() - 1
    }

    /// Adds a quadrilateral of two triangles.
    pub fn quad(&mut self, [a, b, c, d]: [usize; 4]) {
        self.faces.extend([[a, b, c], [a, c, d]]);
    }

    /// Adds a closed ring of quadrilaterals between two rings of vertices.
    fn strip(&mut self, lower: &[usize], upper: &[usize]) {
        for index in 0..lower.len() {
            let next = (index + 1) % lower.len();
            self.quad([lower[index], lower[next], upper[next], upper[index]]);
        }
    }

    /// Adds triangles from a ring of vertices to one vertex.
    fn fan(&mut self, ring: &[usize], apex: usize) {
        for index in 0..ring.len() {
            self.faces
                .push([ring[index], ring[(index + 1) % ring.len()], apex]);
        }
    }

    /// The mesh with its points moved.
    pub fn mapped(mut self, place: impl FnMut(Point) -> Point) -> Self {
        self.vertices = self.vertices.into_iter().map(place).collect();
        self
    }

    /// The mesh and its mirror image in the plane x = 0, each with vertices of its own.
    pub fn mirrored(mut self) -> Self {
        let count = self.vertices.len();
        let mirror: Vec<Point> = self.vertices.iter().map(|&[x, y, z]| [-x, y, z]).collect();
        let faces: Vec<_> = self.faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
        self.vertices.extend(mirror);
        self.faces.extend(
            faces
                .into_iter()
                .map(|face| face.map(|vertex| vertex + count)),
        );
        self
    }
}

/// The surface that a profile of radii and heights makes around the y axis: a pole where the
/// radius is 0, a closed tube if the profile is closed.
pub fn revolution(profile: &[[f64; 2]], is_closed: bool, segments: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let rings: Vec<Vec<usize>> = profile
        .iter()
        .map(|&[radius, height]| {
            if radius == 0.0 {
                return vec![mesh.vertex([0.0, height, 0.0])];
            }
            let ring = (0..segments).map(|index| {
                let angle = TAU * index as f64 / segments as f64;
                mesh.vertex([radius * angle.sin(), height, radius * angle.cos()])
            });
            ring.collect()
        })
        .collect();
    let pairs = rings.len() - usize::from(!is_closed);
    for index in 0..pairs {
        match (&rings[index][..], &rings[(index + 1) % rings.len()][..]) {
            (&[pole], ring) => {
                let ring: Vec<usize> = ring.iter().rev().copied().collect();
                mesh.fan(&ring, pole);
            }
            (ring, &[pole]) => mesh.fan(ring, pole),
            (lower, upper) => mesh.strip(lower, upper),
        }
    }
    mesh
}

/// A polygon around 0 in the plane of x and z, pulled up along y in steps and closed by fans
/// around the middle.
pub fn extrusion(polygon: &[[f64; 2]], heights: &[f64]) -> Mesh {
    let mut mesh = Mesh::default();
    let rings: Vec<Vec<usize>> = heights
        .iter()
        .map(|&y| {
            polygon
                .iter()
                .map(|&[z, x]| mesh.vertex([x, y, z]))
                .collect()
        })
        .collect();
    for pair in rings.windows(2) {
        mesh.strip(&pair[0], &pair[1]);
    }
    let (first, last) = (&rings[0], &rings[rings.len() - 1]);
    let bottom = mesh.vertex([0.0, heights[0], 0.0]);
    let top = mesh.vertex([0.0, heights[heights.len() - 1], 0.0]);
    let reversed: Vec<usize> = first.iter().rev().copied().collect();
    mesh.fan(&reversed, bottom);
    mesh.fan(last, top);
    mesh
}

/// A grid of squares, whose vertex of two indices is given.
pub fn grid(columns: usize, rows: usize, vertex: impl Fn(usize, usize) -> Point) -> Mesh {
    let mut mesh = Mesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            mesh.vertex(vertex(column, row));
        }
    }
    let index = |column: usize, row: usize| row * (columns + 1) + column;
    for row in 0..rows {
        for column in 0..columns {
            mesh.quad([
                index(column, row),
                index(column, row + 1),
                index(column + 1, row + 1),
                index(column + 1, row),
            ]);
        }
    }
    mesh
}

/// A cube from -1 to 1 whose faces are grids.
pub fn cube(parts: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known = HashMap::new();
    let at = |index: usize| 2.0 * index as f64 / parts as f64 - 1.0;
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let face = grid(parts, parts, |column, row| {
                let mut point = [side; 3];
                // The other way around on the other side, so that all faces point outwards.
                let column = if side < 0.0 { column } else { parts - column };
                point[(axis + 1) % 3] = at(column);
                point[(axis + 2) % 3] = at(row);
                point
            });
            let mut index = |vertex: usize| {
                let point = face.vertices[vertex];
                let is_new = || mesh.vertex(point);
                *known.entry(point.map(f64::to_bits)).or_insert_with(is_new)
            };
            let faces: Vec<_> = face.faces.iter().map(|face| face.map(&mut index)).collect();
            mesh.faces.extend(faces);
        }
    }
    mesh
}
