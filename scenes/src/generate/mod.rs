//! Procedural scenes and ways to make large scenes from small ones.
//!
//! Everything is a function of its arguments: the same seed gives the same
//! bits on every machine. Sines come from glam's software implementation, and
//! coordinates of the named scenes are rounded to four decimals, so that their
//! OBJ files hold exactly these scenes.

mod builder;
mod building;
mod cornell;
mod courtyard;
mod grid;
mod hall;
mod icosphere;
mod knot;
mod landscape;
mod menger;
mod noise;
mod scan;
mod soup;
mod sphere;
mod stadium;
mod subdivide;
mod terrain;
#[cfg(test)]
mod testing;

pub use building::building;
pub use cornell::cornell;
pub use courtyard::courtyard;
pub use grid::grid;
pub use hall::hall;
pub use knot::knot;
pub use landscape::landscape;
pub use menger::{menger, menger_to};
pub use scan::scan;
pub use soup::soup;
pub use sphere::sphere;
pub use stadium::stadium;
pub use subdivide::{Displacement, subdivide, subdivide_to};
pub use terrain::terrain;

use crate::{Scene, SceneError};

/// The names that [`by_name`] knows.
pub const NAMES: [&str; 4] = ["courtyard", "knot", "terrain", "cornell"];

/// The names that [`sized`] knows.
pub const SIZED: [&str; 8] = [
    "building",
    "scan",
    "sphere",
    "landscape",
    "menger",
    "hall",
    "soup",
    "stadium",
];

/// The seed of the shipped `terrain`.
pub const TERRAIN_SEED: u32 = 7;

/// Most triangles that a generator makes: vertex indices have 32 bits.
pub const MAX_TRIANGLES: u64 = 1 << 30;

/// The named scene, as shipped; none for a name not in [`NAMES`].
pub fn by_name(name: &str) -> Option<Scene> {
    match name {
        "courtyard" => Some(courtyard()),
        "knot" => Some(knot()),
        "terrain" => Some(terrain(TERRAIN_SEED)),
        "cornell" => Some(cornell()),
        _ => None,
    }
}

/// A scene of at least so many triangles, of a kind of [`SIZED`]; none for another name. The seed
/// changes nothing of a `menger`, a `hall` or a `stadium`.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn sized(name: &str, triangles: u64, seed: u32) -> Result<Option<Scene>, SceneError> {
    let made = match name {
        "building" => building(triangles, seed),
        "scan" => scan(triangles, seed),
        "sphere" => sphere(triangles, seed),
        "landscape" => landscape(triangles, seed),
        "menger" => menger_to(triangles),
        "hall" => hall(triangles),
        "soup" => soup(triangles, seed),
        "stadium" => stadium(triangles),
        _ => return Ok(None),
    };
    made.map(Some)
}
