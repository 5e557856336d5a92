//! Materials, textures, lights and sky on a backend.

use super::details::Details;
use super::lighting::Lighting;
use crate::backend::{Backend, BackendError, Memory, memory_of};

/// The light of a scene, copied to a backend: once for all pictures of it.
pub struct PlacedLighting<'a> {
    backend: &'a dyn Backend,
    pub(super) lighting: &'a Lighting,
    pub(super) materials: Memory,
    pub(super) material_of: Memory,
    pub(super) lights: Memory,
    pub(super) sky: Memory,
    pub(super) delta_lights: Memory,
    pub(super) details: Option<Details>,
}

impl<'a> PlacedLighting<'a> {
    /// Whether this is what was copied, and this is where it is.
    pub(super) fn is_of(&self, lighting: &Lighting, backend: &dyn Backend) -> bool {
        std::ptr::eq(self.lighting, lighting) && std::ptr::addr_eq(self.backend, backend)
    }

    /// Copies it.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn new(backend: &'a dyn Backend, lighting: &'a Lighting) -> Result<Self, BackendError> {
        let sky = [lighting.sky.zenith, lighting.sky.nadir].map(|radiance| radiance.to_array());
        let (details, materials) = match Details::new(backend, lighting)? {
            Some((details, materials)) => (Some(details), materials),
            None => (None, memory_of(backend, &lighting.materials)?),
        };
        Ok(Self {
            backend,
            lighting,
            details,
            materials,
            material_of: memory_of(backend, &lighting.material_of)?,
            lights: memory_of(backend, &lighting.lights)?,
            sky: memory_of(backend, &sky)?,
            delta_lights: memory_of(backend, &lighting.delta_lights)?,
        })
    }
}
