//! Normals of vertices, where nodes turn them.

use std::ops::Range;

use super::accessor::Accessors;
use super::attribute::LeftOut;
use super::transform::Affine;
use crate::Warning;
use crate::normals::{Faults, NO_NORMAL, completed, sound};
use glam::Vec3;
use gltf_json::{Accessor, Index};

/// More bytes of a vertex, and of a triangle, with normals.
pub(super) const VERTEX_BYTES: u64 = 12;
pub(super) const CORNER_BYTES: u64 = 36;

/// Normals of the primitives placed so far.
#[derive(Default)]
pub(super) struct Normals {
    /// Normals of the first vertices, up to the last one that has some.
    of_vertices: Vec<Vec3>,
    faults: Faults,
    left_out: LeftOut,
}

impl Normals {
    /// Appends those of the latest vertices, which a node has placed by `map`.
    pub fn lay(
        &mut self,
        accessors: &mut Accessors,
        place: &str,
        index: Index<Accessor>,
        map: &Affine,
        vertices: Range<usize>,
    ) {
        let read = Accessors::normals;
        let found = self
            .left_out
            .or_elements(accessors, (place, index), vertices.len(), read);
        let Some(found) = found else {
            return;
        };
        let map = map.of_normals();
        self.of_vertices.resize(vertices.start, NO_NORMAL);
        for normal in found {
            let (_, is_faulty) = sound(normal.map(f64::from));
            // A node that leaves no space may leave no normals either.
            let (moved, _) = sound(map.direction(normal.map(f64::from)));
            self.faults.count(is_faulty, None);
            self.of_vertices.push(moved);
        }
    }

    /// The normals of triangles, and the warnings about them.
    pub fn of_triangles(
        self,
        name: &str,
        triangles: &[[u32; 3]],
        vertices: &[Vec3],
    ) -> (Vec<[Vec3; 3]>, Vec<Warning>) {
        let mut warnings = self.left_out.warnings(name, "normals");
        warnings.extend(self.faults.warning(name));
        if self.of_vertices.is_empty() {
            return (Vec::new(), warnings);
        }
        let of_vertex = |vertex: u32| {
            let normal = self.of_vertices.get(vertex as usize);
            normal.copied().unwrap_or(NO_NORMAL)
        };
        let read = triangles.iter().map(|corners| corners.map(of_vertex));
        (completed(read.collect(), triangles, vertices), warnings)
    }
}
