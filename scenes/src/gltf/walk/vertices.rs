//! The vertices of primitives where nodes place them, and those among them that cannot be rendered.

use super::{Placed, Walk};
use crate::MAX_COORDINATE;
use crate::gltf::GltfProblem;
use glam::Vec3;
use gltf_json::Index;

/// The vertices of a primitive where its node places them.
pub(super) struct Vertices {
    /// Before they are rounded, if the node moves them.
    pub exact: Vec<[f64; 3]>,
    pub count: usize,
    pub unsound: Vec<Unsound>,
}

/// A vertex that cannot be rendered.
pub(super) struct Unsound {
    pub vertex: usize,
    /// A coordinate that is NaN, infinite or too large.
    value: f64,
    /// Whether it was sound before the node moved it.
    is_moved: bool,
}

impl Unsound {
    pub fn refusal(&self, placed: &Placed, index: Index<gltf_json::Accessor>) -> GltfProblem {
        GltfProblem::Coordinate {
            place: match self.is_moved {
                true => format!("nodes[{}]", placed.node),
                false => format!("accessors[{index}]"),
            },
            vertex: self.vertex,
            value: self.value,
        }
    }
}

impl Walk<'_> {
    /// Appends the positions of a primitive where its node places them.
    pub(super) fn place(
        &mut self,
        placed: &Placed,
        index: Index<gltf_json::Accessor>,
    ) -> Result<Vertices, GltfProblem> {
        let positions = self.accessors.positions(index, &placed.place)?;
        let unsound = |value: &&f64| value.is_nan() || value.abs() > f64::from(MAX_COORDINATE);
        // Where a node moves nothing, positions are as the file has them.
        let is_moved = placed.map.point([0.0; 3]) != [0.0; 3];
        let mut found = Vertices {
            exact: Vec::with_capacity(if is_moved { positions.len() } else { 0 }),
            count: positions.len(),
            unsound: Vec::new(),
        };
        for (vertex, position) in positions.iter().enumerate() {
            let position = position.map(f64::from);
            let moved = placed.map.point(position);
            let of_file = position.iter().find(unsound);
            if let Some(&value) = of_file.or_else(|| moved.iter().find(unsound)) {
                found.unsound.push(Unsound {
                    vertex,
                    value,
                    is_moved: of_file.is_none(),
                });
            }
            if is_moved {
                found.exact.push(moved);
            }
            self.vertices
                .push(Vec3::from_array(moved.map(|value| value as f32)));
        }
        Ok(found)
    }
}
