//! Code for vectors gives what code for one gives, and what the device crate gives.

use heapwood_device::kdtree::bins::{Bins, WHOLE_BOX};
use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_device::kdtree::plan::Options;
use heapwood_device::kdtree::sah::{Costs, Heuristic};

use super::Cores;
use super::binned;
use super::bins::{NOTHING, Span};
use super::build::{Build, Task};
use super::exact::best_exact_split;
use super::facets::{Facet, Reference};
use super::node::{Sides, partition};
use super::wide::{Valued, Wide};

// The pairs that clipping is held to exact arithmetic with. The crate that has them depends on this
// one, and the code for vectors is private.
#[path = "../../../../tests/src/clipping/pairs.rs"]
#[expect(dead_code, reason = "that crate uses the others")]
mod pairs;
#[path = "../../../../tests/src/random.rs"]
mod random;

/// xorshift64, Marsaglia 2003.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.bits() >> 33) as usize % limit
    }

    /// From 0 to 1; on a coarse grid if asked for, where coordinates meet.
    fn unit(&mut self, is_coarse: bool) -> f32 {
        let x = (self.bits() >> 40) as f32 / (1 << 24) as f32;
        if is_coarse {
            (x * 6.0).floor() / 6.0
        } else {
            x
        }
    }

    fn triangle(&mut self, is_coarse: bool) -> Triangle {
        let mut triangle = [[0; 3]; 3].map(|corner| corner.map(|_| self.unit(is_coarse)));
        // Segments, points, and triangles in planes along the axes.
        match self.below(12) {
            0 => triangle[2] = triangle[0],
            1 => triangle = [triangle[0]; 3],
            2..=4 => {
                let axis = self.below(3);
                triangle[1][axis] = triangle[0][axis];
                triangle[2][axis] = triangle[0][axis];
            }
            5 => triangle = triangle.map(|corner| corner.map(|x| x * 1e-3 + 5e3)),
            6 => triangle = triangle.map(|corner| corner.map(|x| -x)),
            _ => {}
        }
        triangle
    }

    fn bounds(&mut self, is_coarse: bool, like: &Triangle) -> Bounds {
        let around = Bounds::of(like);
        let mut corner = || {
            [0, 1, 2].map(|k| {
                let size = around.max[k] - around.min[k];
                around.min[k] + size * (self.unit(is_coarse) * 1.4 - 0.2)
            })
        };
        Bounds::EMPTY.with(corner()).with(corner())
    }
}

fn facet(id: usize, triangle: Triangle) -> Facet {
    Facet {
        triangle,
        bounds: Bounds::of(&triangle),
        id: id as u32,
    }
}

fn same(one: &Reference, other: &Reference) -> bool {
    one.min == other.min
        && one.max == other.max
        && (one.id, one.is_whole) == (other.id, other.is_whole)
}

#[test]
fn vectors_clip_as_the_device_crate_does() {
    let Some(wide) = Wide::detect() else {
        return println!("skipped: no vectors of eight");
    };
    let mut numbers = Numbers(1);
    for round in 0..20_000 {
        let is_coarse = round % 2 == 1;
        let count = 1 + numbers.below(20);
        let facets: Vec<Facet> = (0..count)
            .map(|id| facet(id, numbers.triangle(is_coarse)))
            .collect();
        let boxes = [0; 2].map(|_| {
            let like = facets[numbers.below(count)].triangle;
            numbers.bounds(is_coarse, &like)
        });
        let seconds = numbers.below(count + 1);
        let mut found: Vec<Reference> = (0..count)
            .map(|id| Reference {
                id: id as u32,
                ..Reference::default()
            })
            .collect();
        let cut: Vec<u32> = (0..count as u32).collect();
        wide.clip(&facets, &mut found, (&cut, seconds), boxes);
        for (index, (found, facet)) in found.iter().zip(&facets).enumerate() {
            let within = boxes[usize::from(index < seconds)];
            let expected = Reference::of(facet, within, true);
            assert!(
                same(found, &expected),
                "{found:?} {expected:?} {:?} {within:?}",
                facet.triangle
            );
        }
    }
}

