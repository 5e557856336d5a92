//! An exact SAH k-d tree builder on the CPU (Wald and Havran 2006, section 4.4):
//! events of each axis are sorted once; a split filters them, clips the
//! triangles that straddle the plane to both children, and merges their new
//! events in.
//!
//! It ends where no split is cheaper than a leaf (automatic termination, section 3.3) and
//! has no limit of depth: a limit that it shared with the builder would hide what the
//! builder's limit costs. It shares the bound on duplication, which is part of what a tree
//! may be.

use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::Costs;

type Point = [f32; 3];

/// The kind of an event at a position of a sweep. Events at one position are sorted in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    End,
    Planar,
    Start,
}

#[derive(Clone, Copy)]
struct Event {
    position: f32,
    kind: Kind,
    triangle: u32,
}

impl Event {
    fn precedes(&self, other: &Self) -> bool {
        (self.position, self.kind) <= (other.position, other.kind)
    }
}

type Events = [Vec<Event>; 3];

/// A plane, and on which side triangles within it go.
#[derive(Clone, Copy)]
struct Split {
    cost: f64,
    axis: usize,
    position: f32,
    within_below: bool,
}

/// Builds a tree: its nodes and references, in depth-first order. If that has
/// more references than the bound on duplication allows, it is built anew with
/// a budget for each node.
///
/// # Panics
///
/// If there are no triangles.
pub fn build(triangles: &[[Point; 3]], costs: Costs) -> (Vec<Node>, Vec<u32>, Bounds) {
    assert!(!triangles.is_empty());
    let boxes: Vec<Bounds> = triangles.iter().map(own_bounds).collect();
    let root = boxes.iter().fold(Bounds::EMPTY, |all, own| Bounds {
        min: [0, 1, 2].map(|axis| all.min[axis].min(own.min[axis])),
        max: [0, 1, 2].map(|axis| all.max[axis].max(own.max[axis])),
    });
    let mut events: Events = Default::default();
    for (id, own) in boxes.iter().enumerate() {
        add_events(&mut events, id as u32, own);
    }
    events.iter_mut().for_each(|list| sort(list));
    let spare = budget::of_root(triangles.len() as u32);
    let build = |budget: Option<u32>| {
        let mut builder = Builder {
            triangles,
            costs,
            added: 0,
            most: if budget.is_none() { spare } else { u32::MAX },
            boxes: boxes.clone(),
            sides: vec![0; triangles.len()],
            nodes: Vec::new(),
            references: Vec::new(),
        };
        builder.node(events.clone(), triangles.len(), root, budget);
        builder
    };
    let mut builder = build(None);
    if builder.added > builder.most {
        builder = build(Some(spare));
    }
    (builder.nodes, builder.references, root)
}

/// The costs of the trees that others are measured by. The bonus is the one with which
/// the exact builder's trees of scenes cost least, of 0, 0.1, 0.2 and 0.5.
pub const REFERENCE: Costs = Costs {
    traversal: 1.0,
    intersection: 5.0,
    empty_bonus: 0.2,
};

/// Depth of the deepest leaf of a tree; the root's is 0.
pub fn depth(nodes: &[Node]) -> usize {
    let mut deepest = 0;
    let mut waiting = vec![(0, 0)];
    while let Some((index, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        let node: Node = nodes[index];
        if !node.is_leaf() {
            waiting.extend([(index + 1, depth + 1), (node.right() as usize, depth + 1)]);
        }
    }
    deepest
}

struct Builder<'a> {
    triangles: &'a [[Point; 3]],
    costs: Costs,
    /// References that splits have added, and how many make the tree void.
    added: u32,
    most: u32,
    /// Bounds of each triangle, clipped to the node at hand.
    boxes: Vec<Bounds>,
    /// Where each triangle of the node at hand goes: bit 0 below, 1 above.
    sides: Vec<u8>,
    nodes: Vec<Node>,
    references: Vec<u32>,
}

