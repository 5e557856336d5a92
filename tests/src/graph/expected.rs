//! The expected contents and results of a store: computed once from a model, then compared with
//! many stores.

use heapwood::graph::{Edge, RankOptions, Ranks, Store};
use heapwood_device::graph::batch::{Change, Counts};
use heapwood_graphs::Csr;

use super::{Model, graphs};
use crate::lockstep::Random;

/// By how much ranks may be off, summed over all vertices.
const RANKS_OFF: f64 = 1e-6;

/// Iterations of label propagation.
const TURNS: u32 = 3;

/// The edges of a graph, both ways.
pub struct Kept {
    /// The neighbours of each vertex.
    pub rows: Csr,
    /// The in-neighbours, if there are directions.
    pub columns: Option<Csr>,
    hash: u64,
}

impl Kept {
    /// The edges of a model.
    pub fn of(model: &Model) -> Self {
        let rows = model.csr();
        Self {
            columns: model.directed.then(|| model.transposed().csr()),
            hash: rows.graph_hash(),
            rows,
        }
    }

    /// The rows and the in-neighbours.
    pub fn csr(&self) -> (&Csr, Option<&Csr>) {
        (&self.rows, self.columns.as_ref())
    }

    /// Holds a store against them, and its memory against what they take.
    ///
    /// # Panics
    ///
    /// If it differs, or fails.
    pub fn assert_in(&self, store: &Store, what: &str) {
        let rows = store.csr().expect("the rows fit");
        assert!(rows == self.rows, "{what}: other rows");
        let mut entries = self.rows.targets.len() as u64;
        if let Some(columns) = &self.columns {
            let found = store.transposed_csr().expect("the rows fit");
            assert!(found == *columns, "{what}: other in-neighbours");
            entries *= 2;
        }
        let hash = store.hash().expect("the rows fit");
        assert_eq!(hash, self.hash, "{what}: hash");
        let memory = store.memory_use().expect("it can be measured");
        assert_eq!(memory.payload_bytes, 4 * entries, "{what}");
        let ascending = [
            memory.payload_bytes,
            memory.allocated_bytes,
            memory.high_water_bytes,
        ];
        assert!(ascending.is_sorted(), "{what}: {memory:?}");
        let pool = store.pool_bytes();
        assert!(memory.allocated_bytes <= pool, "{what}: {memory:?}");
    }

    /// Deletes them all from a store, loops with their vertices, which should
    /// leave no blocks and a heap in order.
    ///
    /// # Panics
    ///
    /// If something is left, or a deletion fails.
    pub fn clear(&self, mut store: Store, what: &str) {
        let vertices = 0..self.rows.vertices();
        let edges: Vec<Edge> = vertices
            .clone()
            .flat_map(|source| self.rows.row(source).iter().map(move |&to| [source, to]))
            .filter(|edge| edge[0] != edge[1])
            .collect();
        store.update(&edges, Change::Delete).expect(what);
        let vertices: Vec<u32> = vertices.collect();
        store.delete_vertices(&vertices).expect(what);
        assert_eq!(store.entries(), Ok(0), "{what}");
        let memory = store.memory_use().expect(what);
        assert_eq!(memory.allocated_bytes, 0, "{what}");
        store.check_heap().expect(what);
    }
}

/// A batch, and what it should make of the graph before.
pub struct Turn {
    /// The batch.
    pub edges: Vec<Edge>,
    /// The update that it makes.
    pub change: Change,
    /// The expected counts of its edges.
    pub counts: Counts,
    /// The graph after it.
    pub after: Kept,
}

/// So many random batches, of 1 to `largest` edges and the last two of that
/// size, on a model, which is as after them then.
pub fn turns(model: &mut Model, loops: bool, count: usize, largest: u64, seed: u64) -> Vec<Turn> {
    let mut random = Random::new(seed);
    let mut turn = |index: usize| {
        let change = match count - index {
            2 => Change::Insert,
            1 => Change::Delete,
            _ => random.choose(&[Change::Insert, Change::Delete]),
        };
        let most = 1 + random.below(largest);
        let size = match count - index {
            1 | 2 => largest,
            _ => 1 + random.below(most),
        };
        let edges = graphs::batch(&mut random, model, size as usize);
        Turn {
            counts: model.apply(&edges, change, !loops),
            edges,
            change,
            after: Kept::of(model),
        }
    };
    (0..count).map(&mut turn).collect()
}

