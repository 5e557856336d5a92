//! Weights of entries. Rows do not keep the order of the list, so each edge looks up its entries by
//! its ends.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Csr, Parallel, zeroes};

/// Edges with weights, and the rows that they made.
pub(super) struct WeightedEdges<'a> {
    pub rows: &'a Csr,
    pub edges: &'a [[u32; 2]],
    /// The words of the weights, one per edge.
    pub words: &'a [u32],
    /// Whether an edge made entries in both directions.
    pub both_ways: bool,
}

impl WeightedEdges<'_> {
    /// The words of the weights of the entries. Where an entry may be of several edges, `parallel`
    /// decides between them.
    ///
    /// # Panics
    /// If weights are not one per edge.
    pub fn place(&self, parallel: Option<Parallel>) -> Vec<u32> {
        assert_eq!(self.edges.len(), self.words.len(), "one weight per edge");
        match parallel {
            None => self.update(0, |weight, word| weight.store(word, Relaxed)),
            Some(Parallel::Least) => self.update(u32::MAX, |weight, word| {
                weight.fetch_min(word, Relaxed);
            }),
            Some(Parallel::Last) => self.last(),
        }
    }

    /// The words of the entries: each begins with `start` and is updated with those of its edges, in
    /// any order.
    fn update(&self, start: u32, update: impl Fn(&AtomicU32, u32) + Sync) -> Vec<u32> {
        let entries = 0..self.rows.targets.len();
        let weights = entries.into_par_iter().map(|_| AtomicU32::new(start));
        let weights: Vec<AtomicU32> = weights.collect();
        self.for_each(|entry, position| update(&weights[entry], self.words[position]));
        weights.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// The words of the entries: those of their last edges.
    fn last(&self) -> Vec<u32> {
        let last: Vec<AtomicU64> = zeroes(self.rows.targets.len());
        self.for_each(|entry, position| {
            last[entry].fetch_max(position as u64, Relaxed);
        });
        let positions = last.into_par_iter().map(AtomicU64::into_inner);
        let words = positions.map(|position| self.words[position as usize]);
        words.collect()
    }

    /// Calls `act` with the entry and the position in the list of every edge and direction.
    fn for_each(&self, act: impl Fn(usize, usize) + Sync) {
        self.edges
            .par_iter()
            .enumerate()
            .for_each(|(position, &[u, v])| {
                let at = |u, v| {
                    // Self-loops may have been left out.
                    if let Some(entry) = self.entry(u, v) {
                        act(entry, position);
                    }
                };
                at(u, v);
                if self.both_ways && u != v {
                    at(v, u);
                }
            });
    }

    fn entry(&self, u: u32, v: u32) -> Option<usize> {
        let position = self.rows.row(u).binary_search(&v).ok()?;
        Some(self.rows.entries(u).start + position)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use crate::{Csr, CsrOptions, Direction, EdgeList, Parallel, WeightKind, Weights, hash};

    fn list(edges: &[[u32; 2]], words: &[u32], directed: bool) -> EdgeList {
        EdgeList {
            vertices: 30,
            edges: edges.to_vec(),
            weights: Some(integers(words)),
            directed,
        }
    }

    fn integers(words: &[u32]) -> Weights {
        Weights {
            kind: WeightKind::Integer,
            words: words.to_vec(),
        }
    }

    fn options(keep_self_loops: bool, direction: Direction, parallel: Parallel) -> CsrOptions {
        CsrOptions {
            keep_self_loops,
            direction,
            parallel,
        }
    }

    #[test]
    fn parallel_edges_have_the_last_weight_or_the_least() {
        let edges = [[0, 1], [1, 2], [1, 0], [2, 2], [0, 1], [2, 2]];
        let words = [5, 0, 2, 9, 7, 8];
        let build = |directed, direction, parallel| {
            let list = list(&edges, &words, directed);
            let (csr, statistics) = Csr::build(list, options(true, direction, parallel));
            assert!(statistics.duplicates > 0);
            let row = |v| csr.row_weights(v).map(<[u32]>::to_vec).unwrap();
            [row(0), row(1), row(2)]
        };
        let as_read = Direction::AsRead;
        let last = build(false, as_read, Parallel::Last);
        assert_eq!(last, [vec![7], vec![7, 0], vec![0, 8]]);
        let least = build(false, as_read, Parallel::Least);
        assert_eq!(least, [vec![2], vec![2, 0], vec![0, 8]]);
        // In a directed graph both directions are two edges.
        let last = build(true, as_read, Parallel::Last);
        assert_eq!(last, [vec![7], vec![2, 0], vec![8]]);
        let least = build(true, as_read, Parallel::Least);
        assert_eq!(least, [vec![5], vec![2, 0], vec![8]]);
        let both = build(true, Direction::Undirected, Parallel::Least);
        assert_eq!(both, [vec![2], vec![2, 0], vec![0, 8]]);
    }

    #[test]
    fn graphs_without_edges_may_have_weights() {
        let (csr, _) = Csr::build(list(&[], &[], true), CsrOptions::default());
        assert_eq!(csr.weights, Some(integers(&[])));
        assert_eq!(csr.to_edges().weights, csr.weights);
        assert_eq!(csr.row_weights(29), Some(&[][..]));
    }

    #[test]
    fn the_hash_has_the_weights() {
        let build = |weights| {
            let list = EdgeList {
                weights,
                ..list(&[[0, 1], [1, 2]], &[], true)
            };
            Csr::build(list, CsrOptions::default()).0
        };
        let weighted = |words: &[u32]| build(Some(integers(words))).graph_hash();
        assert_ne!(build(None).graph_hash(), weighted(&[0, 0]));
        assert_ne!(weighted(&[1, 0]), weighted(&[0, 1]));
        let entry = |u, v, word| hash::splitmix64(hash::of_entry(u, v).wrapping_add(word));
        let entries = entry(0, 1, 3).wrapping_add(entry(1, 2, 4));
        let expected = entries.wrapping_add(hash::of_vertices(30));
        assert_eq!(weighted(&[3, 4]), expected);
    }

    #[test]
    #[should_panic(expected = "one weight per edge")]
    fn weights_are_one_per_edge() {
        Csr::build(list(&[[0, 1]], &[1, 2], true), CsrOptions::default());
    }

    /// The weight of every entry, by a map.
    fn expected(list: &EdgeList, options: CsrOptions) -> BTreeMap<[u32; 2], u32> {
        let both = !list.directed || options.direction == Direction::Undirected;
        let mut map = BTreeMap::new();
        let words = &list.weights.as_ref().unwrap().words;
        for (&[u, v], &word) in list.edges.iter().zip(words) {
            let ends = [[u, v], [v, u]];
            for entry in ends.into_iter().take(1 + usize::from(both)) {
                if u == v && !options.keep_self_loops {
                    continue;
                }
                let weight = map.entry(entry).or_insert(word);
                *weight = match options.parallel {
                    Parallel::Last => word,
                    Parallel::Least => word.min(*weight),
                };
            }
        }
        map
    }

    fn entries(csr: &Csr) -> Vec<([u32; 2], u32)> {
        let of_row = |u| {
            let row = csr.row(u).iter().zip(csr.row_weights(u).unwrap());
            row.map(move |(&v, &word)| ([u, v], word))
        };
        (0..csr.vertices()).flat_map(of_row).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_entry_has_the_weight_of_its_edge(
            weighted in prop::collection::vec(((0u32..30, 0u32..30), any::<u32>()), 0..300),
            directed: bool,
            keep: bool,
            direction in prop::sample::select(vec![
                Direction::AsRead, Direction::Directed, Direction::Undirected,
            ]),
            parallel in prop::sample::select(vec![Parallel::Last, Parallel::Least]),
        ) {
            let edges: Vec<_> = weighted.iter().map(|&((u, v), _)| [u, v]).collect();
            let words: Vec<_> = weighted.iter().map(|&(_, word)| word).collect();
            let list = list(&edges, &words, directed);
            let options = options(keep, direction, parallel);
            let expected = expected(&list, options);
            let (csr, _) = Csr::build(list, options);
            prop_assert_eq!(entries(&csr), Vec::from_iter(expected));

            // Its own edges give the same graph, and turned round twice it is itself.
            let direction = if csr.directed { Direction::Directed } else { Direction::Undirected };
            let again = CsrOptions { keep_self_loops: true, direction, parallel };
            prop_assert_eq!(&Csr::build(csr.to_edges(), again).0, &csr);
            prop_assert_eq!(&csr.transposed().transposed(), &csr);
            if !csr.directed {
                prop_assert_eq!(csr.transposed(), csr);
            }
        }
    }
}
