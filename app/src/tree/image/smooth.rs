//! Normals of triangles' corners: those of a lighting, and what is between them.

use glam::Vec3;
use heapwood_device::render::{CornerNormals, smooth_normal};

use super::delta_lights::unit;
use super::lighting::Lighting;

impl Lighting {
    /// The normal by which the point of a triangle with these weights of its corners scatters
    /// light, seen along `direction`; `own`, of length 1, is that of the triangle at the side of
    /// the eye.
    pub(super) fn normal_at(
        &self,
        triangle: u32,
        weights: [f32; 3],
        own: Vec3,
        direction: Vec3,
    ) -> Vec3 {
        match self.normals.get(triangle as usize) {
            Some(corners) => smooth_normal(*corners, weights, own, -unit(direction)),
            None => own,
        }
    }

    /// The same with these normals of triangles' corners in place of others: of length 1, or of
    /// length 0 where a corner has none.
    ///
    /// # Panics
    ///
    /// If there are not those of each triangle.
    pub fn with_normals(self, normals: Vec<CornerNormals>) -> Self {
        assert_eq!(normals.len(), self.material_of.len());
        Self {
            normals,
            is_flat: false,
            ..self
        }
    }

    /// The same without normals of corners.
    pub fn flat(self) -> Self {
        Self {
            is_flat: self.is_flat || !self.normals.is_empty(),
            normals: Vec::new(),
            ..self
        }
    }

    /// Whether normals of the scene were left out.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }
}
