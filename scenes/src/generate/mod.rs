//! Procedural scenes and ways to make large scenes from small ones.
//!
//! Everything is a function of its arguments: the same seed gives the same
//! bits on every machine. Sines come from glam's software implementation, and
//! coordinates of the named scenes are rounded to four decimals, so that their
//! OBJ files hold exactly these scenes.

mod builder;
mod building;
mod courtyard;
mod grid;
mod knot;
mod noise;
mod scan;
mod subdivide;
mod terrain;
#[cfg(test)]
mod testing;

pub use building::building;
pub use courtyard::courtyard;
pub use grid::grid;
pub use knot::knot;
pub use scan::scan;
pub use subdivide::{Displacement, subdivide, subdivide_to};
pub use terrain::terrain;

use crate::{Scene, SceneError};

/// The names that [`by_name`] knows.
pub const NAMES: [&str; 3] = ["courtyard", "knot", "terrain"];

/// The names that [`sized`] knows.
pub const SIZED: [&str; 2] = ["building", "scan"];

/// The seed of the shipped `terrain`.
pub const TERRAIN_SEED: u32 = 7;

/// Most triangles that a generator makes: vertex indices have 32 bits.
pub const MOST_TRIANGLES: u64 = 1 << 30;

/// The named scene, as shipped; none for a name not in [`NAMES`].
pub fn by_name(name: &str) -> Option<Scene> {
    match name {
        "courtyard" => Some(courtyard()),
        "knot" => Some(knot()),
        "terrain" => Some(terrain(TERRAIN_SEED)),
        _ => None,
    }
}

/// A scene of at least so many triangles, of a kind of [`SIZED`]; none for another name.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MOST_TRIANGLES`].
pub fn sized(name: &str, triangles: u64, seed: u32) -> Result<Option<Scene>, SceneError> {
    match name {
        "building" => building(triangles, seed).map(Some),
        "scan" => scan(triangles, seed).map(Some),
        _ => Ok(None),
    }
}
