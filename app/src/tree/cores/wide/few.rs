//! The exact search of a node with up to four references, as most nodes are: a vector holds the
//! starts of all of them and their ends, so that each axis takes one, and there is no loop whose
//! length differs from node to node.

use core::arch::x86_64::{
    _mm256_cvtepi32_ps, _mm256_permutevar8x32_ps, _mm256_set_epi32, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_sub_epi32,
};

use super::Valued;
use super::best::Best;
use super::split::Planes;
use super::vector::{
    LANES, V, add, and, bits_of, eq, gt, load_reference, lt, min, splat, to_bits, transpose,
};
use crate::tree::cores::facets::Reference;

/// References, at most.
pub const FEW: usize = LANES / 2;

/// The best plane as axis and position, if one pays.
#[inline]
#[target_feature(enable = "avx2")]
pub fn best_plane(node: &Valued, references: &[Reference]) -> Option<(u32, f32)> {
    // Starts of a reference change places with its ends in the row behind it.
    let swapped = _mm256_set_epi32(7, 6, 2, 1, 0, 5, 4, 3);
    let mut rows = [splat(f32::NAN); LANES];
    for (lane, reference) in references.iter().enumerate().take(FEW) {
        rows[lane] = load_reference(reference);
        rows[FEW + lane] = _mm256_permutevar8x32_ps(rows[lane], swapped);
    }
    let columns = transpose(rows);
    let mut best = Best::none();
    for axis in 0..3 {
        let planes = Planes::new(node, axis as u32);
        let positions = columns[axis];
        let costs = costs(&planes, positions, columns[3 + axis]);
        best.take_planes(&planes, axis as u32, positions, costs);
    }
    best.of_lanes()
}

/// The costs of splits at the starts and ends of references, with triangles in the plane on the
/// cheaper side. `others` are the ends and starts.
#[inline]
#[target_feature(enable = "avx2")]
fn costs(planes: &Planes, positions: V, others: V) -> V {
    let lane = |lane: usize| _mm256_permutevar8x32_ps(positions, _mm256_set1_epi32(lane as i32));
    let none = _mm256_setzero_si256();
    let (mut below, mut above) = (none, none);
    for reference in 0..FEW {
        let (lo, hi) = (lane(reference), lane(FEW + reference));
        below = _mm256_sub_epi32(below, to_bits(lt(lo, positions)));
        above = _mm256_sub_epi32(above, to_bits(gt(hi, positions)));
    }
    let (below, above) = (_mm256_cvtepi32_ps(below), _mm256_cvtepi32_ps(above));
    if bits_of(and(eq(positions, others), planes.are_inside(positions))) == 0 {
        return planes.cost(positions, below, above);
    }
    let mut planar = none;
    for reference in 0..FEW {
        let (lo, hi) = (lane(reference), lane(FEW + reference));
        let is_planar = and(eq(lo, positions), eq(hi, positions));
        planar = _mm256_sub_epi32(planar, to_bits(is_planar));
    }
    let planar = _mm256_cvtepi32_ps(planar);
    // Sums of small whole numbers are exact.
    min(
        planes.cost(positions, add(below, planar), above),
        planes.cost(positions, below, add(above, planar)),
    )
}
