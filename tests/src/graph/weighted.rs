//! Random batches on random weighted graphs, which insert, delete and change weights, and shortest
//! paths after them; beside a model that shares no code with the device.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::verify::Checker;
use heapwood::graph::{Change, EdgeBatch, Options, PathOptions, PathTree, Store};
use heapwood::size::Pool;
use heapwood_graphs::{Csr, CsrOptions, Direction, EdgeList, Ids, Parallel, WeightKind, Weights};

use super::forms::{FORMS, Form};
use crate::lockstep::Random;

/// Random batches on a random weighted graph.
pub struct Weighted {
    /// The form of the store.
    pub form: Form,
    /// The kind of the weights.
    pub kind: WeightKind,
    /// Which weight of parallel edges counts.
    pub parallel: Parallel,
    /// Vertices.
    pub vertices: u32,
    /// How many batches there are.
    pub batches: u32,
    /// The maximum number of edges in a batch.
    pub largest: u64,
    /// Bytes of the pool.
    pub pool: u64,
    /// The seed of everything random.
    pub seed: u64,
}

impl Weighted {
    /// A form of number `seed`: of layout, directions, kinds and parallel edges each.
    pub fn new(seed: u64) -> Self {
        let choose = |bit: u64| seed >> bit & 1 == 1;
        Self {
            form: FORMS[(seed % 4) as usize],
            kind: match choose(2) {
                true => WeightKind::Real,
                false => WeightKind::Integer,
            },
            parallel: match choose(3) {
                true => Parallel::Least,
                false => Parallel::Last,
            },
            vertices: 200,
            batches: 12,
            largest: 600,
            pool: 16 << 20,
            seed,
        }
    }

    /// A word that is often one of few, as small as 0 and as large as can be.
    fn weight(&self, random: &mut Random) -> u32 {
        let few = random.below(4);
        match (self.kind, random.below(4)) {
            (WeightKind::Integer, 0) => random.choose(&[0, 1, u32::MAX]),
            (WeightKind::Integer, 1) => random.below(1 << 32) as u32,
            (WeightKind::Integer, _) => few as u32,
            (WeightKind::Real, 0) => random
                .choose(&[0.0, 1e-40, f32::MIN_POSITIVE, 1e30, f32::MAX])
                .to_bits(),
            // Sums are rounded.
            (WeightKind::Real, 1) => (1.0 / (1.0 + random.below(1 << 24) as f32)).to_bits(),
            (WeightKind::Real, _) => (few as f32 * 0.1).to_bits(),
        }
    }

    fn edges(&self, random: &mut Random, count: usize) -> EdgeBatch {
        // Sources are few at times, so that rows become long, and some ends are no vertices.
        let sources = random.choose(&[u64::from(self.vertices) + 2, 8, 2]);
        let mut edge = || {
            let source = random.below(sources) as u32;
            let target = random.below(u64::from(self.vertices) + 1) as u32;
            [source, target]
        };
        let ends = (0..count).map(|_| edge()).collect();
        let weights = (0..count).map(|_| self.weight(random)).collect();
        EdgeBatch {
            ends,
            weights: Some(weights),
        }
    }

    /// Store and model stay equal on a backend.
    ///
    /// # Panics
    ///
    /// If they differ, or a batch fails.
    pub fn run(&self, backend: &dyn Backend, spec: &Spec) {
        let mut random = Random::new(self.seed);
        let start = self.edges(&mut random, 3 * self.vertices as usize);
        let in_range = |edge: &[u32; 2]| edge.iter().all(|&end| end < self.vertices);
        let (edges, words) = (start.ends.iter().zip(start.weights.unwrap_or_default()))
            .filter(|(edge, _)| in_range(edge))
            .map(|(&edge, weight)| (edge, weight))
            .unzip();
        let list = EdgeList {
            vertices: self.vertices,
            edges,
            weights: Some(Weights {
                kind: self.kind,
                words,
            }),
            directed: self.form.directed,
        };
        let csr_options = CsrOptions {
            keep_self_loops: self.form.loops,
            direction: Direction::AsRead,
            parallel: self.parallel,
        };
        let mut checker = Checker::new(&list, csr_options, Ids::from(0));
        let (rows, _) = Csr::build(list, csr_options);
        let columns = rows.directed.then(|| rows.transposed());
        let options = Options {
            spec: spec.clone(),
            pool: Pool::Bytes(self.pool),
            layout: self.form.layout,
            self_loops: self.form.loops,
            parallel: self.parallel,
            ..Options::default()
        };
        let mut store = Store::new(backend, options, &rows, columns.as_ref()).expect("a pool");
        checker.store(&store).expect("as loaded");
        let source = random.below(self.vertices.into()) as u32;
        let (tree, _) = PathTree::start(&store, &PathOptions::from(source)).expect("memory");
        let mut tree = tree.with_rounds(random.below(4) as u32);
        for batch in 0..self.batches {
            // The graph grows first.
            let grows = random.below(4) < if 2 * batch < self.batches { 3 } else { 1 };
            let change = if grows {
                Change::Insert
            } else {
                Change::Delete
            };
            let count = 1 + random.below(self.largest) as usize;
            let mut edges = self.edges(&mut random, count);
            if change == Change::Delete && random.below(2) == 0 {
                edges.weights = None;
            }
            let what = format!(
                "{spec}, seed {}, batch {batch}: {change:?} {count}",
                self.seed
            );
            let found = store.update(&edges, change).expect(&what);
            checker.batch(&edges, change, &found.counts).expect(&what);
            checker.store(&store).expect(&what);
            if batch % 3 == 0 {
                self.search(&store, &checker, &mut random, &what);
            }
            // At times after several batches.
            if random.below(3) > 0 {
                tree.advance(&store).expect(&what);
                let distances = tree.distances(&store).expect(&what);
                let reference = checker.reference();
                reference.distances_from(source, &distances).expect(&what);
            }
        }
        store.check_heap().expect("a heap in order");
    }

    /// Shortest paths are those of a heap, whatever the width of the steps.
    fn search(&self, store: &Store, checker: &Checker, random: &mut Random, what: &str) {
        let mut vertex = || random.below(self.vertices.into()) as u32;
        let mut options = PathOptions {
            target: Some(vertex()),
            ..PathOptions::from(vertex())
        };
        let reference = checker.reference();
        for delta in [None, Some(1.0), Some(1e9)] {
            options.delta = delta;
            let found = store.shortest_paths(&options).expect(what);
            reference.paths(&found, &options).expect(what);
        }
    }
}
