//! Tracing rays through a tree on its backend.

use heapwood_device::launch::Call;
use heapwood_device::render::{Hit, SceneArguments, Trace, TraceArguments};

use super::device_tree::{DeviceTree, TreeView};
use super::scale::Scale;
use crate::backend::{BackendError, Grid, Launch, memory_of};

/// A ray: the points at `origin + t * direction` for all `t` from 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: [f32; 3],
    /// Its direction, of any length but 0, in which `t` is measured.
    pub direction: [f32; 3],
}

impl DeviceTree<'_> {
    /// The closest hit of each ray.
    ///
    /// [`Hit::triangle`] is an index of the triangles that the tree was built of: of
    /// [`Scene::triangle`](heapwood_scenes::Scene::triangle), after polygons were divided and
    /// the scene was cleaned. [`Scene::face`](heapwood_scenes::Scene::face) maps it to the face of
    /// the file.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, and faults of the backend.
    ///
    /// # Panics
    ///
    /// For 2^32 rays or more.
    pub fn trace(&self, rays: &[Ray]) -> Result<Vec<Hit>, BackendError> {
        trace_view(&self.view()?, rays)
    }
}

/// The closest hits in a tree that is on a backend, of rays in the scene.
pub(super) fn trace_view(tree: &TreeView, rays: &[Ray]) -> Result<Vec<Hit>, BackendError> {
    let backend = tree.backend;
    let count = u32::try_from(rays.len()).expect("less than 2^32 rays");
    let directions = rays.iter();
    let directions = directions.map(|ray| Scale::of_direction(&ray.direction));
    let directions: Vec<Scale> = directions.collect();
    let floats = rays.iter().zip(&directions);
    let floats = floats.map(|(ray, scale)| {
        let origin = tree.scale.point(ray.origin);
        [origin, scale.point(ray.direction)]
    });
    let floats: Vec<[[f32; 3]; 2]> = floats.collect();
    let bounds_memory = memory_of(backend, &[tree.bounds.min, tree.bounds.max])?;
    let rays_memory = memory_of(backend, &floats)?;
    let hits = backend.allocate(4 * u64::from(count))?;
    let parameters = backend.allocate(4 * u64::from(count))?;
    let arguments = TraceArguments {
        scene: SceneArguments {
            nodes: tree.nodes.cast(),
            references: tree.references.cast(),
            triangles: tree.triangles.address().cast(),
            bounds: bounds_memory.address().cast(),
        },
        rays: rays_memory.address().cast(),
        hits: hits.address().cast(),
        parameters: parameters.address().cast(),
        count,
    };
    let launch = Launch {
        call: Call::of::<Trace>(arguments),
        heap: None,
        grid: Grid::Rays(count),
    };
    // SAFETY: a view's tree is whole, and the arrays have an
    // entry for each ray.
    unsafe { backend.launch(&launch)? };
    let triangles: Vec<u32> = hits.download(0, rays.len())?;
    let parameters: Vec<f32> = parameters.download(0, rays.len())?;
    let hits = triangles.into_iter().zip(parameters).zip(directions);
    let hit = |((triangle, t), direction)| {
        let t = tree.scale.parameter(t, direction);
        t.map_or(Hit::NONE, |t| Hit { triangle, t })
    };
    Ok(hits.map(hit).collect())
}