/// The expected results on a graph.
pub struct Results {
    ranks: Vec<f64>,
    triangles: Option<Vec<u32>>,
    cores: Option<Vec<u32>>,
    labels: Vec<u32>,
    components: u64,
    source: u32,
    depths: Vec<u32>,
    /// By the shortest paths from the source and from the first vertex that is there.
    betweenness: Vec<f64>,
    first: u32,
    coefficients: Vec<f64>,
    communities: Vec<u32>,
}

impl Results {
    /// Computed on a model, some of whose vertices, without edges, were deleted.
    pub fn of(model: &Model, deleted: &[u32]) -> Self {
        let vertices = 0..model.rows.len() as u32;
        let live: Vec<u32> = vertices.filter(|v| !deleted.contains(v)).collect();
        let mut ranks = vec![0.0; model.rows.len()];
        let live_ranks = model.only(&live).ranks(0.85);
        for (&vertex, rank) in live.iter().zip(live_ranks) {
            ranks[vertex as usize] = rank;
        }
        let mut labels = model.components();
        for &vertex in deleted {
            labels[vertex as usize] = u32::MAX;
        }
        let roots = (0..).zip(&labels).filter(|(v, label)| v == *label);
        let source = live[live.len() / 2];
        Self {
            ranks,
            triangles: (!model.directed).then(|| model.triangles()),
            cores: (!model.directed).then(|| model.cores()),
            components: roots.count() as u64,
            labels,
            source,
            depths: model.search(source),
            betweenness: [source, live[0]]
                .map(|source| model.dependencies(source))
                .into_iter()
                .reduce(|one, other| one.iter().zip(&other).map(|(a, b)| a + b).collect())
                .unwrap_or_default(),
            first: live[0],
            coefficients: model.coefficients(),
            communities: model.communities(TURNS),
        }
    }

    /// The number of triangles.
    ///
    /// # Panics
    ///
    /// If the graph has directions.
    pub fn triangle_count(&self) -> u64 {
        let corners = self.triangles.as_ref().expect("no directions");
        corners.iter().map(|&count| u64::from(count)).sum::<u64>() / 3
    }

    /// Computes all of it on a store, ranks from those of before if there are
    /// any; returns the ranks. Components that the store keeps are up to date.
    ///
    /// # Panics
    ///
    /// If a result differs.
    pub fn assert_on(&self, store: &Store, from: Option<&[f32]>, what: &str) -> Ranks {
        if let Some(expected) = &self.triangles {
            let found = store.triangles_per_vertex().expect("there is memory");
            assert_eq!(found.count, self.triangle_count(), "{what}");
            assert!(found.per_vertex.as_ref() == Some(expected), "{what}");
            let found = store.triangles().expect("there is memory");
            assert_eq!(found.count, self.triangle_count(), "{what}");
            assert_eq!(found.per_vertex, None, "{what}");
        }
        if let Some(expected) = &self.cores {
            let found = store.core_numbers().expect("there is memory");
            assert!(&found.cores == expected, "{what}: cores");
        }
        let found = store.components().expect("there is memory");
        assert_eq!(found.count, self.components, "{what}: components");
        assert!(found.labels == self.labels, "{what}: labels");
        if let Some(kept) = store.kept_components().expect("no fault") {
            assert_eq!(kept.count, self.components, "{what}: components kept");
            assert!(kept.labels == self.labels, "{what}: labels kept");
        }
        let found = store.search(self.source).expect("there is memory");
        assert!(found.depths == self.depths, "{what}: depths");
        let reached = || self.depths.iter().filter(|&&depth| depth != u32::MAX);
        assert_eq!(found.state.reached as usize, reached().count(), "{what}");
        assert_eq!(Some(&found.state.depth), reached().max(), "{what}");
        let sources = [self.source, self.first];
        let found = store.betweenness(&sources).expect("there is memory");
        let mut pairs = found.scores.iter().zip(&self.betweenness);
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.max(1.0);
        assert_eq!(found.scores.len(), self.betweenness.len(), "{what}");
        assert!(pairs.all(is_near), "{what}: betweenness");
        let found = store.clustering().expect("there is memory");
        assert!(
            found.coefficients == self.coefficients,
            "{what}: clustering"
        );
        let found = store.communities(TURNS).expect("there is memory");
        assert!(found.labels == self.communities, "{what}: communities");
        let found = store.pagerank(&RankOptions::default(), from);
        let found = found.expect("there is memory");
        assert!(found.state.converged, "{what}: {:?}", found.state);
        assert_eq!(found.ranks.len(), self.ranks.len(), "{what}");
        let pairs = found.ranks.iter().zip(&self.ranks);
        let off: f64 = pairs.map(|(&a, b)| (f64::from(a) - b).abs()).sum();
        assert!(off <= RANKS_OFF, "{what}: ranks off by {off:e}");
        found
    }
}