/// Corners in planes and next to them, slivers, and scenes of any size.
#[test]
fn vectors_clip_pairs_that_are_hard_as_the_device_crate_does() {
    let Some(wide) = Wide::detect() else {
        return println!("skipped: no vectors of eight");
    };
    let mut random = random::Random(7);
    for _ in 0..10_000 {
        let count = 1 + random.below(10);
        let pairs: Vec<_> = (0..count).map(|_| pairs::pair(&mut random)).collect();
        let numbered = pairs.iter().enumerate();
        let facets: Vec<Facet> = numbered
            .map(|(id, pair)| facet(id, pair.triangle))
            .collect();
        let cut: Vec<u32> = (0..count as u32).collect();
        // Each triangle at its own box, and at that of another.
        for index in 0..count {
            let boxes = [index, (index + 1) % count].map(|index| pairs[index].within);
            let seconds = random.below(count + 1);
            let mut found: Vec<Reference> = cut
                .iter()
                .map(|&id| Reference {
                    id,
                    ..Reference::default()
                })
                .collect();
            wide.clip(&facets, &mut found, (&cut, seconds), boxes);
            for (index, (found, facet)) in found.iter().zip(&facets).enumerate() {
                let within = boxes[usize::from(index < seconds)];
                let expected = Reference::of(facet, within, true);
                let triangle = facet.triangle;
                assert!(
                    same(found, &expected),
                    "{found:?} {expected:?} {triangle:?} {within:?}"
                );
            }
        }
    }
}

/// A plane that a triangle does not reach changes nothing of its clipping: what a child keeps
/// of its parent's parts is what clipping would give.
#[test]
fn a_plane_beyond_a_triangle_changes_nothing() {
    let mut numbers = Numbers(2);
    let mut tried = 0;
    for round in 0..400_000 {
        let is_coarse = round % 2 == 1;
        let triangle = numbers.triangle(is_coarse);
        let facet = facet(0, triangle);
        let within = numbers.bounds(is_coarse, &triangle);
        let axis = numbers.below(3);
        let (own, is_above) = (&facet.bounds, round % 4 < 2);
        // The next number beyond the triangle, or one further away.
        let position = match (is_above, round % 3) {
            (false, 0) => own.max[axis].next_up(),
            (true, 0) => own.min[axis].next_down(),
            (false, _) => own.max[axis] + numbers.unit(is_coarse) * 0.1,
            (true, _) => own.min[axis] - numbers.unit(is_coarse) * 0.1,
        };
        let is_apart = if is_above {
            position < own.min[axis]
        } else {
            position > own.max[axis]
        };
        let is_inside = position > within.min[axis] && position < within.max[axis];
        if !is_apart || !is_inside {
            continue;
        }
        let child = within.side(axis as u32, position, is_above);
        let (before, after) = (
            Reference::of(&facet, within, true),
            Reference::of(&facet, child, true),
        );
        assert!(same(&before, &after), "{triangle:?} {within:?} {child:?}");
        tried += 1;
    }
    assert!(tried > 20_000, "{tried}");
}

/// Of a chunk that has a single reference on a side it is clipped, as long as others of the node
/// go there too.
#[test]
fn the_single_reference_of_a_chunk_is_clipped() {
    let facets = [facet(
        0,
        [[0.1, 0.0, 0.0], [0.9, 0.0, 0.3], [0.2, 0.8, 0.6]],
    )];
    let within = facets[0].bounds;
    let options = Options::default();
    for wide in [None, Wide::detect()] {
        let build = Build {
            facets: &facets,
            options,
            wide,
            max_depth: 9,
            added: Default::default(),
            bound: 9,
        };
        let task = |bounds| Task {
            bounds,
            depth: 1,
            budget: 0,
        };
        let plane = (0, 0.5);
        let boxes = [false, true].map(|is_above| within.side(plane.0, plane.1, is_above));
        let whole = Reference::of(&facets[0], within, true);
        for (count, is_clipped) in [(2, true), (1, false)] {
            let mut children = [Reference::default(); 2];
            partition(
                &build,
                &boxes.map(task),
                plane,
                (count, count),
                (&[whole], Sides::Exact(1, 1)),
                (&mut children, 1),
                &mut Vec::new(),
            );
            let part = |within| Reference::of(&facets[0], within, true);
            let is_part =
                same(&children[0], &part(boxes[1])) && same(&children[1], &part(boxes[0]));
            assert_eq!(is_part, is_clipped, "{children:?}");
        }
    }
}

/// References to parts inside a box.
fn parts(numbers: &mut Numbers, count: usize, is_coarse: bool) -> (Bounds, Vec<Reference>) {
    let bounds = Bounds {
        min: [0.0, 0.1, 0.2],
        max: [1.0, 0.9, 0.7],
    };
    let references = (0..count)
        .map(|id| {
            let size = [1.0, 0.1][numbers.below(2)];
            let at = numbers.unit(is_coarse);
            let triangle = numbers.triangle(is_coarse);
            let triangle = triangle.map(|corner| corner.map(|x| at + (x - at) * size));
            Reference::of(&facet(id, triangle), bounds, true)
        })
        .collect();
    (bounds, references)
}

