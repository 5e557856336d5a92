//! The costs of splits, eight at a time: `Heuristic::split`, operation by operation.

use core::arch::x86_64::{
    _mm256_blendv_epi8, _mm256_cvtepi32_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_set1_epi32,
    _mm256_srli_epi32, _mm256_storeu_si256,
};

use heapwood_device::kdtree::sah::{area_unit, face_and_girth};

use super::Valued;
use super::vector::{
    LANES, V, add, and, div, eq, gt, lt, mul, or, select, splat, sub, to_bits, zero,
};
use crate::tree::cores::bins::COUNT;
use crate::tree::cores::candidates::{Candidates, NEVER};

/// The heuristic of a node for planes on an axis.
#[derive(Clone, Copy)]
pub struct Planes {
    face: V,
    girth: V,
    low: V,
    high: V,
    half_area: V,
    traversal: V,
    intersection: V,
    /// The intersection cost with the bonus.
    bonus: V,
    leaf: V,
}

impl Planes {
    /// The planes of a node on an axis.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn new(node: &Valued, axis: u32) -> Self {
        let (costs, bounds) = (node.costs, node.bounds);
        let unit = area_unit(bounds);
        let (face, girth) = face_and_girth(bounds.size(), axis, unit);
        let axis = axis as usize % 3;
        Self {
            face: splat(face),
            girth: splat(girth),
            low: splat(bounds.min[axis]),
            high: splat(bounds.max[axis]),
            half_area: splat(bounds.half_area(unit)),
            traversal: splat(costs.traversal),
            intersection: splat(costs.intersection),
            bonus: splat((1.0 - costs.empty_bonus) * costs.intersection),
            leaf: splat(costs.intersection * node.count as f32),
        }
    }

    /// Whether positions are strictly inside the box.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn are_inside(&self, positions: V) -> V {
        and(gt(positions, self.low), lt(positions, self.high))
    }

    /// Half the surface area of boxes with so much on the axis, times the unit.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn half_area(&self, extent: V) -> V {
        add(self.face, mul(extent, self.girth))
    }

    /// The costs of splits at positions with so many references below and above; infinite for
    /// splits that do not pay.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn cost(&self, positions: V, below: V, above: V) -> V {
        let area_below = self.half_area(sub(positions, self.low));
        let area_above = self.half_area(sub(self.high, positions));
        let sum = add(mul(area_below, below), mul(area_above, above));
        let expected = div(sum, self.half_area);
        let is_empty = or(eq(below, zero()), eq(above, zero()));
        let intersection = select(is_empty, self.bonus, self.intersection);
        let plain = add(self.traversal, mul(self.intersection, expected));
        let cost = add(self.traversal, mul(intersection, expected));
        select(lt(plain, self.leaf), cost, splat(f32::INFINITY))
    }
}

/// Finds the ranks of candidates.
#[target_feature(enable = "avx2")]
pub fn value(node: &Valued, axis: u32, candidates: &mut Candidates) {
    let planes = Planes::new(node, axis);
    let positions = candidates.positions.as_flattened().chunks_exact(LANES);
    let below = candidates.below.as_flattened().chunks_exact(LANES);
    let above = candidates.above.as_flattened().chunks_exact(LANES);
    let ranks = candidates.ranks.as_flattened_mut().chunks_exact_mut(LANES);
    const _: () = assert!(COUNT.is_multiple_of(LANES));
    for (((positions, below), above), ranks) in positions.zip(below).zip(above).zip(ranks) {
        // SAFETY: eight entries of each.
        let (positions, below, above) = unsafe {
            (
                _mm256_loadu_ps(positions.as_ptr()),
                _mm256_loadu_si256(below.as_ptr().cast()),
                _mm256_loadu_si256(above.as_ptr().cast()),
            )
        };
        // Below 2^31, but for those that are no candidates.
        let (below, above) = (_mm256_cvtepi32_ps(below), _mm256_cvtepi32_ps(above));
        let cost = planes.cost(positions, below, above);
        let rank = _mm256_srli_epi32::<1>(to_bits(cost));
        let is_inside = to_bits(planes.are_inside(positions));
        let rank = _mm256_blendv_epi8(_mm256_set1_epi32(NEVER as i32), rank, is_inside);
        // SAFETY: eight entries.
        unsafe { _mm256_storeu_si256(ranks.as_mut_ptr().cast(), rank) };
    }
}