impl Builder<'_> {
    fn node(&mut self, events: Events, count: usize, space: Bounds, budget: Option<u32>) {
        if self.added > self.most {
            return;
        }
        let split = if count <= 1 {
            None
        } else {
            self.search(&events, count, &space)
        };
        let Some(split) = split else {
            self.leaf(&events);
            return;
        };
        let at = self.nodes.len();
        self.nodes.push(Node::leaf(0, 0));
        let axis = split.axis as u32;
        let spaces = [false, true].map(|above| space.side(axis, split.position, above));
        let saved = self.classify(&events, &split);
        let [below, above] = [0, 1].map(|side| self.child(&events, side, &spaces[side]));
        let sizes = [count, below.1, above.1].map(|count| count as u32);
        let added = budget::added(sizes[0], sizes[1], sizes[2]);
        if budget.is_some_and(|budget| added > budget) {
            self.nodes.truncate(at);
            self.leaf(&events);
            return;
        }
        self.added = self.added.saturating_add(added);
        let shares = budget.map(|budget| budget::of_children(budget - added, sizes[1], sizes[2]));
        drop(events);
        // A triangle on both sides has other bounds on each, and its bounds
        // here again when both are done.
        let here = self.swap_bounds(&below.2);
        let budget = shares.map(|shares| shares.0);
        self.node(below.0, below.1, spaces[0], budget);
        self.swap_bounds(&here);
        self.nodes[at] = Node::interior(axis, split.position, self.nodes.len() as u32);
        self.swap_bounds(&above.2);
        let budget = shares.map(|shares| shares.1);
        self.node(above.0, above.1, spaces[1], budget);
        self.swap_bounds(&saved);
    }

    fn leaf(&mut self, events: &Events) {
        let first = self.references.len();
        let ids = events[0].iter().filter(|event| event.kind != Kind::End);
        self.references.extend(ids.map(|event| event.triangle));
        self.references[first..].sort_unstable();
        let count = self.references.len() - first;
        self.nodes.push(Node::leaf(first as u32, count as u32));
    }

    /// The cheapest plane of those that are cheaper than a leaf, by a sweep over each axis.
    fn search(&self, events: &Events, count: usize, space: &Bounds) -> Option<Split> {
        let leaf_cost = f64::from(self.costs.intersection) * count as f64;
        let mut best: Option<Split> = None;
        for (axis, events) in events.iter().enumerate() {
            let (mut below, mut above) = (0, count);
            let mut rest = events.as_slice();
            while let Some(first) = rest.first() {
                let position = first.position;
                let group = rest.iter().take_while(|e| e.position == position).count();
                let number = |kind| rest[..group].iter().filter(|e| e.kind == kind).count();
                let within = number(Kind::Planar);
                above -= within + number(Kind::End);
                if position > space.min[axis] && position < space.max[axis] {
                    for within_below in [true, false] {
                        let (low, high) = if within_below {
                            (below + within, above)
                        } else {
                            (below, above + within)
                        };
                        let (own, cost) = self.cost(space, axis, position, low, high);
                        if own < leaf_cost && best.is_none_or(|best| cost < best.cost) {
                            best = Some(Split {
                                cost,
                                axis,
                                position,
                                within_below,
                            });
                        }
                    }
                }
                below += within + number(Kind::Start);
                rest = &rest[group..];
            }
        }
        best
    }

    /// The cost of a split without the bonus for an empty side, and with it.
    fn cost(
        &self,
        space: &Bounds,
        axis: usize,
        position: f32,
        below: usize,
        above: usize,
    ) -> (f64, f64) {
        let area = |space: &Bounds| {
            let size = [0, 1, 2].map(|k| f64::from(space.max[k]) - f64::from(space.min[k]));
            size[0] * size[1] + size[1] * size[2] + size[2] * size[0]
        };
        let part = |above| area(&space.side(axis as u32, position, above)) / area(space);
        let expected = part(false) * below as f64 + part(true) * above as f64;
        let bonus = if below == 0 || above == 0 {
            1.0 - f64::from(self.costs.empty_bonus)
        } else {
            1.0
        };
        let children = f64::from(self.costs.intersection) * expected;
        let traversal = f64::from(self.costs.traversal);
        (traversal + children, traversal + bonus * children)
    }

    /// Decides where each triangle of the node goes; returns the bounds of
    /// those that go both ways.
    fn classify(&mut self, events: &Events, split: &Split) -> Vec<(u32, Bounds)> {
        let mut both = Vec::new();
        for event in events[0].iter().filter(|event| event.kind != Kind::End) {
            let id = event.triangle as usize;
            let own = self.boxes[id];
            let (lo, hi) = (own.min[split.axis], own.max[split.axis]);
            let within = lo == split.position && hi == split.position;
            let below = lo < split.position || (within && split.within_below);
            let above = hi > split.position || (within && !split.within_below);
            self.sides[id] = u8::from(below) | u8::from(above) << 1;
            if below && above {
                both.push((event.triangle, own));
            }
        }
        both
    }

    /// A child's events, its number of triangles, and the new bounds of those
    /// that straddle the plane.
    fn child(
        &self,
        events: &Events,
        side: usize,
        space: &Bounds,
    ) -> (Events, usize, Vec<(u32, Bounds)>) {
        let mut clipped = Vec::new();
        let mut added: Events = Default::default();
        for event in events[0].iter().filter(|event| event.kind != Kind::End) {
            let id = event.triangle;
            if self.sides[id as usize] == 3 {
                let part = clip(
                    &self.triangles[id as usize],
                    &self.boxes[id as usize],
                    space,
                );
                add_events(&mut added, id, &part);
                clipped.push((id, part));
            }
        }
        added.iter_mut().for_each(|list| sort(list));
        let mut result: Events = Default::default();
        for axis in 0..3 {
            let kept = events[axis]
                .iter()
                .filter(|event| self.sides[event.triangle as usize] == 1 << side);
            result[axis] = merge(kept, &added[axis]);
        }
        let starts = result[0].iter().filter(|event| event.kind != Kind::End);
        let count = starts.count();
        (result, count, clipped)
    }

    /// Replaces bounds; returns the former ones.
    fn swap_bounds(&mut self, bounds: &[(u32, Bounds)]) -> Vec<(u32, Bounds)> {
        let replace =
            |&(id, own): &(u32, Bounds)| (id, std::mem::replace(&mut self.boxes[id as usize], own));
        bounds.iter().map(replace).collect()
    }
}

