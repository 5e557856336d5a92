//! Co-author-like graphs: every vertex leads one paper, whose authors form a
//! clique.
//!
//! Authors have ranks: those whose number is divisible by 2^k have rank k or
//! more. A co-author is sought at a random rank, low ranks being likelier, among
//! the nearest authors of that rank: numbers near each other work together, and
//! the few of high rank are in papers of a whole region. This gives degrees a
//! heavy tail.

use rayon::prelude::*;

use super::Made;
use super::random::{Random, below, unit};

/// How often a rank is passed over for the next.
const RISE: f64 = 0.63;
/// Authors of the rank sought on both sides.
const REACH: u32 = 12;
/// Co-authors of a paper: one, and a tail that falls with the square, cut off.
const TAIL: f64 = 1.1;
const MAX_AUTHORS: f64 = 24.0;

/// Makes the graph.
pub(super) fn make(vertices: u32, seed: u64) -> Made {
    let random = Random::new(seed, 7);
    let edges = (0..vertices).into_par_iter().flat_map_iter(|lead| {
        let authors = authors(vertices, lead, random);
        let mut edges = Vec::with_capacity(authors.len() * (authors.len() - 1) / 2);
        for (i, &a) in authors.iter().enumerate() {
            edges.extend(authors[i + 1..].iter().map(|&b| [a, b]));
        }
        edges
    });
    (vertices, edges.collect())
}

/// The distinct authors of a paper.
fn authors(vertices: u32, lead: u32, random: Random) -> Vec<u32> {
    let place = u64::from(lead) << 8;
    let tail = TAIL * (1.0 / random.unit(place).max(1e-9).sqrt() - 1.0);
    let others = (1.0 + tail).min(MAX_AUTHORS) as u64;
    let mut authors = vec![lead];
    for i in 0..others {
        let rank = rank(random.word(place + 1 + 2 * i), vertices);
        let near = i64::from(below(random.word(place + 2 + 2 * i), 2 * REACH + 1));
        let number = i64::from(lead >> rank) + near - i64::from(REACH);
        // Beyond the ends the line of authors closes to a ring.
        let count = i64::from(((vertices - 1) >> rank) + 1);
        authors.push((number.rem_euclid(count) as u32) << rank);
    }
    authors.sort_unstable();
    authors.dedup();
    authors
}

/// Draws a rank that enough authors have.
fn rank(word: u64, vertices: u32) -> u32 {
    let most = (vertices / (4 * REACH)).checked_ilog2().unwrap_or(0);
    let mut chance = RISE;
    let draw = unit(word);
    let mut rank = 0;
    while rank < most && draw < chance {
        chance *= RISE;
        rank += 1;
    }
    rank
}
