//! Colours of vertices (`COLOR_0`), which are linear.

use std::ops::Range;

use super::accessor::Accessors;
use super::attribute::LeftOut;
use super::material::is_opaque;
use crate::Warning;
use crate::colours::{CornerColours, WHITE, sound, visible, warning};
use gltf_json::{Accessor, Index, Root};

/// More bytes of a vertex, and of a triangle, with colours.
pub(super) const VERTEX_BYTES: u64 = 16;
pub(super) const CORNER_BYTES: u64 = 48;

/// Colours of the primitives placed so far.
#[derive(Default)]
pub(super) struct Colours {
    /// Colours of the first vertices, up to the last one that has some.
    of_vertices: Vec<[f32; 4]>,
    faulty: usize,
    left_out: LeftOut,
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
        let read = Accessors::colours;
        let found = self
            .left_out
            .or_elements(accessors, (place, index), vertices.len(), read);
        let Some(found) = found else {
            return;
        };
        self.of_vertices.resize(vertices.start, WHITE);
        for colour in found {
            let (colour, is_faulty) = sound(colour);
            self.faulty += usize::from(is_faulty);
            self.of_vertices.push(colour);
        }
    }

    /// The colours of triangles with these materials, and the warnings about them. Alpha has no
    /// effect on materials that are opaque.
    pub fn of_triangles(
        self,
        name: &str,
        root: &Root,
        triangles: &[[u32; 3]],
        material_of: &[u32],
    ) -> (Vec<CornerColours>, Vec<Warning>) {
        let mut warnings = self.left_out.warnings(name, "colours");
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
