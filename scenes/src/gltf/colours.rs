//! Colours of vertices (`COLOR_0`), which are linear.

use std::ops::Range;

use super::accessor::Accessors;
use super::material::is_opaque;
use crate::Warning;
use crate::colours::{CornerColours, WHITE, sound, visible, warning};
use gltf_json::{Accessor, Index, Root};

/// More bytes of a vertex, and of a triangle, with colours.
pub(super) const VERTEX_BYTES: u64 = 16;
pub(super) const CORNER_BYTES: u64 = 48;

/// What primitives placed so far have.
#[derive(Default)]
pub(super) struct Colours {
    /// Of the first vertices, up to the last one that has some.
    of_vertices: Vec<[f32; 4]>,
    faulty: usize,
    /// Accessors that cannot be read: where they are, and why.
    left_out: Vec<(String, String)>,
}

impl Colours {
    /// Appends those of the latest vertices.
    pub fn lay(
        &mut self,
        accessors: &mut Accessors,
        place: &str,
        index: Index<Accessor>,
        vertices: Range<usize>,
    ) {
        let count = vertices.len();
        let found = match accessors.get(index, place).map(|about| about.count.0) {
            Ok(others) if others != count as u64 => {
                Err(format!("it has {others} elements for {count} vertices"))
            }
            Ok(_) => (accessors.colours(index, place)).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match found {
            Ok(found) => {
                self.of_vertices.resize(vertices.start, WHITE);
                for colour in found {
                    let (colour, is_faulty) = sound(colour);
                    self.faulty += usize::from(is_faulty);
                    self.of_vertices.push(colour);
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

    /// Those of triangles with these materials, and what there is to say about them. Alpha has no
    /// effect on materials that are opaque.
    pub fn of_triangles(
        self,
        name: &str,
        root: &Root,
        triangles: &[[u32; 3]],
        material_of: &[u32],
    ) -> (Vec<CornerColours>, Vec<Warning>) {
        let left_out = |(place, cause)| Warning::LeftOut {
            path: name.to_owned(),
            what: format!("{place}, of colours,"),
            cause,
        };
        let mut warnings: Vec<Warning> = self.left_out.into_iter().map(left_out).collect();
        warnings.extend(warning(name, self.faulty, None));
        if self.of_vertices.is_empty() {
            return (Vec::new(), warnings);
        }
        let of_vertex = |vertex: u32| self.of_vertices.get(vertex as usize).copied();
        let of_triangle = |(corners, &material): (&[u32; 3], &u32)| {
            let is_opaque = root.materials.get(material as usize).is_none_or(is_opaque);
            corners.map(|vertex| {
                let [red, green, blue, alpha] = of_vertex(vertex).unwrap_or(WHITE);
                [red, green, blue, if is_opaque { 1.0 } else { alpha }]
            })
        };
        let all = triangles.iter().zip(material_of).map(of_triangle);
        (visible(all.collect()), warnings)
    }
}
