//! The exact search with planes in vectors: counts of references on either side of eight planes
//! at a time.

use core::arch::x86_64::{_mm256_cvtepi32_ps, _mm256_setzero_si256, _mm256_sub_epi32};

use heapwood_device::kdtree::thresholds::SMALL_NODE;

use super::Valued;
use super::best::Best;
use super::few::{self, FEW};
use super::split::Planes;
use super::vector::{
    Eight, I, LANES, V, add, and, bits_of, eq, gt, load, load_reference, lt, min, splat, store,
    to_bits, transpose, zero,
};
use crate::tree::cores::facets::Reference;

const _: () = assert!(SMALL_NODE as usize == 8 * LANES);

/// Bounds of a small node's references, in so many vectors: the least on each axis, then the
/// greatest. Behind the last reference of a vector there is no number.
struct Lists<const VECTORS: usize>([[Eight; VECTORS]; 6]);

impl<const VECTORS: usize> Lists<VECTORS> {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(references: &[Reference]) -> Self {
        let mut lists = Self([[Eight([f32::NAN; LANES]); VECTORS]; 6]);
        for (vector, group) in references.chunks(LANES).enumerate().take(VECTORS) {
            let mut rows = [splat(f32::NAN); LANES];
            for (row, reference) in rows.iter_mut().zip(group) {
                *row = load_reference(reference);
            }
            let columns = transpose(rows);
            for (list, column) in lists.0.iter_mut().zip(columns) {
                store(&mut list[vector], column);
            }
        }
        lists
    }
}

/// The best plane as axis and position, if one pays.
#[target_feature(enable = "avx2")]
pub fn best_plane(node: &Valued, references: &[Reference]) -> Option<(u32, f32)> {
    match references.len() {
        0..=FEW => few::best_plane(node, references),
        5..=8 => search::<1>(node, references),
        9..=16 => search::<2>(node, references),
        17..=32 => search::<4>(node, references),
        _ => search::<8>(node, references),
    }
}

/// The search among planes in so many vectors for each axis and end.
#[inline]
#[target_feature(enable = "avx2")]
fn search<const VECTORS: usize>(node: &Valued, references: &[Reference]) -> Option<(u32, f32)> {
    let lists = Lists::<VECTORS>::new(references);
    let count = references.len().min(VECTORS * LANES);
    let vectors = count.div_ceil(LANES);
    let mut best = Best::none();
    for axis in 0..3 {
        let (least, greatest) = (&lists.0[axis], &lists.0[3 + axis]);
        let planes = Planes::new(node, axis as u32);
        let (mut planar, mut inside) = (0, 0);
        for (lo, hi) in least.iter().zip(greatest).take(vectors) {
            let (lo, hi) = (load(lo), load(hi));
            let is_inside = planes.are_inside(lo);
            // One in a face of the box is in no plane.
            planar |= bits_of(and(eq(lo, hi), is_inside));
            inside |= bits_of(is_inside) | bits_of(planes.are_inside(hi));
        }
        if inside == 0 {
            continue;
        }
        for (lo, hi) in least.iter().zip(greatest).take(vectors) {
            let positions = [load(lo), load(hi)];
            let costs = costs(&planes, positions, (least, greatest), count, planar != 0);
            for (positions, cost) in positions.into_iter().zip(costs) {
                best.take_planes(&planes, axis as u32, positions, cost);
            }
        }
    }
    best.of_lanes()
}

/// The costs of splits at the positions of two vectors, with triangles in the plane on the cheaper
/// side.
#[inline]
#[target_feature(enable = "avx2")]
fn costs<const VECTORS: usize>(
    planes: &Planes,
    [one, two]: [V; 2],
    (least, greatest): (&[Eight; VECTORS], &[Eight; VECTORS]),
    count: usize,
    has_planar: bool,
) -> [V; 2] {
    let bounds = floats(least)[..count]
        .iter()
        .zip(&floats(greatest)[..count]);
    let none = _mm256_setzero_si256();
    let (mut below, mut above) = ([none; 2], [none; 2]);
    if !has_planar {
        for (&lo, &hi) in bounds {
            let (lo, hi) = (splat(lo), splat(hi));
            below[0] = _mm256_sub_epi32(below[0], to_bits(lt(lo, one)));
            below[1] = _mm256_sub_epi32(below[1], to_bits(lt(lo, two)));
            above[0] = _mm256_sub_epi32(above[0], to_bits(gt(hi, one)));
            above[1] = _mm256_sub_epi32(above[1], to_bits(gt(hi, two)));
        }
        let (below, above) = (to_floats(below), to_floats(above));
        return [
            planes.cost(one, below[0], above[0]),
            planes.cost(two, below[1], above[1]),
        ];
    }
    let mut planar = [none; 2];
    for (&lo, &hi) in bounds {
        let (lo, hi) = (splat(lo), splat(hi));
        for (k, at) in [one, two].into_iter().enumerate() {
            let is_planar = and(eq(lo, at), eq(hi, at));
            below[k] = _mm256_sub_epi32(below[k], to_bits(lt(lo, at)));
            above[k] = _mm256_sub_epi32(above[k], to_bits(gt(hi, at)));
            planar[k] = _mm256_sub_epi32(planar[k], to_bits(is_planar));
        }
    }
    let (below, above, planar) = (to_floats(below), to_floats(above), to_floats(planar));
    let has_planar = planar.map(|planar| bits_of(gt(planar, zero())) != 0);
    // Sums of small whole numbers are exact.
    let cost = |k: usize, at: V| {
        if !has_planar[k] {
            return planes.cost(at, below[k], above[k]);
        }
        min(
            planes.cost(at, add(below[k], planar[k]), above[k]),
            planes.cost(at, below[k], add(above[k], planar[k])),
        )
    };
    [cost(0, one), cost(1, two)]
}

/// Counts as floats.
#[inline]
#[target_feature(enable = "avx2")]
fn to_floats(counts: [I; 2]) -> [V; 2] {
    [_mm256_cvtepi32_ps(counts[0]), _mm256_cvtepi32_ps(counts[1])]
}

/// The floats of vectors.
#[inline]
fn floats<const VECTORS: usize>(vectors: &[Eight; VECTORS]) -> &[f32] {
    // SAFETY: each vector is eight floats without padding.
    unsafe { core::slice::from_raw_parts(vectors.as_ptr().cast(), VECTORS * LANES) }
}

/// The references below a plane, above it, and in it, as masks.
#[target_feature(enable = "avx2")]
pub fn sides(references: &[Reference], axis: u32, position: f32) -> [u64; 3] {
    let axis = axis as usize % 3;
    let plane = splat(position);
    let mut masks = [0; 3];
    for (vector, group) in references.chunks(LANES).enumerate().take(8) {
        let (mut least, mut greatest) = (Eight([f32::NAN; LANES]), Eight([f32::NAN; LANES]));
        for (lane, reference) in group.iter().enumerate() {
            least.0[lane] = reference.min[axis];
            greatest.0[lane] = reference.max[axis];
        }
        let (lo, hi) = (load(&least), load(&greatest));
        let sides = [
            lt(lo, plane),
            gt(hi, plane),
            and(eq(lo, plane), eq(hi, plane)),
        ];
        for (mask, side) in masks.iter_mut().zip(sides) {
            *mask |= (bits_of(side) as u64) << (LANES * vector);
        }
    }
    masks
}
