//! A Cornell box, and a path tracer of its own for it: in `f64`, every triangle tested, by
//! another way to find light than the program's.

use rayon::prelude::*;

use crate::soup::Random;
use crate::vector::{cross, dot, minus, widen};

/// A vector in doubles.
type Double = [f64; 3];
/// A triangle with the number of its material.
type Part = ([[f32; 3]; 3], u32);

/// Reflectances of the materials; the last is the light's.
pub const REFLECTANCES: [[f32; 3]; 4] = [
    [0.73, 0.72, 0.70],
    [0.61, 0.06, 0.05],
    [0.13, 0.46, 0.10],
    [0.4, 0.4, 0.4],
];
/// Number of the light's material, and its radiance.
pub const LIGHT: u32 = 3;
/// Radiance of the light.
pub const EMISSION: [f32; 3] = [17.0, 12.0, 4.0];

fn scaled(v: Double, by: f64) -> Double {
    v.map(|x| x * by)
}

fn plus(a: Double, b: Double) -> Double {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn unit(v: Double) -> Double {
    scaled(v, 1.0 / dot(v, v).sqrt())
}

/// The room of the measured box (Cornell University, 1985) in metres, about, with two blocks and
/// a lamp that hangs below its ceiling, not so near that its light is hard to find: triangles with
/// their materials.
pub fn parts() -> Vec<Part> {
    let mut parts = Vec::new();
    let mut quad = |[a, b, c, d]: [[f32; 3]; 4], material: u32| {
        parts.push(([a, b, c], material));
        parts.push(([a, c, d], material));
    };
    let (x, y, z) = (5.5, 5.5, 5.6);
    quad(
        [[0.0, 0.0, 0.0], [x, 0.0, 0.0], [x, 0.0, z], [0.0, 0.0, z]],
        0,
    );
    quad([[0.0, y, 0.0], [0.0, y, z], [x, y, z], [x, y, 0.0]], 0);
    quad([[0.0, 0.0, z], [x, 0.0, z], [x, y, z], [0.0, y, z]], 0);
    quad(
        [[0.0, 0.0, 0.0], [0.0, 0.0, z], [0.0, y, z], [0.0, y, 0.0]],
        1,
    );
    quad([[x, 0.0, 0.0], [x, y, 0.0], [x, y, z], [x, 0.0, z]], 2);
    let (lamp, low, high) = (4.7, 2.1, 3.4);
    quad(
        [
            [low, lamp, 2.3],
            [high, lamp, 2.3],
            [high, lamp, 3.3],
            [low, lamp, 3.3],
        ],
        LIGHT,
    );
    let mut block = |ground: [[f32; 2]; 4], height: f32| {
        let at = |corner: usize, y: f32| [ground[corner % 4][0], y, ground[corner % 4][1]];
        quad(
            [at(0, height), at(1, height), at(2, height), at(3, height)],
            0,
        );
        for side in 0..4 {
            let (next, top) = (side + 1, height);
            quad(
                [at(side, 0.0), at(next, 0.0), at(next, top), at(side, top)],
                0,
            );
        }
    };
    block([[1.3, 0.65], [0.82, 2.25], [2.4, 2.72], [2.9, 1.14]], 1.65);
    block(
        [[4.23, 2.47], [2.65, 2.96], [3.15, 4.56], [4.72, 4.06]],
        3.3,
    );
    parts
}

/// The parameter and the triangle that a ray hits first, beyond a little.
fn hit(parts: &[Part], origin: Double, direction: Double) -> Option<(f64, usize)> {
    let mut best: Option<(f64, usize)> = None;
    for (number, (triangle, _)) in parts.iter().enumerate() {
        // Moeller and Trumbore.
        let [a, b, c] = triangle.map(widen);
        let (e1, e2, s) = (minus(b, a), minus(c, a), minus(origin, a));
        let p = cross(direction, e2);
        let det = dot(e1, p);
        if det.abs() < 1e-12 {
            continue;
        }
        let u = dot(s, p) / det;
        if !(0.0..=1.0).contains(&u) {
            continue;
        }
        let q = cross(s, e1);
        let (v, t) = (dot(direction, q) / det, dot(e2, q) / det);
        if v >= 0.0 && u + v <= 1.0 && t > 1e-7 && best.is_none_or(|(least, _)| t < least) {
            best = Some((t, number));
        }
    }
    best
}

fn number(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A direction around a normal, by its cosine: a point of the unit sphere around its end.
fn around(random: &mut Random, normal: Double) -> Double {
    let z = 2.0 * number(random) - 1.0;
    let angle = std::f64::consts::TAU * number(random);
    let radius = (1.0 - z * z).max(0.0).sqrt();
    unit(plus(
        normal,
        [radius * angle.cos(), radius * angle.sin(), z],
    ))
}

/// Light along a ray over at most so many surfaces. From each surface one of the lamp's two
/// halves is looked at, and what a path hits by chance of the lamp does not count after the
/// first surface.
fn light(parts: &[Part], random: &mut Random, ray: (Double, Double), bounces: u32) -> Double {
    let (mut origin, mut direction) = ray;
    let lamps: Vec<&Part> = parts.iter().filter(|part| part.1 == LIGHT).collect();
    let (mut sum, mut carried) = ([0.0; 3], [1.0; 3]);
    for bounce in 0..=bounces {
        let Some((t, number_of)) = hit(parts, origin, direction) else {
            break;
        };
        let (triangle, material) = &parts[number_of];
        if *material == LIGHT && bounce == 0 {
            sum = plus(sum, widen(EMISSION));
        }
        if bounce == bounces {
            break;
        }
        let [a, b, c] = triangle.map(widen);
        let mut normal = unit(cross(minus(b, a), minus(c, a)));
        if dot(normal, direction) > 0.0 {
            normal = scaled(normal, -1.0);
        }
        let point = plus(origin, scaled(direction, t));
        let reflectance = widen(REFLECTANCES[*material as usize]);
        carried = [0, 1, 2].map(|i| carried[i] * reflectance[i]);

        let half = lamps[random.below(lamps.len())].0.map(widen);
        let (mut u, mut v) = (number(random), number(random));
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let (e1, e2) = (minus(half[1], half[0]), minus(half[2], half[0]));
        let at = plus(half[0], plus(scaled(e1, u), scaled(e2, v)));
        let way = minus(at, point);
        let square = dot(way, way);
        let facing = cross(e1, e2);
        let area = 0.5 * dot(facing, facing).sqrt();
        let cosines = dot(normal, unit(way)) * dot(unit(facing), unit(way)).abs();
        let seen = hit(parts, point, way).is_none_or(|(t, _)| t > 1.0 - 1e-7);
        if cosines > 0.0 && seen {
            let part = cosines * area * lamps.len() as f64 / (square * std::f64::consts::PI);
            sum = [0, 1, 2].map(|i| sum[i] + carried[i] * f64::from(EMISSION[i]) * part);
        }
        (origin, direction) = (point, around(random, normal));
    }
    sum
}

/// Mean light of blocks of `side * side` pixels, row by row, from `samples` paths a pixel:
/// `direction` has the ray of a point of the picture, which is `pixels` wide and high.
pub fn blocks(
    parts: &[Part],
    eye: Double,
    direction: impl Fn(f64, f64) -> Double + Sync,
    pixels: usize,
    side: usize,
    samples: usize,
    bounces: u32,
) -> Vec<Double> {
    let across = pixels / side;
    let block = |block: usize| {
        let mut random = Random(block as u64 + 1000);
        let mut sum = [0.0; 3];
        for index in 0..side * side * samples {
            let pixel = index / samples;
            let x = (block % across * side + pixel % side) as f64 + number(&mut random);
            let y = (block / across * side + pixel / side) as f64 + number(&mut random);
            let ray = (eye, unit(direction(x, y)));
            sum = plus(sum, light(parts, &mut random, ray, bounces));
        }
        scaled(sum, 1.0 / (side * side * samples) as f64)
    };
    (0..across * across).into_par_iter().map(block).collect()
}
