//! Rows of hubs in linked layout, which are divided into sections, beside sets of edges.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::Edge;
use heapwood::size::Pool;
use heapwood_device::allocators::{CfMalloc, CfmMalloc};
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout;
use heapwood_device::host::Named;
use heapwood_tests::dirty::threads;
use heapwood_tests::gpu::specs;
use heapwood_tests::graph::Model;
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::Form;
use heapwood_tests::lockstep::Random;

use super::updates::{Batches, lanes};

/// Vertices that have nearly all edges.
const HUBS: u32 = 4;

fn linked(directed: bool) -> Form {
    Form {
        directed,
        layout: Layout::Linked,
        loops: true,
    }
}

/// Edges of hubs: to any vertices, to those of a narrow range, which are of one section, or to
/// those that a hub has.
fn edges(random: &mut Random, model: &Model, count: usize) -> Vec<Edge> {
    let vertices = model.rows.len() as u64;
    let hub = random.below(u64::from(HUBS)) as u32;
    let (low, width) = (random.below(vertices), 1 + random.below(400));
    let kind = random.below(4);
    (0..count)
        .map(|_| {
            let any = random.below(vertices) as u32;
            let near = ((low + random.below(width)) % vertices) as u32;
            match kind {
                0 => [random.below(u64::from(HUBS)) as u32, any],
                1 => [hub, near],
                2 => [any, random.below(u64::from(HUBS)) as u32],
                _ => {
                    let row = &model.rows[hub as usize];
                    let there = row.range(near..).next().copied();
                    [hub, there.unwrap_or(near)]
                }
            }
        })
        .collect()
}

impl Batches {
    /// Batches on the rows of hubs keep the store equal to the sets, whether the pool suffices or not;
    /// returns how many were refused.
    fn run_on_hubs(&self, backend: &dyn Backend, spec: &Spec) -> u32 {
        let Self {
            form,
            seed,
            largest,
            ..
        } = *self;
        let mut random = Random::new(seed);
        let mut model = Model::new(self.vertices, form.directed);
        let start = edges(&mut random, &model, largest as usize);
        model.apply(&start, Change::Insert, false);
        let pool = Pool::Bytes(self.pool);
        let mut store = form.store(backend, spec, pool, Kept::of(&model).csr());
        let mut refused = 0;
        for batch in 0..self.batches {
            // The rows grow, then they shrink.
            let grows = if 2 * batch < self.batches { 3 } else { 1 };
            let change = if random.below(4) < grows {
                Change::Insert
            } else {
                Change::Delete
            };
            let count = 1 + random.below(largest) as usize;
            let edges = edges(&mut random, &model, count);
            let what = format!("{spec}, seed {seed}, batch {batch}: {change:?} {count}");
            match store.update(&edges, change) {
                Ok(found) => {
                    let expected = model.apply(&edges, change, false);
                    assert_eq!(found.counts, expected, "{what}");
                }
                Err(error) => {
                    assert!(error.is_refusal(), "{what}: {error}");
                    assert_eq!(change, Change::Insert, "a deletion needs no memory");
                    refused += 1;
                }
            }
            Kept::of(&model).assert_in(&store, &what);
        }
        let all: Vec<Edge> = (0..self.vertices)
            .zip(&model.rows)
            .flat_map(|(vertex, row)| row.iter().map(move |&other| [vertex, other]))
            .collect();
        if !all.is_empty() {
            store.update(&all, Change::Delete).expect("no memory");
        }
        let memory = store.memory_use().expect("measured");
        assert_eq!(memory.allocated_bytes, 0, "{spec}, seed {seed}");
        let properties = spec.allocator.properties;
        if properties.frees && properties.walkable {
            let state = store.heap_state().expect("a walk");
            assert_eq!(state.occupancy.used_bytes, 0, "{spec}, seed {seed}");
        }
        refused
    }
}

#[test]
fn threads_keep_the_rows_of_hubs() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(specs()) {
        let hubs = Batches {
            pool: 16 << 20,
            form: linked(seed % 2 == 1),
            vertices: 6000,
            batches: 20,
            largest: 5000,
            seed,
        };
        assert_eq!(hubs.run_on_hubs(&backend, &spec), 0, "{spec}");
    }
}

#[test]
fn lanes_keep_the_rows_of_hubs() {
    let two = lanes::<CfmMalloc>(2, 0);
    let one = lanes::<CfMalloc>(1, 1);
    for (backend, name, directed) in [(two, CfmMalloc::NAME, false), (one, CfMalloc::NAME, true)] {
        let hubs = Batches {
            pool: 4 << 20,
            form: linked(directed),
            vertices: 1000,
            batches: 6,
            largest: 700,
            seed: 0,
        };
        let spec = Spec::parse(name).expect("an allocator");
        assert_eq!(hubs.run_on_hubs(&backend, &spec), 0, "{spec}");
    }
}

#[test]
fn a_refused_division_leaves_the_row_as_it_was() {
    let backend = threads(2);
    let mut refused = 0;
    for (seed, spec) in (0..).zip(specs()) {
        let hubs = Batches {
            pool: 400 << 10,
            form: linked(false),
            vertices: 5000,
            batches: 16,
            largest: 3000,
            seed,
        };
        refused += hubs.run_on_hubs(&backend, &spec);
    }
    assert!(refused > 20, "only {refused} batches ran out of memory");
    let hubs = Batches {
        pool: 60 << 10,
        form: linked(false),
        vertices: 1000,
        batches: 7,
        largest: 700,
        seed: 1,
    };
    let spec = Spec::parse(CfMalloc::NAME).expect("an allocator");
    let refused = hubs.run_on_hubs(&lanes::<CfMalloc>(2, 5), &spec);
    assert!(refused > 0, "no batch ran out of memory");
}

/// Row lengths around those at which a row is divided, and a section again.
#[test]
fn rows_are_divided_at_their_limits() {
    let backend = threads(1);
    let spec = Spec::parse("cfmalloc").expect("an allocator");
    for limit in [112, 120, 224, 240, 480, 32 * 120, 33 * 120] {
        for degree in limit - 1..=limit + 1 {
            for more in [0, 1, 2, 120, 121, 240] {
                let mut model = Model::new(5000, false);
                // Odd ones are there, then even ones in the middle come between them.
                let row: Vec<Edge> = (0..degree).map(|at| [0, 2 * at % 4999 + 1]).collect();
                model.apply(&row, Change::Insert, false);
                let pool = Pool::Bytes(4 << 20);
                let kept = Kept::of(&model);
                let mut store = linked(false).store(&backend, &spec, pool, kept.csr());
                let what = format!("{degree} and {more} more");
                let batch: Vec<Edge> = (0..more)
                    .map(|at| [0, degree + 2 * (at / 2) + at % 2])
                    .collect();
                if more > 0 {
                    let found = store.update(&batch, Change::Insert).expect("a pool");
                    assert_eq!(
                        found.counts,
                        model.apply(&batch, Change::Insert, false),
                        "{what}"
                    );
                    Kept::of(&model).assert_in(&store, &what);
                    let found = store.update(&batch, Change::Delete).expect("a pool");
                    assert_eq!(
                        found.counts,
                        model.apply(&batch, Change::Delete, false),
                        "{what}"
                    );
                }
                Kept::of(&model).assert_in(&store, &what);
            }
        }
    }
}
