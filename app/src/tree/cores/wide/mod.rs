//! Vectors of eight: the same results as the code for one at a time, bit for bit, since each
//! operation is the same and none are fused.
//!
//! A processor has them or not, which is known when the program runs. A [`Wide`] is the proof
//! that it has.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        clippy::missing_safety_doc,
        reason = "functions with target features are safe; whoever calls the first of them has a Wide"
    )
)]

#[cfg(target_arch = "x86_64")]
mod best;
#[cfg(target_arch = "x86_64")]
mod bins;
#[cfg(target_arch = "x86_64")]
mod clip;
#[cfg(target_arch = "x86_64")]
mod exact;
#[cfg(target_arch = "x86_64")]
mod few;
#[cfg(target_arch = "x86_64")]
mod split;
#[cfg(target_arch = "x86_64")]
mod vector;

use heapwood_device::kdtree::bins::Bins;
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::sah::Costs;

use super::bins::{Histograms, Span};
use super::candidates::Candidates;
use super::facets::{Facet, Reference};

/// The content of a [`Wide`]: nothing, or a type without values on other processors.
#[cfg(target_arch = "x86_64")]
type Proof = ();
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

/// A processor with vectors of eight floats (AVX2).
#[derive(Clone, Copy, Debug)]
pub struct Wide(Proof);

impl Wide {
    /// The vectors of this machine, if it has them.
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Some(Self(()));
        }
        None
    }
}

/// A node whose splits are valued.
#[derive(Clone, Copy)]
pub struct Valued {
    /// The constants of the heuristic.
    pub costs: Costs,
    /// The node's box.
    pub bounds: Bounds,
    /// Its references.
    pub count: u32,
}

#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "there is no such processor")
)]
impl Wide {
    /// Clips the triangles of the references `cut` anew: so many of them to the second of two
    /// boxes, the others to the first.
    pub fn clip(
        self,
        facets: &[Facet],
        references: &mut [Reference],
        cut: (&[u32], usize),
        boxes: [Bounds; 2],
    ) {
        #[cfg(not(target_arch = "x86_64"))]
        match self.0 {}
        // SAFETY: `detect` has found AVX2.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            clip::clip(facets, references, cut, boxes)
        }
    }

    /// Counts the parts of references into bins, and notes in which ones each of them is.
    pub fn count(
        self,
        bins: Bins,
        references: &[Reference],
        spans: &mut [Span],
        sums: &mut Histograms,
    ) {
        #[cfg(not(target_arch = "x86_64"))]
        match self.0 {}
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            bins::count(bins, references, spans, sums)
        }
    }

    /// The best plane of a small node as axis and position, if one pays.
    pub fn best_plane(self, node: &Valued, references: &[Reference]) -> Option<(u32, f32)> {
        #[cfg(not(target_arch = "x86_64"))]
        match self.0 {}
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            exact::best_plane(node, references)
        }
    }

    /// The references that lie below a plane, above it, and in it, as masks.
    pub fn sides(self, references: &[Reference], axis: u32, position: f32) -> [u64; 3] {
        #[cfg(not(target_arch = "x86_64"))]
        match self.0 {}
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            exact::sides(references, axis, position)
        }
    }

    /// Finds what the candidates of a list cost.
    pub fn value(self, node: &Valued, axis: u32, candidates: &mut Candidates) {
        #[cfg(not(target_arch = "x86_64"))]
        match self.0 {}
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            split::value(node, axis, candidates)
        }
    }
}
