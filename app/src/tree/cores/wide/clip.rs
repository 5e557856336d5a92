//! Clipping eight triangles at a time: `heapwood_device::kdtree::clip`, operation by operation,
//! with masks in place of branches.

use core::arch::x86_64::{
    _mm256_and_si256, _mm256_cmpgt_epi32, _mm256_set_epi32, _mm256_set1_epi32, _mm256_sub_epi32,
};

use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::clip::{MIN_SUBNORMAL, ULP, UNDERFLOW};

use super::vector::{
    LANES, V, abs, add, and, and_not, bits_of, div, eq, from_bits, gt, le, load_facet, lt, max,
    min, mul, neg, or, select, splat, store_reference, sub, to_bits, transpose, zero,
};
use crate::tree::cores::facets::{Facet, Reference};

/// Points, one a lane.
type Points = [V; 3];

/// Boxes, one a lane.
#[derive(Clone, Copy)]
struct Boxes {
    min: Points,
    max: Points,
}

/// Clips the triangles of the references `cut`: the first `seconds` of them to the second box,
/// the others to the first.
#[target_feature(enable = "avx2")]
pub fn clip(
    facets: &[Facet],
    references: &mut [Reference],
    (cut, seconds): (&[u32], usize),
    boxes: [Bounds; 2],
) {
    let numbers = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for (group, cut) in cut.chunks(LANES).enumerate() {
        let (mut front, mut back) = ([zero(); LANES], [zero(); LANES]);
        for (lane, &index) in cut.iter().enumerate() {
            let facet = &facets[references[index as usize].id as usize];
            (front[lane], back[lane]) = load_facet(facet);
        }
        let [ax, ay, az, bx, by, bz, cx, cy] = transpose(front);
        let [cz, least_x, least_y, least_z, most_x, most_y, most_z, id] = transpose(back);
        let own = Boxes {
            min: [least_x, least_y, least_z],
            max: [most_x, most_y, most_z],
        };
        let seconds = _mm256_set1_epi32(seconds.saturating_sub(group * LANES) as i32);
        let is_second = from_bits(_mm256_cmpgt_epi32(seconds, numbers));
        let within = Boxes {
            min: [0, 1, 2].map(|k| lanes(is_second, boxes[1].min[k], boxes[0].min[k])),
            max: [0, 1, 2].map(|k| lanes(is_second, boxes[1].max[k], boxes[0].max[k])),
        };
        let (part, is_own) = clipped(
            [[ax, ay, az], [bx, by, bz], [cx, cy, cz]],
            own,
            within,
            (1 << cut.len()) - 1,
        );
        let is_whole = and(is_own, from_bits(_mm256_set1_epi32(1)));
        let (least, most) = (part.min, part.max);
        let rows = transpose([
            least[0], least[1], least[2], most[0], most[1], most[2], id, is_whole,
        ]);
        for (row, &index) in rows.into_iter().zip(cut) {
            store_reference(&mut references[index as usize], row);
        }
    }
}

/// One of two numbers in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(mask: V, a: f32, b: f32) -> V {
    select(mask, splat(a), splat(b))
}

/// Bounds of the parts of triangles inside boxes, and the mask of those that are inside as a
/// whole. Lanes that are not in `used` mean nothing.
#[inline]
#[target_feature(enable = "avx2")]
fn clipped([a, b, c]: [Points; 3], own: Boxes, within: Boxes, used: i32) -> (Boxes, V) {
    let mut part = Boxes {
        min: [splat(f32::INFINITY); 3],
        max: [splat(f32::NEG_INFINITY); 3],
    };
    // A triangle that the box holds on an axis is not cut there: every edge enters before its
    // start and leaves behind its end.
    let held = [0, 1, 2].map(|k| {
        let is_held = and(le(within.min[k], own.min[k]), le(own.max[k], within.max[k]));
        bits_of(is_held) & used == used
    });
    for (from, to) in [(a, b), (b, c), (c, a)] {
        add_edge(&mut part, from, to, &within, held);
    }
    for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        add_box_edges(&mut part, [a, b, c], &own, &within, axes);
    }
    let found = le(part.min[0], part.max[0]);
    let mut is_own = eq(zero(), zero());
    let mut result = own;
    for k in 0..3 {
        let least = min(max(own.min[k], within.min[k]), within.max[k]);
        let most = max(min(own.max[k], within.max[k]), within.min[k]);
        is_own = and(is_own, and(eq(least, own.min[k]), eq(most, own.max[k])));
        result.min[k] = select(found, min(max(part.min[k], least), most), least);
        result.max[k] = select(found, max(min(part.max[k], most), least), most);
    }
    for k in 0..3 {
        result.min[k] = select(is_own, own.min[k], result.min[k]);
        result.max[k] = select(is_own, own.max[k], result.max[k]);
    }
    (result, is_own)
}

