//! Triangles and boxes that are hard to clip: as programs write them, whose corners are
//! in the planes of splits or next to them.

use heapwood_device::kdtree::bounds::{Bounds, Point, Triangle, from_key, to_key};

use super::random::Random;

/// How far from 0 or from another corner modelling programs leave what should be the same.
pub const OFFSETS: [f64; 5] = [1e-17, 1e-12, 1e-9, 1e-7, 1e-6];

/// Greatest coordinate that scenes may have.
const MAX: f32 = 1e18;

/// 2^48 times the smallest normal number.
const MIN_LENGTH: f64 = f32::MIN_POSITIVE as f64 * (1_u64 << 48) as f64;

/// A triangle and a box.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The triangle.
    pub triangle: Triangle,
    /// The box.
    pub within: Bounds,
}

impl Pair {
    /// The same, a power of two times as large, if both sizes are such that no digit of a result
    /// is lost: the coordinates are accepted, and the digits of products with a quotient are normal
    /// numbers.
    pub fn scaled(&self, exponent: i32) -> Option<Self> {
        let factor = 2_f64.powi(exponent);
        let has_room = |x: f64| x == 0.0 || (MIN_LENGTH..=f64::from(MAX)).contains(&x.abs());
        let is_exact = |x: f32| has_room(f64::from(x)) && has_room(f64::from(x) * factor);
        let scale = |point: Point| point.map(|x| (f64::from(x) * factor) as f32);
        let corners = [self.within.min, self.within.max];
        let mut numbers = self.triangle.iter().chain(&corners).flatten();
        numbers.all(|&x| is_exact(x)).then(|| Self {
            triangle: self.triangle.map(scale),
            within: Bounds {
                min: scale(self.within.min),
                max: scale(self.within.max),
            },
        })
    }
}

/// The next pair.
pub fn pair(random: &mut Random) -> Pair {
    loop {
        let sides = [0; 3].map(|_| side(random));
        let within = Bounds {
            min: sides.map(|[min, _]| min),
            max: sides.map(|[_, max]| max),
        };
        let triangle = triangle(random, within);
        let triangle = shaped(random, triangle);
        let pair = arranged(random, Pair { triangle, within });
        let pair = sized(random, pair);
        let corners = [pair.within.min, pair.within.max];
        let mut numbers = pair.triangle.iter().chain(&corners).flatten();
        if numbers.all(|x| x.abs() <= MAX) {
            return pair;
        }
    }
}

/// A pair without anything special: a triangle about as large as a box around a part of it.
pub fn usual_pair(random: &mut Random) -> Pair {
    let triangle = [0; 3].map(|_| random.point(1.0));
    let (a, b) = (random.point(1.0), random.point(1.0));
    Pair {
        triangle,
        within: Bounds::EMPTY.with(a).with(b),
    }
}

/// The least and the greatest coordinate of a box.
fn side(random: &mut Random) -> [f32; 2] {
    let coarse = |random: &mut Random| random.below(17) as f32 / 8.0 - 1.0;
    let [a, b] = match random.below(12) {
        0..=4 => [coarse(random), coarse(random)],
        5 => [0.0, random.range(0.0, 1.0)],
        6 => [random.range(-1.0, 0.0), 0.0],
        // Thin and flat.
        7 => {
            let x = [coarse(random), random.range(-1.0, 1.0)][random.below(2)];
            [x, ulps_away(x, random.below(20) as i32)]
        }
        8 => {
            let x = coarse(random);
            [x, x + OFFSETS[random.below(5)] as f32]
        }
        _ => [random.range(-1.0, 1.0), random.range(-1.0, 1.0)],
    };
    [a.min(b), a.max(b)]
}

/// A triangle at a box.
fn triangle(random: &mut Random, within: Bounds) -> Triangle {
    // Most coordinates in planes, some of them, or few.
    let chance = [1, 3, 8][random.below(3)];
    let mut triangle = [[0.0; 3]; 3];
    for corner in 0..3 {
        triangle[corner] = std::array::from_fn(|axis| {
            let (min, max) = (within.min[axis], within.max[axis]);
            let exact = match random.below(8) {
                0..=4 => [min, max][random.below(2)],
                5 => min + (max - min) * 0.5,
                _ => triangle[random.below(corner + 1)][axis],
            };
            if random.below(chance) == 0 {
                beside(random, exact)
            } else {
                somewhere(random, min, max)
            }
        });
    }
    triangle
}

