//! The kernel `TexturedPath`: path tracing over surfaces with textures. Scenes without any have
//! `Path`, whose code and memory know nothing of them.

use super::path::{Path, PathArguments, render};
use super::texture::{TEXTURE_WORDS, Textures};
use super::textured::{TEXTURED_WORDS, TexturedMaterials};
use crate::kernel::{Args, PlainKernel};
use crate::simt::Warp;

/// Pointers of [`PathArguments`], which come first.
const PATH_POINTERS: usize = 12;

/// What paths run through, and the textures of its surfaces.
#[derive(Clone, Copy, Debug)]
pub struct TexturedPathArguments {
    /// All but materials, which are not read.
    pub path: PathArguments,
    /// Materials: `TexturedMaterial::to_words`.
    pub materials: *mut [u32; TEXTURED_WORDS],
    /// For each triangle the coordinates of its corners.
    pub coordinates: *mut [[f32; 2]; 3],
    /// As in `Textures`; what materials name is there.
    pub textures: *mut [u32; TEXTURE_WORDS],
    /// As in `Textures`; all texels of all textures are there.
    pub texels: *mut u32,
}

impl From<Args> for TexturedPathArguments {
    #[inline(always)]
    fn from(args: Args) -> Self {
        Self {
            path: PathArguments::from(args),
            materials: args.pointers[PATH_POINTERS].cast(),
            coordinates: args.pointers[PATH_POINTERS + 1].cast(),
            textures: args.pointers[PATH_POINTERS + 2].cast(),
            texels: args.pointers[PATH_POINTERS + 3].cast(),
        }
    }
}

impl From<TexturedPathArguments> for Args {
    fn from(typed: TexturedPathArguments) -> Self {
        let mut args = Self::from(typed.path);
        args.pointers[PATH_POINTERS] = typed.materials.cast();
        args.pointers[PATH_POINTERS + 1] = typed.coordinates.cast();
        args.pointers[PATH_POINTERS + 2] = typed.textures.cast();
        args.pointers[PATH_POINTERS + 3] = typed.texels.cast();
        args
    }
}

/// Sums up the light of paths over surfaces with textures.
pub struct TexturedPath;

impl PlainKernel for TexturedPath {
    type Arguments = TexturedPathArguments;

    const REGISTERS: u32 = Path::REGISTERS;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: TexturedPathArguments) {
        let surfaces = TexturedMaterials {
            materials: arguments.materials,
            material_of: arguments.path.material_of,
            coordinates: arguments.coordinates,
            textures: Textures {
                textures: arguments.textures,
                texels: arguments.texels,
            },
        };
        // SAFETY: the arguments' contract.
        unsafe { render(warp, arguments.path, surfaces) }
    }
}
