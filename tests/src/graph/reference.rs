//! The algorithms in a few lines each, for small graphs.

use std::cmp::Reverse;

use super::Model;

impl Model {
    /// PageRank in double precision, iterated until nothing changes any more.
    pub fn ranks(&self, damping: f64) -> Vec<f64> {
        let count = self.rows.len();
        let mut ranks = vec![1.0 / count as f64; count];
        for _ in 0..2000 {
            let dangling = self.rows.iter().zip(&ranks);
            let dangling: f64 = dangling
                .filter(|(row, _)| row.is_empty())
                .map(|(_, rank)| rank)
                .sum();
            let all = (1.0 - damping + damping * dangling) / count as f64;
            let mut next = vec![all; count];
            for (row, rank) in self.rows.iter().zip(&ranks) {
                for &target in row {
                    next[target as usize] += damping * rank / row.len() as f64;
                }
            }
            let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
            ranks = next;
            if change < 1e-15 {
                break;
            }
        }
        ranks
    }

    /// The triangles that each vertex is in.
    pub fn triangles(&self) -> Vec<u32> {
        let mut counts = vec![0; self.rows.len()];
        for (one, row) in (0..).zip(&self.rows) {
            for &two in row.range(one + 1..) {
                for &three in row.range(two + 1..) {
                    if self.rows[two as usize].contains(&three) {
                        for vertex in [one, two, three] {
                            counts[vertex as usize] += 1;
                        }
                    }
                }
            }
        }
        counts
    }

    /// The least vertex that each one is connected with, without directions.
    pub fn components(&self) -> Vec<u32> {
        let back = self.transposed();
        let mut labels = vec![u32::MAX; self.rows.len()];
        for start in 0..self.rows.len() as u32 {
            let mut stack = vec![start];
            while let Some(vertex) = stack.pop() {
                if labels[vertex as usize] == u32::MAX {
                    labels[vertex as usize] = start;
                    stack.extend(&self.rows[vertex as usize]);
                    stack.extend(&back.rows[vertex as usize]);
                }
            }
        }
        labels
    }

    /// Distances from a vertex.
    pub fn search(&self, source: u32) -> Vec<u32> {
        let mut depths = vec![u32::MAX; self.rows.len()];
        depths[source as usize] = 0;
        let mut level = vec![source];
        while !level.is_empty() {
            let mut next = Vec::new();
            for vertex in level {
                for &neighbour in &self.rows[vertex as usize] {
                    if depths[neighbour as usize] == u32::MAX {
                        depths[neighbour as usize] = depths[vertex as usize] + 1;
                        next.push(neighbour);
                    }
                }
            }
            level = next;
        }
        depths
    }

    /// The dependencies of a source on each vertex: over all others, the part of the shortest paths to
    /// them that leads through it.
    pub fn dependencies(&self, source: u32) -> Vec<f64> {
        let depths = &self.search(source);
        let below = |vertex: u32| {
            let depth = depths[vertex as usize] + 1;
            let row = self.rows[vertex as usize].iter().copied();
            row.filter(move |&other| depths[other as usize] == depth)
        };
        let mut order: Vec<u32> = (0..).take(depths.len()).collect();
        order.retain(|&vertex| depths[vertex as usize] != u32::MAX);
        order.sort_by_key(|&vertex| depths[vertex as usize]);
        let mut counts = vec![0.0; depths.len()];
        counts[source as usize] = 1.0;
        for &vertex in &order {
            for other in below(vertex) {
                counts[other as usize] += counts[vertex as usize];
            }
        }
        let mut dependencies = vec![0.0; depths.len()];
        for &vertex in order.iter().rev() {
            let parts = below(vertex).map(|other| {
                (1.0 + dependencies[other as usize]) * counts[vertex as usize]
                    / counts[other as usize]
            });
            dependencies[vertex as usize] = parts.sum();
        }
        dependencies[source as usize] = 0.0;
        dependencies
    }

    /// Local clustering coefficients: of the pairs of different neighbours, in either direction, the
    /// part that an edge leads through.
    pub fn coefficients(&self) -> Vec<f64> {
        let back = self.transposed();
        let neighbours = |vertex: u32| {
            let mut all = &self.rows[vertex as usize] | &back.rows[vertex as usize];
            all.remove(&vertex);
            all
        };
        let of = |vertex: u32| {
            let all = neighbours(vertex);
            let (mut pairs, mut links) = (0, 0);
            for from in &all {
                for to in all.iter().filter(|&to| to != from) {
                    pairs += 1;
                    links += u32::from(self.rows[*from as usize].contains(to));
                }
            }
            f64::from(links) / f64::from(pairs.max(1))
        };
        (0..self.rows.len() as u32).map(of).collect()
    }

    /// The greatest k whose core has a vertex: what is left after those with fewer neighbours are
    /// taken away, again and again.
    pub fn cores(&self) -> Vec<u32> {
        let mut is_left = vec![true; self.rows.len()];
        let mut cores = vec![0; self.rows.len()];
        for k in 0.. {
            loop {
                let before = is_left.clone();
                for (vertex, row) in (0..).zip(&self.rows) {
                    let others = row.iter().filter(|&&other| other != vertex);
                    let have = others.filter(|&&other| before[other as usize]).count();
                    is_left[vertex as usize] &= have >= k as usize;
                }
                if is_left == before {
                    break;
                }
            }
            if !is_left.contains(&true) {
                break;
            }
            for (core, _) in cores.iter_mut().zip(&is_left).filter(|(_, left)| **left) {
                *core = k;
            }
        }
        cores
    }

    /// Labels after so many turns in which each vertex takes the most frequent one of its
    /// neighbours, the least of several.
    pub fn communities(&self, turns: u32) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..self.rows.len() as u32).collect();
        for _ in 0..turns {
            let mut seen = vec![Vec::new(); labels.len()];
            for (source, row) in self.rows.iter().enumerate() {
                for &target in row {
                    seen[source].push(labels[target as usize]);
                    if self.directed {
                        seen[target as usize].push(labels[source]);
                    }
                }
            }
            for (label, seen) in labels.iter_mut().zip(&seen) {
                let count = |one: u32| seen.iter().filter(|&&other| other == one).count();
                let best = seen.iter().map(|&one| (count(one), Reverse(one))).max();
                if let Some((_, Reverse(best))) = best {
                    *label = best;
                }
            }
        }
        labels
    }
}
