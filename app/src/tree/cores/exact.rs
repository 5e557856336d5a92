//! The exact search: planes at the bounds of a small node's triangles. As in the kernels, but
//! a vector holds planes, not lanes of a warp.

use heapwood_device::kdtree::bounds::{Bounds, from_key, min, pick, to_key};
use heapwood_device::kdtree::sah::{Heuristic, NO_CANDIDATE, axis_of, candidate, pays, plane_of};
use heapwood_device::kdtree::thresholds::SMALL_NODE;

use super::facets::Reference;
use super::wide::{Valued, Wide};

/// Planes that are valued at a time.
const LANES: usize = 8;
/// References of a small node, at most.
const SMALL: usize = SMALL_NODE as usize;
/// Planes on an axis, at most, and one more that is written and not kept.
const PLANES: usize = 2 * SMALL + LANES;

/// A split of a small node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactSplit {
    /// The axis.
    pub axis: u32,
    /// The plane.
    pub position: f32,
    /// References below, as a mask of those of the node.
    pub below: u64,
    /// References above, likewise.
    pub above: u64,
}

/// The best split, if one is cheaper than a leaf, of a node with these references.
pub fn best_exact_split(
    node: &Valued,
    wide: Option<Wide>,
    references: &[Reference],
) -> Option<ExactSplit> {
    let heuristic = Heuristic::new(node.costs, node.bounds, node.count);
    let (axis, position) = match wide {
        Some(wide) => wide.best_plane(node, references)?,
        None => best_plane(heuristic, &node.bounds, references)?,
    };
    let sides = match wide {
        Some(wide) => wide.sides(references, axis, position),
        None => sides(references, axis, position),
    };
    Some(split_at(heuristic, axis, position, sides))
}

/// The best plane as axis and position, if one pays.
fn best_plane(
    heuristic: Heuristic,
    bounds: &Bounds,
    references: &[Reference],
) -> Option<(u32, f32)> {
    let count = references.len();
    let mut best = NO_CANDIDATE;
    let mut planes = Planes {
        positions: [0.0; PLANES],
        ranks: [0; PLANES],
        count: 0,
    };
    let (mut least, mut greatest) = ([0.0; SMALL], [0.0; SMALL]);
    for axis in 0..3 {
        for (index, reference) in references.iter().enumerate() {
            least[index] = pick(reference.min, axis);
            greatest[index] = pick(reference.max, axis);
        }
        let (least, greatest) = (&least[..count], &greatest[..count]);
        planes.collect(
            [least, greatest],
            pick(bounds.min, axis),
            pick(bounds.max, axis),
        );
        let found = planes.value(heuristic, axis, least, greatest);
        best = if found < best { found } else { best };
    }
    pays(best).then(|| (axis_of(best), from_key(plane_of(best))))
}

/// The references that lie below a plane, above it, and in it, as masks.
fn sides(references: &[Reference], axis: u32, position: f32) -> [u64; 3] {
    let mut masks = [0; 3];
    for (index, reference) in references.iter().enumerate() {
        let (lo, hi) = (pick(reference.min, axis), pick(reference.max, axis));
        masks[0] |= u64::from(lo < position) << index;
        masks[1] |= u64::from(hi > position) << index;
        masks[2] |= u64::from((lo == position) & (hi == position)) << index;
    }
    masks
}

/// The split at a plane: triangles in it go to the cheaper side, below if equal.
fn split_at(
    heuristic: Heuristic,
    axis: u32,
    position: f32,
    [mut below, mut above, planar]: [u64; 3],
) -> ExactSplit {
    if planar != 0 {
        let cost = |below: u64, above: u64| {
            heuristic.split(axis, position, below.count_ones(), above.count_ones())
        };
        if cost(below | planar, above) <= cost(below, above | planar) {
            below |= planar;
        } else {
            above |= planar;
        }
    }
    ExactSplit {
        axis,
        position,
        below,
        above,
    }
}

/// Planes on an axis.
struct Planes {
    positions: [f32; PLANES],
    ranks: [u32; PLANES],
    count: usize,
}

impl Planes {
    /// Takes those bounds that are inside the box.
    fn collect(&mut self, lists: [&[f32]; 2], low: f32, high: f32) {
        let mut count = 0;
        for list in lists {
            for &x in list {
                self.positions[count] = x;
                count += usize::from(x > low && x < high);
            }
        }
        self.count = count;
        let room = count.next_multiple_of(LANES);
        self.positions[count..room].fill(low);
    }

    /// The best of them as a candidate.
    fn value(&mut self, heuristic: Heuristic, axis: u32, least: &[f32], greatest: &[f32]) -> u64 {
        if self.count == 0 {
            return NO_CANDIDATE;
        }
        let vectors = self.positions.chunks_exact(LANES);
        let vectors = vectors.zip(self.ranks.chunks_exact_mut(LANES));
        for (positions, ranks) in vectors.take(self.count.div_ceil(LANES)) {
            let (mut below, mut above, mut planar) = ([0u32; LANES], [0u32; LANES], [0u32; LANES]);
            for (&lo, &hi) in least.iter().zip(greatest) {
                for lane in 0..LANES {
                    let x = positions[lane];
                    below[lane] += u32::from(lo < x);
                    above[lane] += u32::from(hi > x);
                    planar[lane] += u32::from(lo == x) & u32::from(hi == x);
                }
            }
            for lane in 0..LANES {
                let x = positions[lane];
                let one = heuristic.split(axis, x, below[lane] + planar[lane], above[lane]);
                let two = heuristic.split(axis, x, below[lane], above[lane] + planar[lane]);
                ranks[lane] = min(one, two).to_bits() >> 1;
            }
        }
        let ranks = &self.ranks[..self.count];
        let best = ranks.iter().fold(u32::MAX, |best, &rank| best.min(rank));
        let keys = ranks.iter().zip(&self.positions);
        let keys = keys.filter(|(rank, _)| **rank == best);
        let key = keys.map(|(_, &x)| to_key(x)).min();
        candidate(f32::from_bits(best << 1), axis, key.unwrap_or(u32::MAX))
    }
}