/// Adds the parts of edges inside boxes, which hold their triangles on some axes.
#[inline]
#[target_feature(enable = "avx2")]
fn add_edge(part: &mut Boxes, a: Points, b: Points, within: &Boxes, held: [bool; 3]) {
    let (mut enter, mut leave) = (zero(), splat(1.0));
    let (mut outside, mut ends_outside) = (zero(), zero());
    let mut starts_in_face = zero();
    let mut along = [zero(); 3];
    let mut still = [zero(); 3];
    for k in 0..3 {
        along[k] = sub(b[k], a[k]);
        still[k] = eq(along[k], zero());
        if held[k] {
            continue;
        }
        let below = sub(within.min[k], a[k]);
        let above = sub(within.max[k], a[k]);
        let ends = or(lt(b[k], within.min[k]), gt(b[k], within.max[k]));
        ends_outside = or(ends_outside, ends);
        let beside = or(gt(below, zero()), lt(above, zero()));
        outside = or(outside, and(still[k], beside));
        let upwards = gt(along[k], zero());
        let near = select(upwards, below, above);
        let far = select(upwards, above, below);
        let in_face = and_not(still[k], eq(far, zero()));
        starts_in_face = or(starts_in_face, in_face);
        enter = select(still[k], enter, max(div(near, along[k]), enter));
        leave = select(still[k], leave, min(div(far, along[k]), leave));
    }
    outside = or(outside, gt(enter, add(leave, splat(8.0 * ULP))));
    let ends = and_not(outside, ends_outside);
    let underflows = and_not(starts_in_face, eq(leave, zero()));
    leave = select(underflows, splat(MIN_SUBNORMAL), leave);
    let (at_start, at_end) = (eq(enter, zero()), eq(leave, zero()));
    for k in 0..3 {
        let own = mul(abs(along[k]), splat(4.0 * ULP));
        let own = add(own, splat(UNDERFLOW));
        let x = add(a[k], mul(along[k], enter));
        let error = add(mul(abs(x), splat(ULP)), own);
        let error = and_not(or(still[k], at_start), error);
        part.min[k] = select(outside, part.min[k], min(sub(x, error), part.min[k]));
        part.max[k] = select(outside, part.max[k], max(add(x, error), part.max[k]));
        let x = add(a[k], mul(along[k], leave));
        let error = add(mul(abs(x), splat(ULP)), own);
        let error = and_not(or(still[k], at_end), error);
        part.min[k] = select(ends, min(sub(x, error), part.min[k]), part.min[k]);
        part.max[k] = select(ends, max(add(x, error), part.max[k]), part.max[k]);
    }
}

