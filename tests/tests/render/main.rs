//! Rays and pictures, beside brute force, integrals, and hashes of pictures.

mod builders;
mod environments;
mod golden_pictures;
mod paths;
mod picture_passes;
mod pictures;
mod rays;
mod shadow_rays;
mod smooth;
mod texture_lookups;
mod textures;
