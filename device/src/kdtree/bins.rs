//! Bins for the binned search: equidistant planes across a node's box, or finer ones
//! across a single bin of it.

use super::bounds::{Bounds, Point, pick};

/// Bins of a list.
pub const BINS: u32 = 32;

/// Words of a histogram that are sums, for each list and bin: starts, then
/// ends, then triangles whose start is their end.
pub const SUM_WORDS: u32 = 9 * BINS;
/// Words of a histogram. Behind the sums lie maxima: complements of the keys of
/// the least starts, then keys of the greatest ends.
pub const HISTOGRAM_WORDS: u32 = SUM_WORDS + 6 * BINS;

/// In place of a refined bin: the bins lie across the whole box.
pub const WHOLE_BOX: u32 = 3 * BINS;

/// Parts of a refined bin. The outer bins of each list stand for what lies
/// beside it, so that planes between lists have a bin on either side.
const PARTS: u32 = 3 * (BINS - 2);

/// Three lists of bins with equidistant planes: plane `k` of `1..BINS` bounds bin
/// `k` of a list from below. Bins are exact with respect to `plane`, whatever
/// rounding does.
///
/// Either each list lies along an axis, across the box. Or the lists lie along one
/// axis, one behind the other, and split one bin of the box again: the refined bin.
#[derive(Clone, Copy)]
pub struct Bins {
    min: Point,
    step: Point,
    /// The refined bin, `BINS` to an axis, or `WHOLE_BOX`.
    refined: u32,
}

impl Bins {
    /// The bins across this box, or those that refine one of them.
    #[inline(always)]
    pub fn new(bounds: Bounds, refined: u32) -> Self {
        let step = |axis: usize| (bounds.max[axis] - bounds.min[axis]) * (1.0 / BINS as f32);
        let whole = Self {
            min: bounds.min,
            step: [step(0), step(1), step(2)],
            refined,
        };
        if refined == WHOLE_BOX {
            return whole;
        }
        let lo = whole.plane(refined / BINS, refined % BINS);
        let step = pick(whole.step, refined / BINS) * (1.0 / PARTS as f32);
        let list = |list: u32| lo + step * ((list * (BINS - 2)) as f32 - 1.0);
        Self {
            min: [list(0), list(1), list(2)],
            step: [step; 3],
            refined,
        }
    }

    /// The axis of a list.
    #[inline(always)]
    pub fn axis(self, list: u32) -> u32 {
        if self.is_whole() {
            list
        } else {
            self.refined / BINS
        }
    }

    /// Whether the bins cover the whole box.
    #[inline(always)]
    pub fn is_whole(self) -> bool {
        self.refined == WHOLE_BOX
    }

    /// Whether bounds end before the refined bin, and so lie in the first bin of each
    /// list; and whether they start behind it, in the last bin of each.
    #[inline(always)]
    pub fn beside(self, part: Bounds) -> (bool, bool) {
        if self.is_whole() {
            return (false, false);
        }
        let axis = self.axis(0);
        let before = pick(part.max, axis) <= self.plane(0, 1);
        let behind = pick(part.min, axis) > self.plane(2, BINS - 1);
        (before, behind)
    }

    /// Position of plane `k` of a list.
    #[inline(always)]
    pub fn plane(self, list: u32, k: u32) -> f32 {
        pick(self.min, list) + pick(self.step, list) * k as f32
    }

    /// The bins in which bounds start and end: the bounds are below plane `k`
    /// in part if `start < k`, above in part if `end >= k`. The first is never behind the last,
    /// so every reference counts on some side.
    #[inline(always)]
    pub fn span(self, list: u32, lo: f32, hi: f32) -> (u32, u32) {
        let end = self.last_below(list, hi);
        let start = if lo == hi {
            end
        } else {
            let mut bin = self.near(list, lo);
            while bin > 0 && self.plane(list, bin) > lo {
                bin -= 1;
            }
            while bin < BINS - 1 && self.plane(list, bin + 1) <= lo {
                bin += 1;
            }
            bin
        };
        (if start < end { start } else { end }, end)
    }

    /// The last plane strictly below `x`, or 0.
    #[inline(always)]
    fn last_below(self, list: u32, x: f32) -> u32 {
        let mut bin = self.near(list, x);
        while bin > 0 && self.plane(list, bin) >= x {
            bin -= 1;
        }
        while bin < BINS - 1 && self.plane(list, bin + 1) < x {
            bin += 1;
        }
        bin
    }

    /// The bin of `x` but for rounding; a list without extent has bin 0 only.
    #[inline(always)]
    fn near(self, list: u32, x: f32) -> u32 {
        let bin = ((x - pick(self.min, list)) / pick(self.step, list)) as u32;
        if bin < BINS { bin } else { BINS - 1 }
    }
}
