//! Components that a store keeps while its graph changes, against a search of the sets of
//! edges.

use std::collections::BTreeSet;
use std::sync::Mutex;

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, BackendError, Cpu, Launch, Memory};
use heapwood::graph::{Edge, Limits, Options, Store};
use heapwood::size::Pool;
use heapwood_device::allocators::{CfMalloc, CfmMalloc};
use heapwood_device::graph::batch::Change::{self, Delete, Insert};
use heapwood_device::launch::KernelId;
use heapwood_graphs::Parallel;
use heapwood_tests::delegated;
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::{FORMS, Form, keeping};
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::{LockstepBackend, Random};

/// A store that keeps components, and what its graph should be.
struct Pair<'b> {
    store: Store<'b>,
    model: Model,
    deleted: BTreeSet<u32>,
    loops: bool,
}

impl<'b> Pair<'b> {
    /// Of the graph of a model, over an allocator of this name.
    fn new(backend: &'b dyn Backend, allocator: &str, form: Form, model: Model) -> Self {
        let spec = Spec::parse(allocator).expect("an allocator");
        let kept = Kept::of(&model);
        let mut store = form.store(backend, &spec, Pool::Bytes(4 << 20), kept.csr());
        store.keep_components().expect("there is memory");
        let pair = Self {
            store,
            model,
            deleted: BTreeSet::new(),
            loops: form.loops,
        };
        pair.check("as loaded");
        pair
    }

    fn apply(&mut self, change: Change, edges: &[Edge]) {
        let found = self.store.update(edges, change).expect("it fits");
        let is_absent = |edge: &Edge| edge.iter().any(|end| self.deleted.contains(end));
        let there: Vec<Edge> = edges.iter().copied().filter(|e| !is_absent(e)).collect();
        let expected = self.model.apply(&there, change, !self.loops);
        assert_eq!(found.counts.applied, expected.applied);
    }

    fn insert_vertices(&mut self, count: u32) {
        self.store.insert_vertices(count).expect("there is memory");
        let vertices = self.model.rows.len() + count as usize;
        self.model.rows.resize(vertices, BTreeSet::new());
    }

    fn delete_vertices(&mut self, vertices: &[u32]) {
        self.store.delete_vertices(vertices).expect("it fits");
        let there = |v: &&u32| (**v as usize) < self.model.rows.len();
        self.deleted.extend(vertices.iter().filter(there));
        for row in &mut self.model.rows {
            row.retain(|neighbour| !self.deleted.contains(neighbour));
        }
        for &vertex in &self.deleted {
            self.model.rows[vertex as usize].clear();
        }
    }

    /// Brings the labels up to date, and compares them.
    fn advance(&mut self, what: &str) {
        self.store.advance_components().expect("there is memory");
        self.check(what);
    }

    fn check(&self, what: &str) {
        let found = self.store.kept_components().expect("no fault");
        let found = found.expect("they are kept");
        let mut expected = self.model.components();
        for &vertex in &self.deleted {
            expected[vertex as usize] = u32::MAX;
        }
        assert_eq!(found.labels, expected, "{what}");
        let roots = (0..).zip(&expected).filter(|(v, label)| v == *label);
        assert_eq!(found.count, roots.count() as u64, "{what}");
    }
}

/// A graph of about as many edges as vertices: of many components, and a large one.
fn sparse(vertices: u32, directed: bool, seed: u64) -> Model {
    graphs::uniform(vertices, vertices * 3 / 4, directed, seed)
}

/// Rounds of random batches, and of vertices that come and go.
fn rounds(pair: &mut Pair, rounds: u32, largest: u64, seed: u64) {
    let mut random = Random::new(seed);
    for round in 0..rounds {
        if random.one_in(3) {
            pair.insert_vertices(1 + random.below(9) as u32);
        }
        for _ in 0..random.below(4) {
            let change = random.choose(&[Insert, Delete]);
            let count = 1 + random.below(largest) as usize;
            let batch = match change {
                Insert => graphs::batch(&mut random, &pair.model, count / 4 + 1),
                Delete => graphs::batch(&mut random, &pair.model, count),
            };
            pair.apply(change, &batch);
        }
        if random.one_in(3) {
            let vertices = pair.model.rows.len() as u64;
            let gone: Vec<u32> = (0..1 + random.below(5))
                .map(|_| random.below(vertices + 2) as u32)
                .collect();
            pair.delete_vertices(&gone);
        }
        pair.advance(&format!("seed {seed}, round {round}"));
    }
}

