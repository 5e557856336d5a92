//! Normals of vertices, where nodes turn them.

use std::ops::Range;

use super::accessor::Accessors;
use super::transform::Affine;
use crate::Warning;
use crate::normals::{Faults, NO_NORMAL, completed, sound};
use glam::Vec3;
use gltf_json::{Accessor, Index};

/// More bytes of a vertex, and of a triangle, with normals.
pub(super) const VERTEX_BYTES: u64 = 12;
pub(super) const CORNER_BYTES: u64 = 36;

/// What primitives placed so far have.
#[derive(Default)]
pub(super) struct Normals {
    /// Of the first vertices, up to the last one that has some.
    of_vertices: Vec<Vec3>,
    faults: Faults,
    /// Accessors that cannot be read: where they are, and why.
    left_out: Vec<(String, String)>,
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
        let count = vertices.len();
        let found = match accessors.get(index, place).map(|about| about.count.0) {
            Ok(others) if others != count as u64 => {
                Err(format!("it has {others} elements for {count} vertices"))
            }
            Ok(_) => (accessors.normals(index, place)).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match found {
            Ok(found) => {
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
            Err(cause) => {
                let place = format!("accessors[{index}]");
                if !self.left_out.iter().any(|(other, _)| *other == place) {
                    self.left_out.push((place, cause));
                }
            }
        }
    }

    /// Those of triangles, and what there is to say about them.
    pub fn of_triangles(
        self,
        name: &str,
        triangles: &[[u32; 3]],
        vertices: &[Vec3],
    ) -> (Vec<[Vec3; 3]>, Vec<Warning>) {
        let left_out = |(place, cause)| Warning::LeftOut {
            path: name.to_owned(),
            what: format!("{place}, of normals,"),
            cause,
        };
        let mut warnings: Vec<Warning> = self.left_out.into_iter().map(left_out).collect();
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
