//! Edges that are drawn to be deleted, against a draw from a list of all of them.
//!
//! A seed promises the same edges for ever: results are compared by them. So the model here
//! makes its random numbers itself, and lists every edge that may be drawn.

use std::collections::BTreeSet;

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, Cpu};
use heapwood::graph::{Draw, Edge, Pattern, Store};
use heapwood::size::Pool;
use heapwood_device::allocators::{CfmMalloc, OuroborosPVa};
use heapwood_device::graph::batch::Change;
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::Model;
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::{FORMS, Form, keeping};
use heapwood_tests::graph::graphs::{self, batch};
use heapwood_tests::lockstep::{LockstepBackend, Random};

/// Sebastiano Vigna's SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    /// The sequence of a draw for sources (0) or for deletions (2).
    fn of(draw: &Draw, purpose: u64) -> Self {
        let seeded = Self(draw.seed).next();
        Self(Self(seeded ^ (draw.number << 2 | purpose)).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = self.0;
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, count: u32) -> u32 {
        (((self.next() >> 32) * u64::from(count)) >> 32) as u32
    }
}

/// All edges that a draw may take, in their order, and those that it takes.
fn expected(draw: &Draw, count: usize, model: &Model) -> (Vec<Edge>, Vec<Edge>) {
    let vertices = model.rows.len() as u32;
    let sources = match draw.pattern {
        Pattern::Uniform => 0..vertices,
        Pattern::Pressure => {
            let width = vertices.min(1000);
            let start = SplitMix::of(draw, 0).below(vertices - width + 1);
            start..start + width
        }
    };
    let mut all = Vec::new();
    for u in sources.clone() {
        for &v in &model.rows[u as usize] {
            // Of an undirected edge between two sources, the lesser has it.
            if model.directed || !(sources.start..u).contains(&v) {
                all.push([u, v]);
            }
        }
    }
    let mut random = SplitMix::of(draw, 2);
    let mut taken = all.clone();
    let count = count.min(all.len());
    for place in 0..count {
        let other = place + random.below((all.len() - place) as u32) as usize;
        taken.swap(place, other);
    }
    taken.truncate(count);
    (all, taken)
}

/// Draws of few edges, of some, and of all; returns how many there were.
fn assert_drawn(store: &Store, model: &Model, number: u64, what: &str) -> [usize; 2] {
    [Pattern::Uniform, Pattern::Pressure].map(|pattern| {
        let draw = Draw {
            seed: 11,
            number,
            pattern,
        };
        let (all, _) = expected(&draw, 0, model);
        for count in [1, all.len() / 20, all.len() / 3, usize::MAX] {
            let drawn = draw.deletions(count, store).expect(what);
            let (_, taken) = expected(&draw, count, model);
            assert_eq!(drawn, taken, "{what}, {pattern:?}, {count}");
            // No edge is drawn twice, in whichever direction.
            let edges = drawn.iter().map(|&[u, v]| match model.directed {
                true => [u, v],
                false => [u.min(v), u.max(v)],
            });
            assert_eq!(BTreeSet::from_iter(edges).len(), drawn.len());
        }
        all.len()
    })
}

fn assert_drawn_from(backend: &dyn Backend, spec: &Spec, form: Form, model: &Model, what: &str) {
    let mut model = model.clone();
    let pool = Pool::Bytes(16 << 20);
    let mut store = form.store(backend, spec, pool, Kept::of(&model).csr());
    assert_drawn(&store, &model, 1, what);
    // Blocks that have moved, and pages that were closed up.
    let mut random = Random::new(5);
    for (number, change) in [(2, Change::Insert), (3, Change::Delete)] {
        let edges = batch(&mut random, &model, 300);
        store.update(&edges, change).expect(what);
        model.apply(&edges, change, !form.loops);
        assert_drawn(&store, &model, number, what);
    }
}

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

#[test]
fn the_edges_of_a_seed_stay_the_same() {
    let backend = threads(2);
    for form in FORMS {
        for (name, model) in graphs::all(form.directed) {
            let what = format!("{name}, {form:?}");
            assert_drawn_from(&backend, &spec("cfmmalloc"), form, &model, &what);
        }
    }
}

#[test]
fn every_allocator_draws_the_same_edges() {
    let backend = threads(2);
    for spec in keeping(true) {
        for form in FORMS {
            let model = graphs::skewed(300, 3000, form.directed, 9);
            let what = format!("{spec}, {form:?}");
            assert_drawn_from(&backend, &spec, form, &model, &what);
        }
    }
}

#[test]
fn lanes_draw_the_same_edges() {
    for form in FORMS {
        let model = graphs::skewed(200, 1500, form.directed, 4);
        let what = format!("{form:?}");
        let backend = Dirty(LockstepBackend::new::<CfmMalloc>(3, 16, 1));
        assert_drawn_from(&backend, &spec("cfmmalloc"), form, &model, &what);
        // Handles of another kind of allocator, where linked pages hold them.
        let backend = Dirty(LockstepBackend::new::<OuroborosPVa>(3, 16, 2));
        assert_drawn_from(&backend, &spec("ouroboros-p-va"), form, &model, &what);
    }
}

#[test]
fn pressure_leaves_out_only_what_another_source_has() {
    // More vertices than a draw under pressure has, so that rows have neighbours below, among
    // and above the sources.
    let backend = threads(2);
    for form in FORMS {
        let model = graphs::uniform(4000, 40_000, form.directed, 8);
        let pool = Pool::Bytes(16 << 20);
        let store = form.store(&backend, &spec("cmalloc"), pool, Kept::of(&model).csr());
        for number in 1..6 {
            let [uniform, pressed] = assert_drawn(&store, &model, number, "4000 vertices");
            let expected = if form.directed { 4 } else { 2 };
            assert!(pressed < uniform && pressed > uniform / (expected + 1));
        }
    }
}

#[test]
fn graphs_without_edges_or_vertices_have_none_to_draw() {
    let backend = Cpu::with_threads(1).expect("a worker");
    for form in FORMS {
        for vertices in [0, 1, 5] {
            let model = Model::new(vertices, form.directed);
            let pool = Pool::Bytes(16 << 20);
            let store = form.store(&backend, &spec("cmalloc"), pool, Kept::of(&model).csr());
            assert_eq!(assert_drawn(&store, &model, 1, "no edges"), [0, 0]);
        }
    }
}
