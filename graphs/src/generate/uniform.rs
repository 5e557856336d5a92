//! Ends drawn evenly: edge `i` joins the vertices `word(2 i) mod n` and
//! `word(2 i + 1) mod n`.

use rayon::prelude::*;

use super::Made;
use super::random::Random;

pub(super) fn make(vertices: u32, edges: u64, seed: u64) -> Made {
    let random = Random::plain(seed);
    let end = |place| (random.word(place) % u64::from(vertices)) as u32;
    let edges = (0..edges as usize).into_par_iter().map(|i| {
        let place = 2 * i as u64;
        [end(place), end(place + 1)]
    });
    (vertices, edges.collect())
}