/// Adds the points in which the box edges along the axis `w` meet the insides of triangles.
#[inline]
#[target_feature(enable = "avx2")]
fn add_box_edges(
    part: &mut Boxes,
    [a, b, c]: [Points; 3],
    own: &Boxes,
    within: &Boxes,
    [u, v, w]: [usize; 3],
) {
    let covers = |k: usize, x: V| and(le(own.min[k], x), le(x, own.max[k]));
    let in_x = [covers(u, within.min[u]), covers(u, within.max[u])];
    let in_y = [covers(v, within.min[v]), covers(v, within.max[v])];
    let near = and(or(in_x[0], in_x[1]), or(in_y[0], in_y[1]));
    if bits_of(near) == 0 {
        return;
    }
    let size = [u, v, w].map(|k| sub(own.max[k], own.min[k]));
    let is_segment = or(eq(size[0], zero()), eq(size[1], zero()));
    let unit = [unit_of(size[0]), unit_of(size[1])];
    let corners = [a, b, c];
    let scaled = |p: Points| [mul(p[u], unit[0]), mul(p[v], unit[1]), p[w]];
    let (a, b, c) = (scaled(a), scaled(b), scaled(c));
    let cross = |ux: V, uy: V, vx: V, vy: V| sub(mul(ux, vy), mul(uy, vx));
    let signed = cross(
        sub(b[0], a[0]),
        sub(b[1], a[1]),
        sub(c[0], a[0]),
        sub(c[1], a[1]),
    );
    let flips = lt(signed, zero());
    let area = select(flips, neg(signed), signed);
    let (b, c) = (
        [0, 1, 2].map(|k| select(flips, c[k], b[k])),
        [0, 1, 2].map(|k| select(flips, b[k], c[k])),
    );
    let extent = mul(mul(size[0], unit[0]), mul(size[1], unit[1]));
    let error = mul(extent, splat(8.0 * ULP));
    let least = neg(error);
    let is_steep = or(le(area, error), lt(extent, splat(1.0)));
    let is_steep = and_not(is_segment, is_steep);
    let has_steep = bits_of(is_steep) != 0;
    let mut most = splat(f32::NEG_INFINITY);
    let mut inverse = div(splat(1.0), area);
    let depth = mul(size[2], splat(4.0));
    let mut slack_of_weights = mul(depth, mul(error, inverse));
    let mut is_segment = is_segment;
    if has_steep {
        let same = |p: Points, q: Points| and(eq(p[u], q[u]), eq(p[v], q[v]));
        let [a, b, c] = corners;
        let is_doubled = or(or(same(a, b), same(b, c)), same(c, a));
        is_segment = or(is_segment, and(is_steep, is_doubled));
        most = select(is_steep, error, most);
        inverse = select(is_steep, splat(1.0), inverse);
        slack_of_weights = select(is_steep, splat(f32::INFINITY), slack_of_weights);
    }
    let is_level = eq(size[2], zero());
    let (height, to_b, to_c) = (a[2], sub(b[2], a[2]), sub(c[2], a[2]));
    let at_x = [mul(within.min[u], unit[0]), mul(within.max[u], unit[0])];
    let at_y = [mul(within.min[v], unit[1]), mul(within.max[v], unit[1])];
    for corner in 0..4 {
        let mut meets = and_not(is_segment, and(in_x[corner & 1], in_y[corner >> 1]));
        if bits_of(meets) == 0 {
            continue;
        }
        let x = if corner & 1 == 0 {
            within.min[u]
        } else {
            within.max[u]
        };
        let y = if corner & 2 == 0 {
            within.min[v]
        } else {
            within.max[v]
        };
        let (at_x, at_y) = (at_x[corner & 1], at_y[corner >> 1]);
        let [a, b, c] = [a, b, c].map(|p| [sub(p[0], at_x), sub(p[1], at_y)]);
        let weight = |p: [V; 2], q: [V; 2]| cross(p[0], p[1], q[0], q[1]);
        let (at_a, at_b, at_c) = (weight(b, c), weight(c, a), weight(a, b));
        let mut beside = lt(min(min(at_a, at_b), at_c), least);
        if has_steep {
            beside = and(beside, gt(max(max(at_a, at_b), at_c), most));
        }
        meets = and_not(beside, meets);
        let sum = add(mul(at_b, to_b), mul(at_c, to_c));
        let z = add(height, mul(sum, inverse));
        let slack = add(slack_of_weights, mul(abs(z), splat(2.0 * ULP)));
        let slack = and_not(is_level, add(slack, splat(UNDERFLOW)));
        let (low, high) = (sub(z, slack), add(z, slack));
        let beside = or(lt(high, within.min[w]), gt(low, within.max[w]));
        meets = and_not(beside, meets);
        for (k, low, high) in [(u, x, x), (v, y, y), (w, low, high)] {
            part.min[k] = select(meets, min(low, part.min[k]), part.min[k]);
            part.max[k] = select(meets, max(high, part.max[k]), part.max[k]);
        }
    }
}

/// `clip::unit_of`, of each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn unit_of(length: V) -> V {
    let exponent = _mm256_and_si256(to_bits(length), _mm256_set1_epi32(0xff << 23));
    from_bits(_mm256_sub_epi32(_mm256_set1_epi32(254 << 23), exponent))
}
