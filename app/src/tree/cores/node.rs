//! The steps of a node, however many threads work on it: its split is chosen, and its references go
//! to the children.

use heapwood_device::kdtree::bins::{BINS, Bins, WHOLE_BOX};
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::thresholds::REFINE;

use super::binned::{BinnedSplit, best_binned_split};
use super::bins::{Histograms, Span};
use super::build::{Build, Task};
use super::facets::Reference;

/// The split of a node of `count` references that are counted into bins; `count_into` counts
/// them anew, into the finer bins of one of them, or back.
pub fn choose_binned(
    build: &Build,
    task: &Task,
    count: u32,
    mut count_into: impl FnMut(Bins) -> Histograms,
) -> Option<BinnedSplit> {
    let valued = build.valued(task, count);
    let whole = Bins::new(task.bounds, WHOLE_BOX);
    let histograms = count_into(whole);
    let found = best_binned_split(&valued, build.wide, whole, &histograms)?;
    let splits_off = found.below == 0 || found.above == 0;
    if count <= REFINE || task.depth >= build.max_depth || splits_off {
        return Some(found);
    }
    // Of the two bins beside the plane, the one with more starts and ends, whichever are fewer.
    let histogram = &histograms[found.axis as usize];
    let weight = |bin: usize| histogram.starts[bin].min(histogram.ends[bin]);
    let bin = found.bin as usize;
    let is_before = bin > 0 && weight(bin - 1) > weight(bin);
    let refined = found.axis * BINS + found.bin - u32::from(is_before);
    let bins = Bins::new(task.bounds, refined);
    let histograms = count_into(bins);
    let finer = best_binned_split(&valued, build.wide, bins, &histograms);
    let finer = finer.filter(|finer| finer.rank < found.rank);
    if finer.is_none() {
        count_into(whole);
    }
    finer.or(Some(found))
}

/// Which references of a node go where.
#[derive(Clone, Copy)]
pub enum Sides<'a> {
    /// After a binned search: by the bins of each.
    Binned(&'a BinnedSplit, &'a [Span]),
    /// After an exact search: masks of those below and above.
    Exact(u64, u64),
}

/// Copies references of a node to its children: first those above, then those below, each with
/// its part inside the child. `children` has room for just them, and `above` is how many go
/// above. They may be a chunk of the node's; `counts` are how many of all go below and above.
pub fn partition(
    build: &Build,
    tasks: &[Task; 2],
    plane: (u32, f32),
    counts: (u32, u32),
    (node, sides): (&[Reference], Sides),
    (children, above): (&mut [Reference], usize),
    cut: &mut Vec<u32>,
) {
    let facets = build.facets;
    let below = children.len() - above;
    if cut.len() < children.len() {
        cut.resize(children.len().next_power_of_two(), 0);
    }
    let (cut_above, cut_below) = cut.split_at_mut(above);
    let (to_above, to_below) = children.split_at_mut(above);
    let mut above_child = Child::new(plane, to_above, 0, cut_above);
    let mut below_child = Child::new(plane, to_below, above, cut_below);
    match sides {
        Sides::Binned(split, spans) => {
            for (reference, span) in node.iter().zip(spans) {
                let own = &facets[reference.id as usize].bounds;
                let (is_below, is_above) = split.sides(span);
                if is_below {
                    below_child.take::<false>(own, reference);
                }
                if is_above {
                    above_child.take::<true>(own, reference);
                }
            }
        }
        Sides::Exact(mut below, mut above) => {
            while below != 0 {
                let reference = &node[below.trailing_zeros() as usize];
                below_child.take::<false>(&facets[reference.id as usize].bounds, reference);
                below &= below - 1;
            }
            while above != 0 {
                let reference = &node[above.trailing_zeros() as usize];
                above_child.take::<true>(&facets[reference.id as usize].bounds, reference);
                above &= above - 1;
            }
        }
    }
    debug_assert_eq!((below_child.count, above_child.count), (below, above));
    // A leaf of one reference does not need its part.
    let cuts = |child: &Child, count: u32| if count > 1 { child.cuts } else { 0 };
    let cuts_below = cuts(&below_child, counts.0);
    let cuts_above = cuts(&above_child, counts.1);
    cut.copy_within(above..above + cuts_below, cuts_above);
    let cut = &cut[..cuts_above + cuts_below];
    let boxes = [tasks[0].bounds, tasks[1].bounds];
    match build.wide {
        Some(wide) if build.options.clip => wide.clip(facets, children, (cut, cuts_above), boxes),
        _ => {
            for &index in cut {
                let reference = &mut children[index as usize];
                let within = boxes[usize::from((index as usize) < above)];
                let facet = &facets[reference.id as usize];
                *reference = Reference::of(facet, within, build.options.clip);
            }
        }
    }
}

/// A child that takes references.
struct Child<'a> {
    axis: usize,
    position: f32,
    references: &'a mut [Reference],
    count: usize,
    /// References before those of the child.
    before: usize,
    /// References whose triangles the plane may have cut, and how many they are.
    cut: &'a mut [u32],
    cuts: usize,
}

impl<'a> Child<'a> {
    fn new(
        (axis, position): (u32, f32),
        references: &'a mut [Reference],
        before: usize,
        cut: &'a mut [u32],
    ) -> Self {
        Self {
            axis: axis as usize % 3,
            position,
            references,
            count: 0,
            before,
            cut,
            cuts: 0,
        }
    }

    /// Takes a reference of the parent to a triangle with these bounds.
    ///
    /// The part stays what it is unless the triangle reaches the plane. For a box that differs
    /// only in a face which lies beyond the triangle, clipping takes the same steps: no edge
    /// meets the plane between its ends, no edge of the box in the plane is within the
    /// triangle's bounds, and what its other edges meet lies in front of the plane.
    #[inline(always)]
    fn take<const ABOVE: bool>(&mut self, own: &Bounds, reference: &Reference) {
        let (is_apart, is_inside) = if ABOVE {
            let least = own.min[self.axis];
            (least > self.position, least >= self.position)
        } else {
            let greatest = own.max[self.axis];
            (greatest < self.position, greatest <= self.position)
        };
        let is_whole = reference.is_whole & u32::from(is_inside);
        self.references[self.count] = Reference {
            is_whole,
            ..*reference
        };
        // Written in any case, since whether it counts cannot be predicted.
        self.cut[self.cuts] = (self.before + self.count) as u32;
        self.cuts += usize::from(!is_apart & (is_whole == 0));
        self.count += 1;
    }
}
