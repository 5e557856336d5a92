//! The corners of the part of a triangle inside a box, as intervals of doubles.

use heapwood_device::kdtree::bounds::{Bounds, Point};

use super::interval::Interval;
use super::pairs::Pair;

/// Calls `see` with all corners of the part, and with some points that may be none. Returns
/// whether these are all, which doubles cannot always decide.
///
/// A corner is one of the triangle, or where one of its edges meets a face of the box, or
/// where an edge of the box meets the triangle.
pub fn visit(pair: &Pair, mut see: impl FnMut([Interval; 3])) -> bool {
    let Pair { triangle, within } = pair;
    let own = Bounds::of(triangle);
    if (0..3).any(|k| own.max[k] < within.min[k] || own.min[k] > within.max[k]) {
        return true;
    }
    for corner in triangle {
        if (0..3).all(|k| within.min[k] <= corner[k] && corner[k] <= within.max[k]) {
            see(corner.map(Interval::of));
        }
    }
    for index in 0..3 {
        let (a, b) = (&triangle[index], &triangle[(index + 1) % 3]);
        for axis in 0..3 {
            for plane in [within.min[axis], within.max[axis]] {
                if let Some(point) = on_edge(a, b, axis, plane, within) {
                    see(point);
                }
            }
        }
    }
    (0..3).all(|axis| visit_box_edges(pair, &own, axis, &mut see))
}

/// The numbers of an interval that are in a range, if any.
fn limited(numbers: Interval, low: f32, high: f32) -> Option<Interval> {
    let part = Interval {
        low: numbers.low.max(f64::from(low)),
        high: numbers.high.min(f64::from(high)),
    };
    (part.low <= part.high).then_some(part)
}

/// Where an edge goes through a plane, unless that is certainly outside of the box.
fn on_edge(
    a: &Point,
    b: &Point,
    axis: usize,
    plane: f32,
    within: &Bounds,
) -> Option<[Interval; 3]> {
    let is_between = (a[axis] < plane && plane < b[axis]) || (b[axis] < plane && plane < a[axis]);
    if !is_between {
        return None;
    }
    let [from, to, at] = [a[axis], b[axis], plane].map(Interval::of);
    let part = (at - from) / (to - from);
    let mut point = [at; 3];
    for k in (0..3).filter(|&k| k != axis) {
        let (from, to) = (Interval::of(a[k]), Interval::of(b[k]));
        let number = if a[k] == b[k] {
            from
        } else {
            limited(from + (to - from) * part, a[k].min(b[k]), a[k].max(b[k]))?
        };
        point[k] = limited(number, within.min[k], within.max[k])?;
    }
    Some(point)
}

/// Where the edges of the box along an axis meet the triangle; whether doubles can tell.
fn visit_box_edges(
    pair: &Pair,
    own: &Bounds,
    w: usize,
    see: &mut impl FnMut([Interval; 3]),
) -> bool {
    let (u, v) = ((w + 1) % 3, (w + 2) % 3);
    let within = &pair.within;
    let covers = |k: usize, x: f32| own.min[k] <= x && x <= own.max[k];
    let corners = [0, 1, 2, 3].map(|corner| {
        let x = [within.min[u], within.max[u]][corner & 1];
        (x, [within.min[v], within.max[v]][corner >> 1])
    });
    if !corners.iter().any(|&(x, y)| covers(u, x) && covers(v, y)) {
        return true;
    }
    let [a, b, c] = pair.triangle.map(|corner| corner.map(Interval::of));
    let cross = |p: [Interval; 3], q: [Interval; 3], x: Interval, y: Interval| {
        (p[u] - x) * (q[v] - y) - (p[v] - y) * (q[u] - x)
    };
    let area = cross(b, c, a[u], a[v]);
    if area.is_zero() {
        // Edges of the triangle meet faces where the box's edge enters it.
        return true;
    }
    if area.has_zero() {
        return false;
    }
    for (x, y) in corners {
        if !(covers(u, x) && covers(v, y)) {
            continue;
        }
        let (x, y) = (Interval::of(x), Interval::of(y));
        let weights = [cross(b, c, x, y), cross(c, a, x, y), cross(a, b, x, y)];
        let is_beside = |weight: &Interval| {
            if area.low > 0.0 {
                weight.high < 0.0
            } else {
                weight.low > 0.0
            }
        };
        if weights.iter().any(is_beside) {
            continue;
        }
        let number = if own.min[w] == own.max[w] {
            Some(a[w])
        } else {
            let sum = weights[1] * (b[w] - a[w]) + weights[2] * (c[w] - a[w]);
            limited(a[w] + sum / area, own.min[w], own.max[w])
        };
        let number = number.and_then(|number| limited(number, within.min[w], within.max[w]));
        if let Some(number) = number {
            let mut point = [number; 3];
            (point[u], point[v]) = (x, y);
            see(point);
        }
    }
    true
}
