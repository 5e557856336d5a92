//! The part of a triangle inside a closed box, in exact arithmetic.
//!
//! Floats are integers times a power of two. In homogeneous coordinates, clipping a
//! polygon at one plane after the other (Sutherland and Hodgman 1974) has no division:
//! all of it is in integers.

use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use num_bigint::{BigInt, Sign};

/// Coordinates, and what divides them: more than 0.
type Point = ([BigInt; 3], BigInt);

/// Whether a box contains the part of a triangle inside another box. Any box contains an empty
/// part.
///
/// # Panics
///
/// If a coordinate is not finite.
pub fn contains(bounds: Bounds, triangle: &Triangle, within: Bounds) -> bool {
    if bounds == Bounds::EMPTY {
        let scale = Scale::of(triangle.as_flattened(), within, within);
        return part(triangle, within, &scale).is_empty();
    }
    let scale = Scale::of(triangle.as_flattened(), within, bounds);
    let [min, max] = [bounds.min, bounds.max].map(|corner| corner.map(|x| scale.integer(x)));
    part(triangle, within, &scale).iter().all(|(point, unit)| {
        (0..3).all(|k| &min[k] * unit <= point[k] && point[k] <= &max[k] * unit)
    })
}

/// Whether a triangle has a point in the inside of a box that is not flat.
///
/// # Panics
///
/// If a coordinate is not finite.
pub fn meets_inside(triangle: &Triangle, within: Bounds) -> bool {
    let scale = Scale::of(triangle.as_flattened(), within, within);
    let [min, max] = [within.min, within.max].map(|corner| corner.map(|x| scale.integer(x)));
    let part = part(triangle, within, &scale);
    // Then the mean of the part's corners is inside.
    (0..3).all(|k| {
        part.iter().any(|(point, unit)| point[k] > &min[k] * unit)
            && part.iter().any(|(point, unit)| point[k] < &max[k] * unit)
    })
}

/// The fraction of a triangle's area inside a box; none if it has no area.
///
/// # Panics
///
/// If a coordinate is not finite.
pub fn fraction_inside(triangle: &Triangle, within: Bounds) -> Option<f64> {
    let scale = Scale::of(triangle.as_flattened(), within, within);
    let whole: Vec<Point> = triangle
        .iter()
        .map(|corner| (corner.map(|x| scale.integer(x)), BigInt::from(1)))
        .collect();
    // Projects along the axis that makes the area largest. Doubles suffice to choose that axis.
    let areas = |polygon: &[Point]| [0, 1, 2].map(|axis| area(polygon, axis));
    let areas = areas(&whole);
    let axis = (0..3).max_by(|&a, &b| areas[a].total_cmp(&areas[b]))?;
    let part = area(&part(triangle, within, &scale), axis);
    (areas[axis] > 0.0).then_some(part / areas[axis])
}

/// Twice the area of a convex polygon as seen along an axis, in units of the scale: a sum of
/// triangles, each exact except in its last digits.
fn area(polygon: &[Point], axis: usize) -> f64 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let Some((first, others)) = polygon.split_first() else {
        return 0.0;
    };
    let from_first = |(point, unit): &Point, k: usize| &point[k] * &first.1 - &first.0[k] * unit;
    let areas = others.windows(2).map(|pair| {
        let [p, q] = [&pair[0], &pair[1]];
        let double = from_first(p, u) * from_first(q, v) - from_first(p, v) * from_first(q, u);
        ratio(&double, &(&p.1 * &q.1 * &first.1 * &first.1))
    });
    areas.sum::<f64>().abs()
}

/// A quotient of integers of any length.
fn ratio(number: &BigInt, unit: &BigInt) -> f64 {
    // Digits enough that the quotient has more than a double.
    let shift = (unit.bits() + 64).saturating_sub(number.bits());
    let quotient: BigInt = (number << shift) / unit;
    let digits = quotient.magnitude().iter_u64_digits().rev();
    let size = digits.fold(0.0, |size, digit| size * 2_f64.powi(64) + digit as f64);
    let sign = if number.sign() == Sign::Minus {
        -1.0
    } else {
        1.0
    };
    sign * size * 2_f64.powi(-(shift as i32))
}

/// The corners of the part of a triangle inside a closed box.
fn part(triangle: &Triangle, within: Bounds, scale: &Scale) -> Vec<Point> {
    let mut polygon: Vec<Point> = triangle
        .iter()
        .map(|corner| (corner.map(|x| scale.integer(x)), BigInt::from(1)))
        .collect();
    for axis in 0..3 {
        for (plane, sign) in [(within.min[axis], 1), (within.max[axis], -1)] {
            polygon = cut(&polygon, axis, &scale.integer(plane), sign);
        }
    }
    polygon
}

/// The part of a convex polygon above a plane for `sign` 1, below it for -1, and in it.
fn cut(polygon: &[Point], axis: usize, plane: &BigInt, sign: i32) -> Vec<Point> {
    let height = |(point, unit): &Point| (&point[axis] - plane * unit) * sign;
    let heights: Vec<BigInt> = polygon.iter().map(height).collect();
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (index, a) in polygon.iter().enumerate() {
        let next = (index + 1) % polygon.len();
        let (b, from, to) = (&polygon[next], &heights[index], &heights[next]);
        if from.sign() != Sign::Minus {
            part.push(a.clone());
        }
        if from.sign() == -to.sign() && from.sign() != Sign::NoSign {
            let (from, to) = (from.magnitude(), to.magnitude());
            let mix = |a: &BigInt, b: &BigInt| {
                a * BigInt::from(to.clone()) + b * BigInt::from(from.clone())
            };
            let point = std::array::from_fn(|k| mix(&a.0[k], &b.0[k]));
            part.push((point, mix(&a.1, &b.1)));
        }
    }
    part
}

/// Floats as multiples of a power of two that divides all of them.
struct Scale {
    exponent: i32,
}

impl Scale {
    fn of(corners: &[f32], within: Bounds, bounds: Bounds) -> Self {
        let boxes = [within.min, within.max, bounds.min, bounds.max];
        let numbers = corners.iter().chain(boxes.as_flattened());
        let exponents = numbers.map(|&x| {
            let (mantissa, exponent) = split(x);
            exponent + mantissa.trailing_zeros() as i32 * i32::from(mantissa != 0)
        });
        Self {
            exponent: exponents.min().unwrap_or(0),
        }
    }

    fn integer(&self, x: f32) -> BigInt {
        let (mantissa, exponent) = split(x);
        if mantissa == 0 {
            return BigInt::ZERO;
        }
        let shift = exponent - self.exponent;
        if shift >= 0 {
            BigInt::from(mantissa) << shift
        } else {
            BigInt::from(mantissa) >> -shift
        }
    }
}

/// A float as an integer times a power of two, whose exponent comes second. That of 0 is
/// above all others.
fn split(x: f32) -> (i32, i32) {
    assert!(x.is_finite(), "{x} is no coordinate");
    let (bits, sign) = (x.to_bits(), if x < 0.0 { -1 } else { 1 });
    let fraction = (bits & 0x7f_ffff) as i32;
    match (bits >> 23 & 0xff) as i32 {
        _ if x == 0.0 => (0, 1000),
        0 => (sign * fraction, -149),
        exponent => (sign * (fraction | 1 << 23), exponent - 150),
    }
}
