//! A small dataset, and its reference output by the definitions of the specification.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::Folder;

/// Ids with gaps; 41 is alone, and 12 has no edges that lead on if they are directed.
pub const IDS: [u64; 7] = [2, 5, 9, 12, 40, 41, 1_000_000_007];
/// Edges of the directed graph: the positions of their ends in the list of ids, and their weights. The
/// undirected graph lacks the last one, which is the first one in the opposite direction.
const EDGES: [(usize, usize, f64); 8] = [
    (0, 1, 0.5),
    (1, 2, 1.0),
    (2, 0, 0.25),
    (2, 4, 2.0),
    (4, 3, 0.125),
    (6, 0, 1.0),
    (1, 3, 3.5),
    (1, 0, 4.5),
];
/// The algorithms, with the ends of the names of their files.
pub const ALGORITHMS: [(&str, &str); 6] = [
    ("bfs", "BFS"),
    ("cdlp", "CDLP"),
    ("lcc", "LCC"),
    ("pr", "PR"),
    ("sssp", "SSSP"),
    ("wcc", "WCC"),
];
const ITERATIONS: u32 = 3;
const DAMPING: f64 = 0.85;
/// The position of the source.
const SOURCE: usize = 1;

/// The edges of the graph.
pub fn edges(directed: bool) -> &'static [(usize, usize, f64)] {
    &EDGES[..EDGES.len() - usize::from(!directed)]
}

/// The properties.
pub fn properties(directed: bool) -> String {
    let edges = edges(directed).len();
    format!(
        "# A dataset.\n\
         graph.small.5.vertex-file = small.5.v\n\
         graph.small.5.edge-file = small.5.e\n\n\
         graph.small.5.meta.vertices = 7\n\
         graph.small.5.meta.edges = {edges}\n\
         graph.small.5.directed = {directed}\n\
         graph.small.5.edge-properties.names = weight\n\
         graph.small.5.edge-properties.types = real\n\
         graph.small.5.algorithms = bfs, cdlp, lcc, pr, sssp, wcc\n\
         # Parameters.\n\
         graph.small.5.bfs.source-vertex = 5\n\
         graph.small.5.cdlp.max-iterations = {ITERATIONS}\n\
         graph.small.5.pr.damping-factor = {DAMPING}\n\
         graph.small.5.pr.num-iterations = {ITERATIONS}\n\
         graph.small.5.sssp.weight-property = weight\n\
         graph.small.5.sssp.source-vertex = 5\n"
    )
}

/// The out-neighbours of each vertex with the weights, and the in-neighbours.
type Neighbours = [Vec<Vec<(usize, f64)>>; 2];

fn neighbours(directed: bool) -> Neighbours {
    let mut both = [vec![Vec::new(); IDS.len()], vec![Vec::new(); IDS.len()]];
    for &(u, v, weight) in edges(directed) {
        both[0][u].push((v, weight));
        both[1][v].push((u, weight));
        if !directed {
            both[0][v].push((u, weight));
            both[1][u].push((v, weight));
        }
    }
    both
}

/// Distances by relaxing all edges as often as there are vertices; infinite where there is no way.
fn distances([out, _]: &Neighbours, length: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; IDS.len()];
    distances[SOURCE] = 0.0;
    for _ in IDS {
        for (u, row) in out.iter().enumerate() {
            for &(v, weight) in row {
                distances[v] = distances[v].min(distances[u] + length(weight));
            }
        }
    }
    distances
}

fn ranks([out, incoming]: &Neighbours) -> Vec<f64> {
    let count = IDS.len() as f64;
    let mut ranks = vec![1.0 / count; IDS.len()];
    for _ in 0..ITERATIONS {
        let is_dangling = |u: &usize| out[*u].is_empty();
        let dangling: f64 = (0..IDS.len()).filter(is_dangling).map(|u| ranks[u]).sum();
        let next = incoming.iter().map(|row| {
            let sum: f64 = row
                .iter()
                .map(|&(u, _)| ranks[u] / out[u].len() as f64)
                .sum();
            (1.0 - DAMPING) / count + DAMPING * (sum + dangling / count)
        });
        ranks = next.collect();
    }
    ranks
}

fn communities(neighbours: &Neighbours, directed: bool) -> Vec<u64> {
    let directions = if directed { 2 } else { 1 };
    let mut labels = IDS.to_vec();
    for _ in 0..ITERATIONS {
        let next = (0..IDS.len()).map(|vertex| {
            let mut counts = BTreeMap::<u64, i32>::new();
            for rows in &neighbours[..directions] {
                for &(neighbour, _) in &rows[vertex] {
                    *counts.entry(labels[neighbour]).or_default() += 1;
                }
            }
            let most = counts
                .iter()
                .min_by_key(|(label, count)| (-**count, **label));
            most.map_or(labels[vertex], |(label, _)| *label)
        });
        labels = next.collect();
    }
    labels
}

fn coefficients([out, incoming]: &Neighbours) -> Vec<f64> {
    let of = |vertex: usize| {
        let both = out[vertex].iter().chain(&incoming[vertex]);
        let set: BTreeSet<usize> = both.map(|&(neighbour, _)| neighbour).collect();
        let targets = set.iter().flat_map(|&u| &out[u]);
        let links = targets.filter(|(v, _)| set.contains(v)).count();
        match set.len() {
            0 | 1 => 0.0,
            count => links as f64 / (count * (count - 1)) as f64,
        }
    };
    (0..IDS.len()).map(of).collect()
}

/// The reference output of an algorithm.
pub fn reference(algorithm: &str, directed: bool) -> String {
    let neighbours = neighbours(directed);
    let text = |real: &f64| match real.is_infinite() {
        true => "Infinity".to_owned(),
        false => format!("{real:.15e}"),
    };
    let reals = |reals: Vec<f64>| reals.iter().map(text).collect::<Vec<_>>();
    let values = match algorithm {
        "bfs" => {
            let distances = distances(&neighbours, |_| 1.0).into_iter();
            let depth = |distance: f64| (distance as i64).to_string();
            distances.map(depth).collect()
        }
        "cdlp" => {
            let labels = communities(&neighbours, directed).into_iter();
            labels.map(|label| label.to_string()).collect()
        }
        "lcc" => reals(coefficients(&neighbours)),
        "pr" => reals(ranks(&neighbours)),
        "sssp" => reals(distances(&neighbours, |weight| weight)),
        // Any labels will do.
        _ => IDS
            .map(|id| if id == 41 { "7" } else { "8" }.to_owned())
            .to_vec(),
    };
    let lines = IDS.iter().zip(values);
    lines.map(|(id, value)| format!("{id} {value}\n")).collect()
}

/// Writes the dataset, and its reference output.
pub fn put(folder: &Folder, directed: bool) {
    let ids: String = IDS.iter().map(|id| format!("{id}\n")).collect();
    let edges = edges(directed).iter();
    let edges = edges.map(|&(u, v, weight)| format!("{} {} {weight}\n", IDS[u], IDS[v]));
    folder.put("small.5.v", ids);
    folder.put("small.5.e", edges.collect::<String>());
    folder.put("small.5.properties", properties(directed));
    for (algorithm, end) in ALGORITHMS {
        folder.put(&format!("small.5-{end}"), reference(algorithm, directed));
    }
}
