//! A second look at checked text, for what few files need: what coordinates lose as 32-bit floats.

use super::faces::{corners, faces, lines};
use super::scan::Scan;
use crate::precision::{Loss, Sizes, choose_offset, relative};
use glam::DVec3;
use rayon::prelude::*;

/// The offset of a file, `given` or its own, to which positions are made relative, and what
/// triangles lose all the same.
pub(super) fn settle_offset(
    models: &mut [tobj::Model],
    scan: &Scan,
    given: Option<DVec3>,
) -> (DVec3, Loss) {
    let is_moved = given.is_some_and(|offset| offset != DVec3::ZERO);
    if !is_moved {
        let rounded = Rounded::of(models);
        if !rounded.sizes.may_lose() {
            return (DVec3::ZERO, Loss::default());
        }
        // So few change that no offset is looked for.
        if !rounded.sizes.is_common(rounded.suspects.len()) {
            let loss = exact_loss(scan, &rounded.suspects).among(rounded.sizes);
            return (DVec3::ZERO, loss);
        }
    }
    let exact = Exact::of(scan);
    let (offset, loss) = choose_offset(given, |offset| exact.loss(offset));
    if offset != DVec3::ZERO {
        exact.move_meshes(models, &corners(&scan.body), offset);
    }
    (offset, loss)
}

/// The triangles of a file as they were rounded. Polygons count as fans.
struct Rounded {
    sizes: Sizes,
    /// Those that may have changed, in the order of the file.
    suspects: Vec<FanTriangle>,
}

/// A triangle of the fan of a polygon.
struct FanTriangle {
    /// The number of the polygon among the faces of the file.
    face: usize,
    /// Its second corner in the polygon; the first is 0, and the third follows.
    second: usize,
}

impl Rounded {
    fn of(models: &[tobj::Model]) -> Self {
        let parts: Vec<(Self, usize)> = models
            .par_iter()
            .map(|model| of_mesh(&model.mesh))
            .collect();
        let mut all = Self {
            sizes: Sizes::default(),
            suspects: Vec::new(),
        };
        let mut above = 0;
        for (part, faces) in parts {
            all.sizes = all.sizes.with(part.sizes);
            let suspects = part.suspects.into_iter();
            all.suspects.extend(suspects.map(|suspect| FanTriangle {
                face: above + suspect.face,
                ..suspect
            }));
            above += faces;
        }
        all
    }
}

/// The triangles of a mesh, whose faces count from 0, and how many faces it has.
fn of_mesh(mesh: &tobj::Mesh) -> (Rounded, usize) {
    let positions = mesh.positions.as_chunks().0;
    let corner = |&at: &u32| -> [f64; 3] { positions[at as usize].map(f64::from) };
    let vertices = positions.iter().map(|vertex| vertex.map(f64::from));
    let mut sizes = Sizes::of_vertices(vertices);
    let (step, mut suspects) = (sizes.step(), Vec::new());
    let mut rest = mesh.indices.as_slice();
    let mut face = 0;
    while !rest.is_empty() {
        // No arities are those of triangles.
        let corners = mesh
            .face_arities
            .get(face)
            .map_or(3, |&arity| arity as usize);
        let (polygon, others) = rest.split_at(corners);
        for second in 1..corners - 1 {
            let triangle = [0, second, second + 1].map(|at| corner(&polygon[at]));
            if sizes.add(triangle, step) {
                suspects.push(FanTriangle { face, second });
            }
        }
        rest = others;
        face += 1;
    }
    (Rounded { sizes, suspects }, face)
}

/// The loss of some triangles, given in the order of the file. Only they are read again.
fn exact_loss(scan: &Scan, suspects: &[FanTriangle]) -> Loss {
    let mut suspects = suspects.iter().peekable();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for (number, face) in faces(&scan.body).enumerate() {
        if suspects.peek().is_none_or(|next| next.face != number) {
            continue;
        }
        let polygon: Vec<u32> = face.map(|vertex| vertex as u32 - 1).collect();
        while let Some(&FanTriangle { second, .. }) = suspects.next_if(|next| next.face == number) {
            triangles.push([0, second, second + 1].map(|at| polygon[at]));
        }
    }
    let mut numbers = triangles.concat();
    numbers.sort_unstable();
    numbers.dedup();
    let mut wanted = numbers.iter().peekable();
    let all = lines(&scan.vertices).enumerate();
    let read = all.filter_map(|(number, line)| {
        let is_wanted = wanted.next_if(|&&next| next as usize == number).is_some();
        is_wanted.then(|| vertex(line))
    });
    let positions: Vec<[f64; 3]> = read.collect();
    let place = |vertex: u32| numbers.binary_search(&vertex).expect("all are there") as u32;
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|corners| corners.map(place)).collect();
    Loss::of(|at| positions[at as usize], &triangles, DVec3::ZERO)
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

    /// The loss of the triangles relative to an offset.
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
