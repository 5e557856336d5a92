//! A second look at checked text, for what few files need: what coordinates lose as 32-bit floats.

use super::faces::{corners, faces, lines};
use super::scan::Scan;
use crate::precision::{Loss, Sizes, choose_offset, relative};
use glam::DVec3;
use rayon::prelude::*;

/// The offset of a file, `given` or its own, to which positions are made relative, and what triangles
/// lose all the same.
pub(super) fn settle_offset(
    models: &mut [tobj::Model],
    scan: &Scan,
    given: Option<DVec3>,
) -> (DVec3, Loss) {
    let is_moved = given.is_some_and(|offset| offset != DVec3::ZERO);
    let sizes = || Sizes::of(models.par_iter().flat_map_iter(|model| fans(&model.mesh)));
    if !is_moved && !sizes().may_lose() {
        return (DVec3::ZERO, Loss::default());
    }
    let exact = Exact::of(scan);
    let (offset, loss) = choose_offset(given, |offset| exact.loss(offset));
    if offset != DVec3::ZERO {
        exact.move_meshes(models, &corners(&scan.body), offset);
    }
    (offset, loss)
}

/// The rounded corners of a mesh's triangles. Polygons count as fans.
fn fans(mesh: &tobj::Mesh) -> impl Iterator<Item = [[f64; 3]; 3]> {
    // No arities are those of triangles.
    let faces = match mesh.face_arities.len() {
        0 => mesh.indices.len() / 3,
        faces => faces,
    };
    let mut rest = mesh.indices.as_slice();
    let faces = (0..faces).map(move |face| {
        let corners = mesh
            .face_arities
            .get(face)
            .map_or(3, |&arity| arity as usize);
        let (face, others) = rest.split_at(corners);
        rest = others;
        face
    });
    let positions = mesh.positions.as_chunks().0;
    let corner = |&at: &u32| -> [f64; 3] { positions[at as usize].map(f64::from) };
    faces.flat_map(move |face| {
        let pairs = face.windows(2).skip(1);
        pairs.map(move |pair| [&face[0], &pair[0], &pair[1]].map(corner))
    })
}

/// Positions before they are rounded, and the triangles between them.
pub(super) struct Exact {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Exact {
    /// Those of a file. Polygons count as fans.
    pub fn of(scan: &Scan) -> Self {
        let vertices = lines(&scan.vertices).map(vertex).collect();
        let mut triangles = Vec::new();
        for face in faces(&scan.body) {
            let corners: Vec<u32> = face.map(|vertex| vertex as u32 - 1).collect();
            let rest = corners.windows(2).skip(1);
            triangles.extend(rest.map(|pair| [corners[0], pair[0], pair[1]]));
        }
        Self {
            vertices,
            triangles,
        }
    }

    /// What the triangles lose relative to an offset.
    pub fn loss(&self, offset: DVec3) -> Loss {
        Loss::of(|at| self.vertices[at as usize], &self.triangles, offset)
    }

    /// Makes the positions of all meshes relative to an offset. `corners` has the vertex of each
    /// corner of their faces.
    pub fn move_meshes(&self, models: &mut [tobj::Model], corners: &[u32], offset: DVec3) {
        let mut corners = corners.iter();
        for tobj::Model { mesh, .. } in models {
            for (&at, &vertex) in mesh.indices.iter().zip(&mut corners) {
                let position = relative(self.vertices[vertex as usize], offset);
                let first = 3 * at as usize;
                mesh.positions[first..first + 3].copy_from_slice(&position.to_array());
            }
        }
    }
}

/// The position of a vertex.
fn vertex(line: &str) -> [f64; 3] {
    let mut words = line.split_whitespace().skip(1);
    let mut next = || words.next().and_then(|word| word.parse::<f64>().ok());
    let position = [next(), next(), next()].map(|value| value.unwrap_or(f64::NAN));
    let weight = next().unwrap_or(1.0);
    position.map(|value| value / weight)
}
