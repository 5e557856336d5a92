//! Clipping held to exact arithmetic: whether the bounds of the part of a triangle inside a
//! box contain the part, and by how much they are too large.

pub mod campaign;
mod corners;
pub mod exact;
pub mod interval;
pub mod pairs;

use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::clip::clipped;

use crate::random;
use pairs::Pair;

/// A fault in the bounds of a clipped part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// They do not contain the part.
    Lost,
    /// The least coordinate of an axis is not below the greatest, and they are not the empty
    /// box either.
    Inverted,
    /// They reach out of the box, or beyond the triangle.
    Outside,
    /// Those of the same pair, a power of two times as large, are others.
    Scaled,
}

/// The judgement of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The fault, if there is one.
    pub fault: Option<Fault>,
    /// Whether doubles did not decide.
    pub is_exact: bool,
    /// The bounds that were given.
    pub bounds: Bounds,
}

/// Clips the triangle of a pair and judges the bounds.
pub fn judge(pair: &Pair, exponent: i32) -> Finding {
    let Pair { triangle, within } = pair;
    let bounds = clipped(triangle, *within);
    let (is_contained, is_exact) = contains(bounds, pair);
    let fault = if !is_formed(bounds) {
        Some(Fault::Inverted)
    } else if !is_contained {
        Some(Fault::Lost)
    } else if !is_within(bounds, *within) || reaches_beyond(bounds, pair) {
        Some(Fault::Outside)
    } else if !scales(pair, bounds, exponent) {
        Some(Fault::Scaled)
    } else {
        None
    };
    Finding {
        fault,
        is_exact,
        bounds,
    }
}

/// Whether bounds contain the part, and whether exact arithmetic decided so.
fn contains(bounds: Bounds, pair: &Pair) -> (bool, bool) {
    let mut is_contained = true;
    let is_known = corners::visit(pair, |corner| {
        is_contained &= (0..3).all(|k| {
            f64::from(bounds.min[k]) <= corner[k].low && corner[k].high <= f64::from(bounds.max[k])
        });
    });
    if is_known && is_contained {
        return (true, false);
    }
    (exact::contains(bounds, &pair.triangle, pair.within), true)
}

fn is_formed(bounds: Bounds) -> bool {
    bounds == Bounds::EMPTY || (0..3).all(|k| bounds.min[k] <= bounds.max[k])
}

fn is_within(bounds: Bounds, outer: Bounds) -> bool {
    bounds == Bounds::EMPTY
        || (0..3).all(|k| outer.min[k] <= bounds.min[k] && bounds.max[k] <= outer.max[k])
}

/// Whether bounds reach out of those of the triangle, which meet the box.
fn reaches_beyond(bounds: Bounds, pair: &Pair) -> bool {
    let (own, within) = (Bounds::of(&pair.triangle), pair.within);
    let meet = (0..3).all(|k| own.min[k] <= within.max[k] && within.min[k] <= own.max[k]);
    meet && !is_within(bounds, own)
}

/// Whether clipping the same in another size gives the same in that size, where no digit is
/// lost.
fn scales(pair: &Pair, bounds: Bounds, exponent: i32) -> bool {
    let Some(larger) = pair.scaled(exponent) else {
        return true;
    };
    let factor = 2_f64.powi(exponent);
    let found = clipped(&larger.triangle, larger.within);
    let same = |a: f32, b: f32| (f64::from(a) * factor) as f32 == b;
    (0..3).all(|k| same(bounds.min[k], found.min[k]) && same(bounds.max[k], found.max[k]))
}
