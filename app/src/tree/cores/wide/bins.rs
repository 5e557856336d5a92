//! Finding the bins of eight references at a time. A bin is the number of planes below a
//! coordinate, which is counted in two steps: among every eighth plane, then among the seven
//! behind the last of these.

use core::arch::x86_64::{
    _mm256_blendv_epi8, _mm256_mullo_epi32, _mm256_permutevar8x32_ps, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_storeu_si256, _mm256_sub_epi32,
};

use heapwood_device::kdtree::bins::Bins;

use super::vector::{
    Eight, I, LANES, V, bits_of, eq, le, load, load_reference, lt, splat, to_bits, transpose,
};
use crate::tree::cores::bins::{COUNT, Histograms, Span, greater, is_beside, lesser};
use crate::tree::cores::facets::Reference;

/// Every eighth plane of a list, and the seven behind each of these.
struct Planes {
    coarse: [f32; 3],
    fine: [Eight; 7],
}

impl Planes {
    fn new(bins: Bins, list: u32) -> Self {
        let plane = |k: usize| bins.plane(list, k as u32);
        Self {
            coarse: [plane(8), plane(16), plane(24)],
            fine: [1, 2, 3, 4, 5, 6, 7]
                .map(|j| Eight([0, 1, 2, 3, 0, 1, 2, 3].map(|eighth| plane(8 * eighth + j)))),
        }
    }

    /// How many planes are below coordinates, or at them with `OR_AT`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn below<const OR_AT: bool>(&self, x: V) -> I {
        let is_below = |plane: V| to_bits(if OR_AT { le(plane, x) } else { lt(plane, x) });
        let mut eighths = _mm256_setzero_si256();
        for plane in self.coarse {
            eighths = _mm256_sub_epi32(eighths, is_below(splat(plane)));
        }
        let mut below = _mm256_mullo_epi32(eighths, _mm256_set1_epi32(LANES as i32));
        for planes in &self.fine {
            let plane = _mm256_permutevar8x32_ps(load(planes), eighths);
            below = _mm256_sub_epi32(below, is_below(plane));
        }
        below
    }
}

/// Counts the parts of references into bins, as `bins::count`.
#[target_feature(enable = "avx2")]
pub fn count(bins: Bins, references: &[Reference], spans: &mut [Span], sums: &mut Histograms) {
    const _: () = assert!(COUNT == 32);
    let planes = [0, 1, 2].map(|list| Planes::new(bins, list));
    let axes = [0, 1, 2].map(|list| bins.axis(list) as usize % 3);
    let is_whole = bins.is_whole();
    for (group, spans) in references.chunks(LANES).zip(spans.chunks_mut(LANES)) {
        let mut rows = [splat(0.0); LANES];
        for (row, reference) in rows.iter_mut().zip(group) {
            *row = load_reference(reference);
        }
        let columns = transpose(rows);
        let (mut starts, mut ends) = ([[0u32; LANES]; 3], [[0u32; LANES]; 3]);
        let mut planar = [0; 3];
        for list in 0..3 {
            let (lo, hi) = (columns[axes[list]], columns[3 + axes[list]]);
            let end = planes[list].below::<false>(hi);
            let is_planar = eq(lo, hi);
            let start = planes[list].below::<true>(lo);
            let start = _mm256_blendv_epi8(start, end, to_bits(is_planar));
            planar[list] = bits_of(is_planar);
            // SAFETY: eight words each.
            unsafe {
                _mm256_storeu_si256(starts[list].as_mut_ptr().cast(), start);
                _mm256_storeu_si256(ends[list].as_mut_ptr().cast(), end);
            }
        }
        for (lane, (reference, span)) in group.iter().zip(spans).enumerate() {
            let counts_as_bounds = is_whole || !is_beside(bins, reference);
            for list in 0..3 {
                let (start, end) = (starts[list][lane] as usize, ends[list][lane] as usize);
                (span.starts[list], span.ends[list]) = (start as u8, end as u8);
                let (start, end) = (start % COUNT, end % COUNT);
                let histogram = &mut sums[list];
                histogram.starts[start] += 1;
                histogram.ends[end] += 1;
                if counts_as_bounds {
                    histogram.planar[end] += (planar[list] >> lane & 1) as u32;
                    let axis = axes[list];
                    let first = &mut histogram.first[start];
                    *first = lesser(*first, reference.min[axis]);
                    let last = &mut histogram.last[end];
                    *last = greater(*last, reference.max[axis]);
                }
            }
        }
    }
}