/// The number or one next to it.
fn beside(random: &mut Random, x: f32) -> f32 {
    let sign = [-1.0, 1.0][random.below(2)];
    match random.below(8) {
        0..=2 => x,
        3 | 4 if x != 0.0 || random.below(8) == 0 => {
            let ulps = [1, 2, 3, 5, 17, 300, 5000][random.below(7)];
            ulps_away(x, sign as i32 * ulps)
        }
        _ => {
            let offset = OFFSETS[random.below(5)] * f64::from(random.range(0.1, 3.0));
            (f64::from(x) + sign * offset) as f32
        }
    }
}

/// A number within a range, near it, or far away.
fn somewhere(random: &mut Random, min: f32, max: f32) -> f32 {
    let size = if max > min { max - min } else { 1.0 };
    match random.below(8) {
        0..=3 => min + size * random.unit(),
        4 => min + size * (random.below(13) as f32 / 8.0 - 0.25),
        5 => min + size * random.range(-100.0, 100.0),
        6 => min + size * random.range(-1.0, 1.0) * 10_f32.powi(random.below(7) as i32),
        _ => min + size * random.range(-0.3, 1.3),
    }
}

/// The triangle, or a sliver, a needle, a segment, a point, or one across an axis.
fn shaped(random: &mut Random, [a, b, c]: Triangle) -> Triangle {
    let small = |random: &mut Random| {
        let size = [0.0, 1e-30, 1e-17, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3][random.below(8)];
        random.point(size)
    };
    let plus = |p: Point, q: Point| [0, 1, 2].map(|k| p[k] + q[k]);
    let between = |t: f32| [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * t);
    match random.below(16) {
        0 | 1 => [a, b, plus(between(random.range(-0.5, 1.5)), small(random))],
        2 => [a, b, plus(between(0.5), small(random))],
        3 | 4 => [a, b, plus(b, small(random))],
        5 => {
            let (near, nearer) = (plus(a, small(random)), plus(a, small(random)));
            [a, near, nearer]
        }
        6 => [a, b, a],
        7 | 8 => {
            let axis = random.below(3);
            let mut triangle = [a, b, c];
            for corner in &mut triangle[1..] {
                corner[axis] = a[axis];
            }
            if random.below(2) == 0 {
                triangle[2][axis] = beside(random, a[axis]);
            }
            triangle
        }
        9 => {
            // Equal along an edge on two axes.
            let axis = random.below(3);
            let mut along = a;
            along[axis] = b[axis];
            [a, along, c]
        }
        _ => [a, b, c],
    }
}

/// Other axes, and the corners in another order.
fn arranged(random: &mut Random, pair: Pair) -> Pair {
    let orders = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    let axes = orders[random.below(6)];
    let turn = |point: Point| axes.map(|axis| point[axis]);
    Pair {
        triangle: orders[random.below(6)].map(|corner| turn(pair.triangle[corner])),
        within: Bounds {
            min: turn(pair.within.min),
            max: turn(pair.within.max),
        },
    }
}

/// The pair, larger or smaller, in one or all directions, or far from 0.
fn sized(random: &mut Random, pair: Pair) -> Pair {
    let mut factors = [1.0; 3];
    let mut by = [0.0; 3];
    let power = |random: &mut Random, low: f32, high: f32| 10_f32.powf(random.range(low, high));
    match random.below(8) {
        0 => factors = [2_f32.powi(random.below(128) as i32 - 69); 3],
        1 => factors = [power(random, -21.0, 18.0); 3],
        2 => factors = [[1e-21, 1e18][random.below(2)]; 3],
        3 => factors = factors.map(|_| power(random, -6.0, 6.0)),
        4 => {
            factors = [power(random, -3.0, 3.0); 3];
            by = random.point(1e4);
        }
        5 => factors[random.below(3)] = power(random, -9.0, 9.0),
        _ => {}
    }
    let place = |point: Point| [0, 1, 2].map(|k| point[k] * factors[k] + by[k]);
    Pair {
        triangle: pair.triangle.map(place),
        within: Bounds {
            min: place(pair.within.min),
            max: place(pair.within.max),
        },
    }
}

/// So many floats above, or below for a negative number.
fn ulps_away(x: f32, ulps: i32) -> f32 {
    from_key(to_key(x).wrapping_add_signed(ulps))
}
