//! The vertices of primitives where nodes place them, and those among them that cannot be rendered.

use super::{Placed, Walk};
use crate::MAX_COORDINATE;
use crate::error::GltfProblem;
use crate::precision::relative;
use gltf_json::Index;

/// The vertices of a primitive where its node places them.
pub(super) struct Vertices {
    /// Positions before the node moves them.
    pub positions: Vec<[f32; 3]>,
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
        let mut found = Vec::new();
        for (vertex, position) in positions.iter().enumerate() {
            let position = position.map(f64::from);
            let moved = placed.map.point(position);
            let of_file = position.iter().find(unsound);
            if let Some(&value) = of_file.or_else(|| moved.iter().find(unsound)) {
                found.push(Unsound {
                    vertex,
                    value,
                    is_moved: of_file.is_none(),
                });
            }
            self.vertices.push(relative(moved, self.offset));
        }
        Ok(Vertices {
            positions,
            unsound: found,
        })
    }
}
