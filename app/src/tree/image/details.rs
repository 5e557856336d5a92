//! Details that only some scenes have, on a backend: textures, colours and normals of corners, and
//! an environment image.

use bytemuck::cast_slice;
use heapwood_device::render::{DetailedPathArguments, PathArguments, TEXTURED_WORDS};

use super::lighting::Lighting;
use super::textured::plain;
use crate::backend::{Backend, BackendError, Memory, memory_of};

/// Copies of what the kernel for scenes with details reads.
pub(super) struct Details {
    coordinates: Option<Memory>,
    textures: Option<Memory>,
    environment: Option<Memory>,
    normals: Option<Memory>,
}

/// The address of memory, or null.
fn address<T>(memory: Option<&Memory>) -> *mut T {
    memory.map_or(std::ptr::null_mut(), |memory| memory.address().cast())
}

impl Details {
    /// Those of a scene, and its materials with the numbers of their textures; none if it has none.
    pub fn new(
        backend: &dyn Backend,
        lighting: &Lighting,
    ) -> Result<Option<(Self, Memory)>, BackendError> {
        let Lighting {
            textured,
            environment,
            normals,
            ..
        } = lighting;
        if textured.is_none() && environment.is_none() && normals.is_empty() {
            return Ok(None);
        }
        let textured = textured.as_ref();
        let materials = match textured {
            Some(textured) => memory_of(backend, &textured.materials)?,
            None => {
                let plain = lighting.materials.iter().map(|material| plain(*material));
                memory_of::<[u32; TEXTURED_WORDS]>(backend, &plain.collect::<Vec<_>>())?
            }
        };
        let with_textures = textured.filter(|textured| !textured.coordinates.is_empty());
        let coordinates = with_textures.map(|textured| {
            let coordinates: &[[f32; 6]] = cast_slice(&textured.coordinates);
            memory_of(backend, coordinates)
        });
        let textures = textured.map(|textured| memory_of(backend, &textured.words));
        let environment = environment.as_ref();
        let environment = environment.map(|environment| memory_of(backend, &environment.words));
        let normals = (!normals.is_empty()).then(|| {
            let normals: &[[f32; 9]] = cast_slice(normals);
            memory_of(backend, normals)
        });
        let details = Self {
            coordinates: coordinates.transpose()?,
            textures: textures.transpose()?,
            environment: environment.transpose()?,
            normals: normals.transpose()?,
        };
        Ok(Some((details, materials)))
    }

    /// The arguments of paths through a scene with these details.
    pub fn arguments(&self, path: PathArguments) -> DetailedPathArguments {
        DetailedPathArguments {
            path,
            coordinates: address(self.coordinates.as_ref()),
            textures: address(self.textures.as_ref()),
            environment: address(self.environment.as_ref()),
            normals: address(self.normals.as_ref()),
        }
    }
}
