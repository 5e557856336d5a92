//! Triangles for tests of the k-d tree, usual and unusual.

pub use crate::soup::Random as Numbers;

/// Vertices of triangles.
pub type Triangles = Vec<[[f32; 3]; 3]>;

/// Small triangles at random places in a cube.
pub fn soup(count: usize, size: f32, seed: u64) -> Triangles {
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| {
            let centre = numbers.point(1.0);
            [0; 3].map(|_| {
                let offset = numbers.point(1.0);
                [0, 1, 2].map(|k| centre[k] + size * offset[k])
            })
        })
        .collect()
}

/// A height field over a square grid: a closed surface without gaps.
pub fn hills(side: usize) -> Triangles {
    let vertex = |x: usize, y: usize| {
        let (u, v) = (x as f32 / side as f32, y as f32 / side as f32);
        let height = ((x * 7 + y * 3) % 5) as f32 * 0.03 + (u - 0.5) * (v - 0.5);
        [u, height, v]
    };
    squares(side, vertex)
}

/// A flat grid in the plane z = 0.25.
pub fn flat(side: usize) -> Triangles {
    squares(side, |x, y| [x as f32, y as f32, 0.25])
}

fn squares(side: usize, vertex: impl Fn(usize, usize) -> [f32; 3]) -> Triangles {
    let mut triangles = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let (a, b) = (vertex(x, y), vertex(x + 1, y));
            let (c, d) = (vertex(x, y + 1), vertex(x + 1, y + 1));
            triangles.push([a, b, c]);
            triangles.push([b, d, c]);
        }
    }
    triangles
}

/// Axis-aligned boxes with faces in common planes, as in buildings.
pub fn rooms(side: usize) -> Triangles {
    let mut triangles = Vec::new();
    for place in 0..side * side * side {
        let (x, y, z) = (place % side, place / side % side, place / side / side);
        let corner = |bits: usize| {
            [
                (x + (bits & 1)) as f32,
                (y + (bits >> 1 & 1)) as f32,
                (z + (bits >> 2)) as f32 * 0.75,
            ]
        };
        for face in [[0, 1, 2, 3], [0, 1, 4, 5], [0, 2, 4, 6]] {
            let [a, b, c, d] = face.map(corner);
            triangles.push([a, b, c]);
            triangles.push([b, d, c]);
        }
    }
    triangles
}

/// Long thin triangles across the whole scene.
pub fn needles(count: usize, seed: u64) -> Triangles {
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| {
            let (a, b) = (numbers.point(1.0), numbers.point(1.0));
            [a, b, [b[0] + 1e-3, b[1], b[2] + 1e-3]]
        })
        .collect()
}

/// One triangle, many times.
pub fn identical(count: usize) -> Triangles {
    vec![[[0.0, 0.0, 0.0], [1.0, 0.25, 0.0], [0.0, 1.0, 0.5]]; count]
}

/// Triangles that are points or segments, many of them the same.
pub fn degenerate(count: usize, seed: u64) -> Triangles {
    let mut numbers = Numbers(seed);
    let points: Vec<[f32; 3]> = (0..7).map(|_| numbers.point(1.0)).collect();
    (0..count)
        .map(|index| {
            let (a, b) = (points[index % 7], points[index / 7 % 7]);
            [a, b, a]
        })
        .collect()
}

/// A polygon of random corners in the plane z = 0.25, cut into triangles as
/// a fan: they lie one over the other.
pub fn fan(corners: usize, seed: u64) -> Triangles {
    let points = coplanar(corners, seed);
    points[1..]
        .windows(2)
        .map(|pair| [points[0], pair[0], pair[1]])
        .collect()
}

/// Large triangles in the plane z = 0.25, each of three corners of its own.
pub fn layers(count: usize, seed: u64) -> Triangles {
    let points = coplanar(3 * count, seed);
    points.chunks(3).map(|of| [of[0], of[1], of[2]]).collect()
}

fn coplanar(count: usize, seed: u64) -> Vec<[f32; 3]> {
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| [numbers.unit(), numbers.unit(), 0.25])
        .collect()
}

/// Large triangles with one corner in common.
pub fn star(count: usize, seed: u64) -> Triangles {
    let mut numbers = Numbers(seed);
    (0..count)
        .map(|_| [[0.0; 3], numbers.point(1.0), numbers.point(1.0)])
        .collect()
}

/// Triangles that overlap so much that trees have many times as many references.
pub fn overlapping() -> Vec<(&'static str, Triangles)> {
    vec![
        ("fan", fan(500, 21)),
        ("small fan", fan(60, 22)),
        ("layers", layers(700, 23)),
        ("many layers", layers(2100, 24)),
        ("star", star(600, 25)),
        ("crossing", soup(800, 1.0, 26)),
    ]
}

/// All of the first ones by name, about 1000 to 20000 triangles each.
pub fn all() -> Vec<(&'static str, Triangles)> {
    vec![
        ("one", identical(1)),
        ("two", soup(2, 1.0, 1)),
        ("soup", soup(3000, 0.05, 2)),
        ("large soup", soup(20_000, 0.02, 3)),
        ("overlapping soup", soup(1000, 0.5, 4)),
        ("hills", hills(40)),
        ("flat", flat(30)),
        ("rooms", rooms(8)),
        ("needles", needles(400, 5)),
        ("identical", identical(5000)),
        ("degenerate", degenerate(1000, 6)),
    ]
}
