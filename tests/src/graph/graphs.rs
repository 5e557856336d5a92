//! Graphs to try the store on, by kind, and batches for them.

use heapwood::graph::Edge;
use heapwood_device::graph::batch::Change;

use super::Model;
use crate::lockstep::Random;

fn graph(vertices: u32, directed: bool, edges: impl IntoIterator<Item = Edge>) -> Model {
    let mut model = Model::new(vertices, directed);
    let edges: Vec<_> = edges.into_iter().collect();
    model.apply(&edges, Change::Insert, false);
    model
}

/// Edges between random vertices.
pub fn uniform(vertices: u32, edges: u32, directed: bool, seed: u64) -> Model {
    let mut random = Random::new(seed);
    let mut vertex = || random.below(u64::from(vertices)) as u32;
    let edges: Vec<_> = (0..edges).map(|_| [vertex(), vertex()]).collect();
    graph(vertices, directed, edges)
}

/// A few vertices with most of the edges, which fall off as ids rise.
pub fn skewed(vertices: u32, edges: u32, directed: bool, seed: u64) -> Model {
    let mut random = Random::new(seed);
    let mut vertex = || {
        let unit = random.below(1 << 20) as f64 / (1 << 20) as f64;
        (unit.powi(4) * f64::from(vertices)) as u32
    };
    let edges: Vec<_> = (0..edges).map(|_| [vertex(), vertex()]).collect();
    graph(vertices, directed, edges)
}

/// A grid of `side` cubed points, each joined to the up to 26 around it.
pub fn mesh(side: u32) -> Model {
    let mut edges = Vec::new();
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                for step in 1..27 {
                    let (a, b, c) = (x + step % 3, y + step / 3 % 3, z + step / 9);
                    let inside = |at: u32| (1..=side).contains(&at);
                    if inside(a) && inside(b) && inside(c) {
                        let at = |x, y, z| (z * side + y) * side + x;
                        edges.push([at(x, y, z), at(a - 1, b - 1, c - 1)]);
                    }
                }
            }
        }
    }
    edges.retain(|[from, to]| from != to);
    graph(side * side * side, false, edges)
}

/// A path through all vertices in a random order, and as many without edges.
pub fn path(vertices: u32, seed: u64) -> Model {
    let mut order: Vec<u32> = (0..vertices).collect();
    Random::new(seed).shuffle(&mut order);
    graph(
        2 * vertices,
        false,
        order.windows(2).map(|pair| [pair[0], pair[1]]),
    )
}

/// Layers of so many vertices, each joined to the next: a vertex is joined to one of the layer
/// before. Vertices of no layer are alone.
pub fn layers(vertices: u32, widths: &[u32], directed: bool) -> Model {
    let mut edges = Vec::new();
    let mut first = 0;
    for pair in widths.windows(2) {
        edges.extend((0..pair[1]).map(|at| [first + at % pair[0], first + pair[0] + at]));
        first += pair[0];
    }
    graph(vertices, directed, edges)
}

/// One vertex joined to all others, which form triangles with it in pairs.
pub fn fan(vertices: u32) -> Model {
    let spokes = (1..vertices).map(|vertex| [0, vertex]);
    let pairs = (1..vertices - 1)
        .step_by(2)
        .map(|vertex| [vertex, vertex + 1]);
    graph(vertices, false, spokes.chain(pairs))
}

/// Every pair of vertices, in a random order; without directions once.
pub fn all_pairs(vertices: u32, directed: bool) -> Vec<Edge> {
    let pairs = |one| (0..vertices).map(move |other| [one, other]);
    let all = (0..vertices).flat_map(pairs);
    let mut edges: Vec<_> = all.filter(|[u, v]| directed || u < v).collect();
    Random::new(3).shuffle(&mut edges);
    edges
}

/// All of them, with names; those with directions too, if wanted.
pub fn all(directed: bool) -> Vec<(&'static str, Model)> {
    let mut graphs = vec![
        ("uniform", uniform(500, 2000, directed, 1)),
        ("sparse", uniform(2000, 1000, directed, 2)),
        ("skewed", skewed(800, 12_000, directed, 3)),
        ("dense", uniform(60, 4000, directed, 4)),
        ("one", uniform(1, 1, directed, 5)),
        ("none", uniform(40, 0, directed, 6)),
    ];
    if !directed {
        graphs.push(("mesh", mesh(8)));
        graphs.push(("path", path(300, 7)));
        graphs.push(("fan", fan(5001)));
    }
    graphs
}

/// Random edges: uniform ones, repeated ones, those of a hub, and some whose
/// ends do not exist.
pub fn batch(random: &mut Random, model: &Model, count: usize) -> Vec<Edge> {
    let vertices = model.rows.len() as u64;
    let hub = random.below(vertices) as u32;
    let mut edges: Vec<Edge> = Vec::with_capacity(count);
    while edges.len() < count {
        let mut vertex = || random.below(vertices) as u32;
        let (source, target) = (vertex(), vertex());
        let edge = match random.below(16) {
            0..4 => [hub, target],
            4..6 => [source, hub],
            6 if !edges.is_empty() => edges[random.below(edges.len() as u64) as usize],
            7 => [target, source / 7],
            8 if random.one_in(4) => [source, vertices as u32 + target % 3],
            9 if random.one_in(4) => [u32::MAX - source % 2, target],
            // An edge that is there, if the vertex has any.
            10..13 => match model.rows[source as usize].iter().nth(target as usize % 5) {
                Some(&neighbour) => [source, neighbour],
                None => [source, source],
            },
            _ => [source, target],
        };
        edges.push(edge);
    }
    edges
}
