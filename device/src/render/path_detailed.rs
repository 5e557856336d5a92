//! The kernel `DetailedPath`: path tracing over surfaces with textures, colours of vertices or
//! smooth normals, and before an image of what is around the scene. Scenes without any of it have
//! `Path`, whose code and memory know nothing of them.

use super::environment::{EnvironmentImage, SkyOrImage};
use super::path::{PathArguments, render, sky_of};
use super::smooth::{CornerNormals, DetailedMaterials};
use super::texture::Textures;
use super::textured::{TEXTURED_WORDS, TexturedMaterials};
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// The scene that paths run through, with its details.
    pub struct DetailedPathArguments {
        nested {
            /// All of it, but for materials: these are `TexturedMaterial::to_words`.
            path: PathArguments,
        }
        pointers {
            /// For each triangle the coordinates of its corners; null where no material has a
            /// texture.
            coordinates: [[f32; 2]; 3],
            /// As in `Textures`, and colours of triangles; what materials name is there.
            textures: u32,
            /// As in `EnvironmentImage`; null where the sky is around the scene.
            environment: u32,
            /// For each triangle the normals of its corners; null where all are flat.
            normals: CornerNormals,
        }
        integers {}
    }
}

/// Sums up the light of paths through a scene with details.
pub struct DetailedPath;

impl PlainKernel for DetailedPath {
    type Arguments = DetailedPathArguments;

    // Fewer than for plain scenes: shadow rays have more to wait for. With 48 the traversal spills,
    // and pictures inside sponza take 14 % longer.
    const REGISTERS: u32 = 56;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: DetailedPathArguments) {
        let path = arguments.path;
        let words = arguments.environment;
        let textures = Textures {
            words: arguments.textures,
        };
        // SAFETY: the arguments' contract.
        unsafe {
            let materials = TexturedMaterials::new(
                path.materials.cast::<[u32; TEXTURED_WORDS]>(),
                path.material_of,
                arguments.coordinates,
                textures,
            );
            let detailed = DetailedMaterials::new(materials, arguments.normals);
            let environment = SkyOrImage {
                sky: sky_of(path),
                image: (!words.is_null()).then(|| EnvironmentImage::new(words)),
            };
            render(warp, path, detailed, environment);
        }
    }
}
