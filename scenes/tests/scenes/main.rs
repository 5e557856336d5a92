//! Readers, writers and generators of scenes as another crate uses them.

mod colours;
mod faces;
mod far;
mod files;
mod gltf;
mod normals;
mod ply;
mod random_views;
mod robustness;
mod shipped;
mod sound;
mod table;
mod textures;
mod view;
mod written;
