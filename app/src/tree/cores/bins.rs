//! Counting parts into bins.

use heapwood_device::kdtree::bins::{BINS, Bins};
use heapwood_device::kdtree::bounds::{Bounds, pick};

use super::facets::Reference;

/// Bins of a list.
pub const COUNT: usize = BINS as usize;

/// Counts of the parts in each bin of a list.
#[derive(Clone, Copy)]
pub struct Histogram {
    /// Parts that start in the bin.
    pub starts: [u32; COUNT],
    /// Parts that end there.
    pub ends: [u32; COUNT],
    /// Parts there whose start is their end.
    pub planar: [u32; COUNT],
    /// The first start; infinite if there is none.
    pub first: [f32; COUNT],
    /// The last end; negative infinite if there is none.
    pub last: [f32; COUNT],
}

/// Histograms of three lists of bins.
pub type Histograms = [Histogram; 3];

/// Histograms of no parts.
pub const NOTHING: Histograms = [Histogram {
    starts: [0; COUNT],
    ends: [0; COUNT],
    planar: [0; COUNT],
    first: [f32::INFINITY; COUNT],
    last: [f32::NEG_INFINITY; COUNT],
}; 3];

/// The bins in which a part starts and ends, in each list.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// The first bins.
    pub starts: [u8; 3],
    /// The last bins.
    pub ends: [u8; 3],
}

/// Adds the parts that others have counted.
pub fn merge(sums: &mut Histograms, others: &Histograms) {
    for (sum, other) in sums.iter_mut().zip(others) {
        for bin in 0..COUNT {
            sum.starts[bin] += other.starts[bin];
            sum.ends[bin] += other.ends[bin];
            sum.planar[bin] += other.planar[bin];
            sum.first[bin] = lesser(sum.first[bin], other.first[bin]);
            sum.last[bin] = greater(sum.last[bin], other.last[bin]);
        }
    }
}

/// Counts the parts of references into bins, one after the other, and notes in which ones each
/// of them is.
pub fn count_each(bins: Bins, references: &[Reference], spans: &mut [Span], sums: &mut Histograms) {
    let axes = [0, 1, 2].map(|list| bins.axis(list));
    for (reference, span) in references.iter().zip(spans) {
        let is_beside = is_beside(bins, reference);
        for list in 0..3 {
            let (lo, hi) = (
                pick(reference.min, axes[list]),
                pick(reference.max, axes[list]),
            );
            let (start, end) = bins.span(list as u32, lo, hi);
            (span.starts[list], span.ends[list]) = (start as u8, end as u8);
            let (start, end) = (start as usize % COUNT, end as usize % COUNT);
            let histogram = &mut sums[list];
            histogram.starts[start] += 1;
            histogram.ends[end] += 1;
            if !is_beside {
                histogram.planar[end] += u32::from(lo == hi);
                histogram.first[start] = lesser(histogram.first[start], lo);
                histogram.last[end] = greater(histogram.last[end], hi);
            }
        }
    }
}

/// Whether a part lies beside the refined bin. Such a part counts in the outer bins of each
/// list, but not as bounds.
#[inline(always)]
pub fn is_beside(bins: Bins, reference: &Reference) -> bool {
    let part = Bounds {
        min: reference.min,
        max: reference.max,
    };
    bins.beside(part) != (false, false)
}

/// The smaller one; neither is NaN.
#[inline(always)]
pub fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The larger one; neither is NaN.
#[inline(always)]
pub fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}