#[test]
fn random_rounds_leave_the_components() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(keeping(false)) {
        for form in FORMS {
            let model = sparse(150, form.directed, seed);
            let mut pair = Pair::new(&backend, &spec.to_string(), form, model);
            rounds(&mut pair, 12, 60, seed);
        }
    }
}

#[test]
fn lanes_leave_the_same() {
    for seed in 0..8 {
        let form = FORMS[(seed % 4) as usize];
        let model = sparse(90, form.directed, seed);
        let backend = Dirty(LockstepBackend::new::<CfmMalloc>(2, 16, seed));
        rounds(
            &mut Pair::new(&backend, "cfmmalloc", form, model),
            5,
            60,
            seed,
        );
        let model = sparse(700, form.directed, seed + 100);
        let backend = Dirty(LockstepBackend::new::<CfMalloc>(1, 16, seed));
        rounds(
            &mut Pair::new(&backend, "cfmalloc", form, model),
            2,
            200,
            seed,
        );
    }
}

/// Calls `test` with each form, on threads and on lanes.
fn on_all(test: impl Fn(&dyn Backend, Form)) {
    for (seed, form) in (0..).zip(FORMS) {
        test(&threads(2), form);
        let lanes = Dirty(LockstepBackend::new::<CfmMalloc>(2, 16, seed));
        test(&lanes, form);
    }
}

#[test]
fn bridges_split_and_join() {
    on_all(|backend, form| {
        // 0-1-2, 3-4-5, and between them a bridge.
        let mut model = Model::new(7, form.directed);
        let edges = [[0, 1], [1, 2], [2, 0], [3, 4], [5, 4], [4, 1]];
        model.apply(&edges, Insert, false);
        let mut pair = Pair::new(backend, "cfmmalloc", form, model);
        pair.apply(Delete, &[[4, 1]]);
        pair.advance("split");
        assert_eq!(pair.model.components(), [0, 0, 0, 3, 3, 3, 6]);
        pair.apply(Insert, &[[5, 6]]);
        pair.advance("another joined");
        pair.apply(Insert, &[[0, 6]]);
        pair.advance("all joined");
        assert_eq!(pair.model.components(), [0; 7]);
        pair.apply(Delete, &[[0, 1], [5, 6]]);
        pair.advance("one edge of a triangle, and a bridge");
        assert_eq!(pair.model.components(), [0, 0, 0, 3, 3, 3, 0]);
        // Missing: nothing is lost.
        pair.apply(Delete, &[[0, 5], [6, 6], [9, 1]]);
        pair.advance("nothing");
    });
}

/// A tree that lost an edge is hung below another one before labels are brought up to date.
#[test]
fn marks_stay_with_trees_that_are_joined() {
    on_all(|backend, form| {
        let mut model = Model::new(8, form.directed);
        model.apply(&[[5, 6], [6, 7], [2, 3], [1, 2]], Insert, false);
        let mut pair = Pair::new(backend, "cfmmalloc", form, model);
        pair.apply(Delete, &[[6, 7]]);
        pair.apply(Insert, &[[2, 5]]);
        pair.apply(Insert, &[[0, 3]]);
        pair.advance("twice below another");
        assert_eq!(pair.model.components(), [0, 0, 0, 0, 4, 0, 0, 7]);
        pair.apply(Delete, &[[0, 3]]);
        pair.apply(Insert, &[[0, 3]]);
        pair.advance("there again");
        pair.apply(Insert, &[[4, 7]]);
        pair.apply(Delete, &[[4, 7]]);
        pair.advance("gone again");
        assert_eq!(pair.model.components(), [0, 0, 0, 0, 4, 0, 0, 7]);
    });
}

#[test]
fn a_hub_falls_apart() {
    on_all(|backend, form| {
        let fan = graphs::fan(1100);
        let mut model = Model::new(1101, form.directed);
        let spokes: Vec<Edge> = (1..1100).map(|vertex| [vertex, 0]).collect();
        for (vertex, row) in (1..).zip(&fan.rows[1..]) {
            let pairs: Vec<Edge> = row.iter().map(|&other| [vertex, other]).collect();
            model.apply(&pairs, Insert, false);
        }
        let mut pair = Pair::new(backend, "cfmmalloc", form, model);
        pair.apply(Delete, &spokes[1..600]);
        pair.advance("half of the spokes");
        pair.apply(Insert, &[[1100, 5]]);
        pair.delete_vertices(&[0]);
        pair.advance("the hub");
        let count = pair.store.kept_components().expect("no fault");
        assert!(count.expect("they are kept").count > 500);
    });
}

