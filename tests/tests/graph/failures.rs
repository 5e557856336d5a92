//! The program's graph store when an operation of the backend fails in the middle of a
//! change, each of them in turn: the change is made whole or not at all.

use heapwood::allocators::Spec;
use heapwood::backend::{Cpu, Quota};
use heapwood::graph::{Change, Layout, Limits, Options, Store, StoreError};
use heapwood::size::Pool;
use heapwood_graphs::Parallel;
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::FORMS;
use heapwood_tests::graph::graphs;

/// A backend, and what lets its operations fail.
fn machine() -> (Cpu, Quota) {
    let quota = Quota::of_memory(u64::MAX);
    let backend = Cpu::with_threads(2).expect("a backend");
    (backend.with_quota(quota.clone()), quota)
}

fn options(layout: Layout) -> Options {
    Options {
        spec: Spec::parse("cfmalloc").expect("an allocator"),
        pool: Pool::Bytes(1 << 20),
        layout,
        self_loops: true,
        parallel: Parallel::Last,
        limits: Limits::default(),
    }
}

/// Runs `change` on a store that it makes, with each operation of the backend
/// failing in turn, until none does. After each failure `check` looks at the store.
fn failing_everywhere<'b>(
    quota: &Quota,
    make: impl Fn() -> Store<'b>,
    change: impl Fn(&mut Store<'b>) -> Result<(), StoreError>,
    check: impl Fn(Store<'b>, bool, &str),
) {
    for operations in 0.. {
        let mut store = make();
        quota.end_after(operations);
        let done = change(&mut store);
        quota.end_after(u64::MAX);
        let what = format!("after {operations} operations: {done:?}");
        check(store, done.is_ok(), &what);
        if done.is_ok() {
            assert!(operations > 3, "{what}");
            return;
        }
        assert!(operations < 1000, "{what}");
    }
}

#[test]
fn vertices_stay_deleted_when_the_graph_cannot_move() {
    let (backend, quota) = machine();
    for form in FORMS {
        let mut model = graphs::uniform(100, 300, form.directed, 9);
        let start = Kept::of(&model);
        let deleted = [3, 17, 44];
        for row in &mut model.rows {
            row.retain(|neighbour| !deleted.contains(neighbour));
        }
        for vertex in deleted {
            model.rows[vertex as usize].clear();
        }
        let without = Kept::of(&model);
        model.rows.resize(1100, Default::default());
        let with = Kept::of(&model);
        let make = || {
            let options = options(form.layout);
            let (rows, columns) = start.csr();
            let mut store = Store::new(&backend, options, rows, columns).expect("it fits");
            assert_eq!(
                store.delete_vertices(&deleted).map(|done| done.deleted),
                Ok(3)
            );
            store
        };
        let move_away = |store: &mut Store| store.insert_vertices(1000).map(|_| ());
        failing_everywhere(&quota, make, move_away, |mut store, done, what| {
            let kept = if done { &with } else { &without };
            kept.assert_in(&store, what);
            if !done {
                store.insert_vertices(1000).expect(what);
            }
            // No deleted vertex has come back, whether the insertion failed or succeeded.
            let edges = deleted.map(|vertex| [vertex, 5]);
            let found = store.update(&edges, Change::Insert).expect(what);
            assert_eq!(found.counts.rejected, 3, "{form:?}, {what}");
            assert_eq!(
                store.delete_vertices(&deleted).map(|done| done.deleted),
                Ok(0),
                "{what}"
            );
            with.assert_in(&store, what);
        });
    }
}

#[test]
fn vertices_are_deleted_with_all_their_edges_or_not_at_all() {
    let (backend, quota) = machine();
    for form in FORMS {
        let mut model = graphs::skewed(200, 3000, form.directed, 2);
        let before = Kept::of(&model);
        let deleted = [0, 1, 2, 3, 4, 5, 60, 3, 1000];
        for row in &mut model.rows {
            row.retain(|neighbour| !deleted.contains(neighbour));
        }
        for vertex in [0, 1, 2, 3, 4, 5, 60] {
            model.rows[vertex].clear();
        }
        let after = Kept::of(&model);
        let make = || {
            let mut options = options(form.layout);
            // Several parts; the last one is not full.
            options.limits.deletion = 150;
            let (rows, columns) = before.csr();
            Store::new(&backend, options, rows, columns).expect("it fits")
        };
        let delete = |store: &mut Store| {
            let found = store.delete_vertices(&deleted)?;
            assert_eq!(found.deleted, 7);
            Ok(())
        };
        failing_everywhere(&quota, make, delete, |mut store, done, what| {
            let kept = if done { &after } else { &before };
            kept.assert_in(&store, what);
            let found = store.update(&[[0, 60]], Change::Insert).expect(what);
            assert_eq!(found.counts.rejected == 1, done, "{what}");
            store.check_heap().expect(what);
        });
    }
}

#[test]
fn batches_are_applied_whole_or_not_at_all() {
    let (backend, quota) = machine();
    for form in FORMS {
        let mut model = graphs::uniform(100, 500, form.directed, 6);
        let before = Kept::of(&model);
        let batch: Vec<[u32; 2]> = (0..200).map(|at| [at % 100, at / 2]).collect();
        model.apply(&batch, Change::Insert, false);
        let after = Kept::of(&model);
        let make = || {
            let options = options(form.layout);
            let (rows, columns) = before.csr();
            Store::new(&backend, options, rows, columns).expect("it fits")
        };
        let insert = |store: &mut Store| store.update(&batch, Change::Insert).map(drop);
        for operations in 0.. {
            let mut store = make();
            quota.end_after(operations);
            let done = insert(&mut store).is_ok();
            quota.end_after(u64::MAX);
            let kept = if done { &after } else { &before };
            kept.assert_in(&store, "after a batch");
            if done {
                break;
            }
        }
    }
}
