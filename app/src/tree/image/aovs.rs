//! Arbitrary output variables (AOVs) of the first hit in the middle of each pixel, which denoisers
//! take.

use heapwood_device::render::{self as device, normal};
use heapwood_scenes::Camera;

use super::super::device_tree::TreeView;
use super::super::trace::{Ray, trace_view};
use super::lighting::Lighting;
use super::shading::Crop;
use crate::backend::BackendError;

/// The first hit of each pixel, row by row from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aovs {
    /// The part of white light that the surface reflects in all; 0 where there is none.
    pub albedo: Vec<[f32; 3]>,
    /// The unit normal by which light is scattered, at the side of the eye: of a smooth surface the
    /// one between those of the triangle's corners, else that of the triangle; 0 where there is
    /// no surface.
    pub normal: Vec<[f32; 3]>,
    /// The distance from the eye; infinite where there is nothing.
    pub depth: Vec<f32>,
}

impl Aovs {
    /// Those of a window.
    pub(super) fn of(
        tree: &TreeView,
        camera: &Camera,
        window: Crop,
        lighting: &Lighting,
    ) -> Result<Self, BackendError> {
        let basis = camera.rays();
        let rows = window.top..window.top + window.height;
        let columns = window.left..window.left + window.width;
        let directions = rows.flat_map(|y| columns.clone().map(move |x| basis.direction(x, y)));
        let directions: Vec<_> = directions.collect();
        let ray = |direction: &glam::Vec3| Ray {
            origin: basis.origin.to_array(),
            direction: direction.to_array(),
        };
        let rays: Vec<Ray> = directions.iter().map(ray).collect();
        let hits = trace_view(tree, &rays)?;
        // Triangles on the backend are scaled.
        let origin = tree.scale.point(basis.origin.to_array()).into();
        let triangles = tree.triangles.download(0, lighting.material_of.len())?;
        let mut aovs = Self::default();
        for (direction, hit) in directions.iter().zip(hits) {
            if !hit.is_some() {
                aovs.albedo.push([0.0; 3]);
                aovs.normal.push([0.0; 3]);
                aovs.depth.push(f32::INFINITY);
                continue;
            }
            let triangle = &triangles[hit.triangle as usize];
            // The ray that was traced, so that it exists; at its hit textures are looked up.
            let ray = device::Ray::new(origin, *direction, &tree.bounds);
            let weights = ray.map(|ray| ray.weights(triangle).map(|weight| weight as f32));
            let weights = weights.unwrap_or_default();
            let material = lighting.material_at(hit.triangle, weights);
            let normal = normal(triangle);
            let facing = if normal.dot(*direction) > 0.0 {
                -normal
            } else {
                normal
            };
            aovs.albedo
                .push((material.diffuse + material.specular).to_array());
            let shown = lighting.normal_at(hit.triangle, weights, facing, *direction);
            aovs.normal.push(shown.to_array());
            aovs.depth.push(hit.t * direction.length());
        }
        Ok(aovs)
    }
}