fn own_bounds(triangle: &[Point; 3]) -> Bounds {
    let fold = |f: fn(f32, f32) -> f32| {
        // + 0.0 turns -0 into +0.
        [0, 1, 2].map(|k| f(f(triangle[0][k], triangle[1][k]), triangle[2][k]) + 0.0)
    };
    Bounds {
        min: fold(f32::min),
        max: fold(f32::max),
    }
}

fn add_events(events: &mut Events, triangle: u32, own: &Bounds) {
    for (axis, list) in events.iter_mut().enumerate() {
        let mut add = |position, kind| {
            list.push(Event {
                position,
                kind,
                triangle,
            })
        };
        if own.min[axis] == own.max[axis] {
            add(own.min[axis], Kind::Planar);
        } else {
            add(own.min[axis], Kind::Start);
            add(own.max[axis], Kind::End);
        }
    }
}

fn sort(events: &mut [Event]) {
    events.sort_unstable_by(|a, b| (a.position.total_cmp(&b.position)).then(a.kind.cmp(&b.kind)));
}

fn merge<'a>(kept: impl Iterator<Item = &'a Event>, added: &[Event]) -> Vec<Event> {
    let mut merged = Vec::new();
    let mut added = added.iter().peekable();
    for event in kept {
        while let Some(next) = added.next_if(|next| next.precedes(event)) {
            merged.push(*next);
        }
        merged.push(*event);
    }
    merged.extend(added);
    merged
}

/// Bounds of the part of a triangle in a box, rounded to floats, within the
/// bounds of its part in the parent's box (Sutherland and Hodgman).
fn clip(triangle: &[Point; 3], before: &Bounds, space: &Bounds) -> Bounds {
    let mut polygon: Vec<[f64; 3]> = triangle.iter().map(|v| v.map(f64::from)).collect();
    for axis in 0..3 {
        for (plane, sign) in [(space.min[axis], 1.0), (space.max[axis], -1.0)] {
            polygon = cut(&polygon, axis, f64::from(plane), sign);
        }
    }
    let limit = |x: f32, axis: usize| {
        x.max(space.min[axis].max(before.min[axis]))
            .min(space.max[axis].min(before.max[axis]))
    };
    let fold = |start: f64, f: fn(f64, f64) -> f64, axis: usize| {
        polygon.iter().fold(start, |m, v| f(m, v[axis])) as f32
    };
    // Nothing left, by rounding: the whole common part of both boxes.
    let (low, high) = if polygon.is_empty() {
        (f64::NEG_INFINITY, f64::INFINITY)
    } else {
        (f64::INFINITY, f64::NEG_INFINITY)
    };
    Bounds {
        min: [0, 1, 2].map(|axis| limit(fold(low, f64::min, axis), axis)),
        max: [0, 1, 2].map(|axis| limit(fold(high, f64::max, axis), axis)),
    }
}

/// The part of a convex polygon above a plane (`sign` 1) or below it (-1).
fn cut(polygon: &[[f64; 3]], axis: usize, plane: f64, sign: f64) -> Vec<[f64; 3]> {
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (index, a) in polygon.iter().enumerate() {
        let b = &polygon[(index + 1) % polygon.len()];
        let (from, to) = (sign * (a[axis] - plane), sign * (b[axis] - plane));
        if from >= 0.0 {
            part.push(*a);
        }
        if (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0) {
            let t = from / (from - to);
            let mut point = [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]));
            point[axis] = plane;
            part.push(point);
        }
    }
    part
}
