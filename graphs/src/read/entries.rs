//! Edges with their weights, read by threads from the lines of a text.

use rayon::prelude::*;

use super::text::{Fault, Words, lines, pieces};
use crate::LineProblem;

/// The edges of some lines, by ids of one type, and the words of their weights where these are read.
#[derive(Default)]
pub(super) struct Entries<T> {
    pub edges: Vec<[T; 2]>,
    pub weights: Vec<u32>,
}

impl<T: Copy + Default + Send + Sync> Entries<T> {
    pub fn push(&mut self, edge: [T; 2], weight: Option<u32>) {
        self.edges.push(edge);
        self.weights.extend(weight);
    }

    /// All parts as one.
    pub fn joined(parts: Vec<Self>) -> Self {
        let parts = parts.into_iter().map(|part| (part.edges, part.weights));
        let (edges, weights): (Vec<_>, Vec<_>) = parts.unzip();
        Self {
            edges: joined(edges),
            weights: joined(weights),
        }
    }
}

/// Gives every line of `text` from byte `from` on to `parse`, which appends to
/// a list; the lists become one in the order of the text. The first fault counts.
pub(super) fn parse_lines<T: Copy + Default + Send + Sync>(
    text: &[u8],
    from: usize,
    parse: impl Fn(Words<'_>, &mut Entries<T>) -> Result<(), LineProblem> + Sync,
) -> Result<Entries<T>, Fault> {
    let parts: Vec<Result<Entries<T>, Fault>> = pieces(text, from)
        .into_par_iter()
        .map(|piece| {
            let mut entries = Entries::default();
            for line in lines(text, piece) {
                parse(line.words(), &mut entries)
                    .map_err(|problem| Fault::new(line.at, problem))?;
            }
            Ok(entries)
        })
        .collect();
    let parts = parts.into_iter().collect::<Result<_, _>>()?;
    Ok(Entries::joined(parts))
}

/// All parts as one list.
fn joined<T: Copy + Default + Send + Sync>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = vec![T::default(); parts.iter().map(Vec::len).sum()];
    let mut rest = &mut all[..];
    let mut places = Vec::with_capacity(parts.len());
    for part in parts {
        let (place, tail) = rest.split_at_mut(part.len());
        rest = tail;
        places.push((place, part));
    }
    places
        .into_par_iter()
        .for_each(|(place, part)| place.copy_from_slice(&part));
    all
}
