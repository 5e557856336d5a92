//! The triangles as the builder reads them, the box around all of them, and the root's
//! references.

use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_device::kdtree::clip::clipped;
use heapwood_device::kdtree::plan::BuildError;
use heapwood_device::kdtree::thresholds::MAX_COORDINATE;
use rayon::prelude::*;

/// Triangles that a thread prepares at a time.
const CHUNK: usize = 4096;

/// A triangle with its bounds, in a cache line of its own: nodes read triangles in no order
/// that a prefetcher knows.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Facet {
    /// Its corners.
    pub triangle: Triangle,
    /// Its bounds.
    pub bounds: Bounds,
    /// Its number.
    pub id: u32,
}

/// A node's reference to a triangle, with the bounds of its part inside the node: a vector of
/// eight words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct Reference {
    /// The least coordinates of the part.
    pub min: [f32; 3],
    /// The greatest.
    pub max: [f32; 3],
    /// The number of the triangle.
    pub id: u32,
    /// 1 if the bounds are those of the whole triangle, which lie inside the node; else 0.
    pub is_whole: u32,
}

impl Reference {
    /// With the part inside a box.
    pub fn of(facet: &Facet, within: Bounds, clip: bool) -> Self {
        let part = if clip {
            clipped(&facet.triangle, within)
        } else {
            facet.bounds.clamped(within)
        };
        Self {
            min: part.min,
            max: part.max,
            id: facet.id,
            is_whole: u32::from(part == facet.bounds),
        }
    }
}

/// The triangles with their bounds, and the box around all of them.
///
/// # Errors
///
/// [`BuildError::BadCoordinate`].
pub fn prepare(triangles: &[Triangle]) -> Result<(Vec<Facet>, Bounds), BuildError> {
    let facets: Vec<Facet> = triangles
        .par_iter()
        .enumerate()
        .with_min_len(CHUNK)
        .map(|(id, triangle)| Facet {
            triangle: *triangle,
            bounds: Bounds::of(triangle),
            id: id as u32,
        })
        .collect();
    let is_bad = |facet: &Facet| {
        let mut coordinates = facet.triangle.as_flattened().iter();
        coordinates.any(|x| !(-MAX_COORDINATE..=MAX_COORDINATE).contains(x))
    };
    let around = |facets: &[Facet]| {
        let all = facets.iter().fold(Bounds::EMPTY, |all, facet| {
            all.with(facet.bounds.min).with(facet.bounds.max)
        });
        (all, facets.iter().any(is_bad))
    };
    let (all, bad) = facets.par_chunks(CHUNK).map(around).reduce(
        || (Bounds::EMPTY, false),
        |(a, a_bad), (b, b_bad)| (a.with(b.min).with(b.max), a_bad || b_bad),
    );
    if bad {
        return Err(BuildError::BadCoordinate);
    }
    // As the kernels' keys do: -0 becomes 0.
    let root = Bounds {
        min: all.min.map(|x| x + 0.0),
        max: all.max.map(|x| x + 0.0),
    };
    Ok((facets, root))
}

/// The root's references: all triangles, each one inside.
pub fn root_references(facets: &[Facet]) -> Vec<Reference> {
    let reference = |facet: &Facet| Reference {
        min: facet.bounds.min,
        max: facet.bounds.max,
        id: facet.id,
        is_whole: 1,
    };
    let facets = facets.par_iter().with_min_len(CHUNK);
    facets.map(reference).collect()
}
