//! Rendering a finished tree: the kernel `Render` makes an image of what rays hit, `Cost` counts
//! what that takes, `Ambient` looks for what is near, `Path` follows light over surfaces, and
//! `Trace` traces rays from memory.
//!
//! Every lane traces rays of its own, and no lane depends on another. Images are
//! linear RGB; [`plan`] turns them into bytes, because the conversion needs a
//! power function, whose bits differ between machines.

mod ambient;
mod axis_ray;
mod cost;
mod direction;
mod environment;
mod image;
mod intersect;
mod light;
mod material;
mod path;
mod path_detailed;
mod pixels;
mod random;
mod ray;
mod scatter;
mod search;
mod shade;
mod smooth;
mod surface;
mod texture;
mod textured;
mod trace;
mod traverse;
mod window;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

pub use crate::kdtree::bounds::{Bounds, Triangle};
pub use ambient::{Ambient, AmbientArguments};
pub use cost::{Cost, CostArguments};
pub use direction::{Frame, atan2_turns, cos_sin_turns, cosine_direction};
pub use environment::{
    AliasEntry, ENVIRONMENT_ROW_WORDS, ENVIRONMENT_TEXEL_WORDS, ENVIRONMENT_WORDS, EnvironmentImage,
};
pub use image::{Render, RenderArguments};
pub use material::{
    DELTA_LIGHT_FLOATS, DeltaLight, LIGHT_WORDS, LightAliasEntry, MATERIAL_FLOATS, NARROWEST_LOBE,
    Sky, SurfaceMaterial,
};
pub use path::{Path, PathArguments};
pub use path_detailed::{DetailedPath, DetailedPathArguments};
pub use random::{Sampler, hash};
pub use ray::Ray;
pub use scatter::{Bsdf, BsdfSample};
pub use search::{Counter, Hit, Uncounted, Visits};
pub use shade::{Mode, normal};
pub use smooth::{CornerNormals, smooth_normal};
pub use surface::SurfacePoint;
pub use texture::{
    DECODED, Encoding, MAX_TEXTURE_SIDE, Sample, TEXTURE_WORDS, Texture, Textures, Wrap,
};
pub use textured::{
    COLOUR_WORDS, MaterialParameters, NO_TEXTURE, TEXTURED_WORDS, TexturedMaterial,
    TexturedMaterials,
};
pub use trace::{RAY_FLOATS, Trace, TraceArguments};
pub use traverse::{MAX_TRAVERSAL_DEPTH, SceneTriangle, Tree};
pub use window::{SceneArguments, WindowArguments};