#[test]
fn vectors_find_the_exact_splits_of_single_planes() {
    let Some(wide) = Wide::detect() else {
        return println!("skipped: no vectors of eight");
    };
    let mut numbers = Numbers(3);
    let mut splits = 0;
    for round in 0..4000 {
        let count = 2 + numbers.below(63);
        let (bounds, references) = parts(&mut numbers, count, round % 2 == 1);
        let node = Valued {
            costs: Costs {
                traversal: 1.0,
                intersection: [1.25, 3.0, 40.0][round % 3],
                empty_bonus: [0.0, 0.2, 1.0][round / 3 % 3],
            },
            bounds,
            count: count as u32,
        };
        let expected = best_exact_split(&node, None, &references);
        assert_eq!(best_exact_split(&node, Some(wide), &references), expected);
        splits += usize::from(expected.is_some());
    }
    assert!(splits > 1000, "{splits}");
}

#[test]
fn vectors_count_into_the_bins_of_single_parts() {
    let Some(wide) = Wide::detect() else {
        return println!("skipped: no vectors of eight");
    };
    let mut numbers = Numbers(4);
    for round in 0..600 {
        let count = 65 + numbers.below(300);
        let (bounds, references) = parts(&mut numbers, count, round % 2 == 1);
        let refined = match round % 3 {
            0 => numbers.below(96) as u32,
            _ => WHOLE_BOX,
        };
        let bins = Bins::new(bounds, refined);
        let counted = |wide| {
            let (mut spans, mut sums) = (vec![Span::default(); count], NOTHING);
            binned::count(wide, bins, &references, &mut spans, &mut sums);
            let spans: Vec<_> = spans.iter().map(|span| (span.starts, span.ends)).collect();
            let sums = sums.map(|sum| (sum.starts, sum.ends, sum.planar, sum.first, sum.last));
            (spans, sums)
        };
        let (one, eight) = (counted(None), counted(Some(wide)));
        assert!(one == eight, "{round} {refined}");
    }
}

#[test]
fn costs_in_vectors_are_those_of_the_heuristic() {
    let Some(wide) = Wide::detect() else {
        return println!("skipped: no vectors of eight");
    };
    let mut numbers = Numbers(5);
    for round in 0..2000 {
        let (bounds, _) = parts(&mut numbers, 1, false);
        let count = 65 + numbers.below(100_000) as u32;
        let node = Valued {
            costs: Costs {
                traversal: [1.0, 15.0][round % 2],
                intersection: [1.25, 20.0][round % 2],
                empty_bonus: 0.2,
            },
            bounds,
            count,
        };
        let axis = (round % 3) as u32;
        let mut candidates = super::candidates::Candidates::none();
        let entries = candidates.positions.as_flattened_mut().iter_mut();
        let entries = entries.zip(candidates.below.as_flattened_mut());
        for ((position, below), above) in entries.zip(candidates.above.as_flattened_mut()) {
            *position = numbers.unit(round % 5 == 0);
            *below = numbers.below(count as usize + 1) as u32;
            *above = numbers.below(count as usize + 1) as u32 * u32::from(numbers.below(3) > 0);
        }
        let heuristic = Heuristic::new(node.costs, bounds, count);
        wide.value(&node, axis, &mut candidates);
        let found = candidates.ranks;
        let sides = (bounds.min[axis as usize], bounds.max[axis as usize]);
        candidates.value(heuristic, axis, sides);
        assert_eq!(found, candidates.ranks);
    }
}

#[test]
fn trees_do_not_depend_on_vectors() {
    let mut numbers = Numbers(6);
    for (count, is_coarse) in [(1, false), (300, true), (3000, false), (20_000, true)] {
        let triangles: Vec<Triangle> = (0..count)
            .map(|_| {
                let at = [0; 3].map(|_| numbers.unit(false));
                let triangle = numbers.triangle(is_coarse);
                triangle.map(|corner| [0, 1, 2].map(|k| at[k] + 0.05 * corner[k]))
            })
            .collect();
        let with = Cores::new(Some(2)).expect("threads");
        let without = Cores {
            wide: None,
            ..Cores::new(Some(2)).expect("threads")
        };
        let build = |cores: &Cores| cores.build(&triangles, Options::default()).expect("a tree");
        assert_eq!(build(&with).tree, build(&without).tree, "{count}");
    }
}
