//! Triangle scenes in memory: Wavefront OBJ, PLY and glTF files, procedural scenes, cameras.
//!
//! Scenes that leave this crate are ready for the tree builder. After [`load`] or [`Scene::clean`]
//! every coordinate is finite, at most [`MAX_COORDINATE`] in magnitude and never -0. Every triangle
//! has an area, and the order of the triangles depends on the input alone.
//!
//! ```
//! use heapwood_scenes::{Camera, generate};
//!
//! let scene = generate::by_name("knot").unwrap();
//! let camera = Camera::frame(scene.bounds(), 640, 480, 45.0).unwrap();
//! println!("{} triangles, input {:016x}", scene.len(), scene.input_hash());
//! assert!(camera.rays().corner.is_finite());
//! ```

mod beside;
mod bounds;
mod camera;
mod clean;
mod colours;
mod error;
mod foreign;
pub mod generate;
mod gltf;
mod hash;
mod load;
mod loaded;
mod material;
mod normals;
mod obj;
mod panorama;
mod ply;
mod polygon;
mod precision;
mod scene;
mod texture;
mod view;
mod warning;

pub use bounds::Bounds;
pub use camera::{Camera, CameraError, RayBasis, unit};
pub use clean::{CleanOptions, CleanReport};
pub use colours::CornerColours;
pub use error::{GltfProblem, LineProblem, PlyProblem, SceneError};
pub use gltf::read_gltf;
pub use hash::fnv1a;
pub use heapwood_files::ReadError;
pub use load::{load, load_relative_to};
pub use loaded::Loaded;
pub use material::{Material, MaterialTextures};
pub use obj::{files_written, read_obj, save, write_mtl, write_obj};
pub use panorama::{Panorama, PanoramaError};
pub use ply::read_ply;
pub use scene::Scene;
pub use texture::{
    MAX_TEXELS, MAX_TEXTURE_COORDINATE, MAX_TEXTURE_SIDE, Texture, TextureImage, Texturing, Wrap,
    decoded,
};
pub use view::{
    CameraView, EnvironmentFile, Lights, PointLight, SceneCamera, Sky, SpotLight, Sun, View,
    ViewError, read_view, view_of,
};
pub use warning::Warning;

/// Largest magnitude that a coordinate may have.
///
/// Areas and box surfaces are products of two coordinates and sums of three
/// such products; up to this bound they stay below the largest `f32`.
pub const MAX_COORDINATE: f32 = 1e18;

/// Most bytes of a scene that are read, after decompression.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 30;