#[test]
fn vertices_come_and_go() {
    on_all(|backend, form| {
        let mut pair = Pair::new(backend, "cfmmalloc", form, Model::new(1, form.directed));
        // More than there are records for, once and again.
        pair.insert_vertices(40);
        pair.apply(Insert, &[[0, 40], [39, 40], [7, 7]]);
        pair.apply(Delete, &[[39, 40]]);
        pair.insert_vertices(100);
        pair.apply(Insert, &[[140, 39], [41, 139], [41, 0]]);
        pair.advance("come");
        pair.delete_vertices(&[41, 7, 500, 41]);
        pair.advance("gone");
        pair.insert_vertices(1);
        pair.delete_vertices(&[141, 39]);
        pair.apply(Insert, &[[41, 3], [3, 4], [141, 5]]);
        pair.advance("come, and gone at once");
        let all: Vec<u32> = (0..142).collect();
        pair.delete_vertices(&all);
        pair.advance("none is left");
        let found = pair.store.kept_components().expect("no fault");
        assert_eq!(found.map(|found| found.count), Some(0));
    });
}

/// A deletion of vertices in many parts marks the components of each.
#[test]
fn deletions_in_parts_lose_all_of_their_edges() {
    let backend = threads(2);
    for form in FORMS {
        let model = sparse(80, form.directed, 6);
        let kept = Kept::of(&model);
        let (rows, columns) = kept.csr();
        let options = Options {
            spec: Spec::parse("cfmmalloc").expect("an allocator"),
            pool: Pool::Bytes(1 << 20),
            layout: form.layout,
            self_loops: form.loops,
            parallel: Parallel::Last,
            limits: Limits {
                deletion: 3,
                ..Limits::default()
            },
        };
        let mut store = Store::new(&backend, options, rows, columns).expect("it fits");
        store.keep_components().expect("there is memory");
        let mut pair = Pair {
            store,
            model,
            deleted: BTreeSet::new(),
            loops: form.loops,
        };
        let gone: Vec<u32> = (0..80).step_by(3).collect();
        pair.delete_vertices(&gone);
        pair.advance(&format!("{form:?}"));
    }
}

#[test]
fn a_graph_without_vertices_has_no_components() {
    on_all(|backend, form| {
        let mut pair = Pair::new(backend, "cfmmalloc", form, Model::new(0, form.directed));
        pair.apply(Delete, &[[0, 1]]);
        pair.advance("nothing");
        pair.insert_vertices(3);
        pair.apply(Insert, &[[2, 1]]);
        pair.advance("three vertices");
    });
}

/// A backend that records launches.
struct Recorder(Dirty<Cpu>, Mutex<Vec<KernelId>>);

impl Recorder {
    /// The kernels that were launched since the last call.
    fn taken(&self) -> Vec<KernelId> {
        std::mem::take(&mut self.1.lock().expect("no thread panics"))
    }
}

impl Backend for Recorder {
    delegated!(0);

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.0.allocate(bytes)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let kernels = parts.iter().copied().flatten();
        let kernels = kernels.map(|launch| launch.call.kernel());
        self.1.lock().expect("no thread panics").extend(kernels);
        // SAFETY: the caller's promise.
        unsafe { self.0.launch_parts(parts) }
    }
}

#[test]
fn rows_are_read_only_if_edges_were_deleted() {
    for form in FORMS {
        let backend = Recorder(threads(2), Mutex::default());
        let mut pair = Pair::new(&backend, "cfmmalloc", form, sparse(50, form.directed, 2));
        pair.apply(Insert, &[[1, 2], [3, 4], [5, 6]]);
        pair.insert_vertices(2);
        pair.apply(Delete, &[[3, 51], [77, 1]]);
        backend.taken();
        pair.advance("insertions");
        assert_eq!(backend.taken(), [KernelId::ComponentEnd], "{form:?}");
        pair.apply(Delete, &[[1, 2]]);
        backend.taken();
        pair.advance("a deletion");
        assert!(backend.taken().contains(&KernelId::ComponentJoin));
        pair.apply(Insert, &[[1, 2]]);
        backend.taken();
        pair.advance("marks are gone");
        assert_eq!(backend.taken(), [KernelId::ComponentEnd], "{form:?}");
    }
}

#[test]
fn components_are_kept_only_if_that_was_asked() {
    let backend = threads(2);
    let spec = Spec::parse("cfmmalloc").expect("an allocator");
    let kept = Kept::of(&sparse(20, false, 1));
    let store = FORMS[0].store(&backend, &spec, Pool::Bytes(1 << 20), kept.csr());
    assert_eq!(store.kept_components(), Ok(None));
}
