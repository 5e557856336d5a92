//! Vertices that are inserted and deleted, with their edges.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Change, Edge};
use heapwood::size::Pool;
use heapwood_tests::graph::expected::{Kept, Results};
use heapwood_tests::graph::forms::{FORMS, keeping};
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::Random;

use super::{Scale, with_hubs};

/// Deletes vertices with their edges, inserts others, and edges between what is left.
pub fn vertices_come_and_go(backend: &dyn Backend, scale: Scale) {
    for form in FORMS {
        let mut model = with_hubs(scale, form.directed);
        let vertices = model.rows.len() as u32;
        let start = Kept::of(&model);
        // A hub, one twice, and one that is none.
        let gone = [0, 7, vertices / 2, 7, vertices - 1, u32::MAX];
        let deleted = [0, 7, vertices / 2, vertices - 1];
        for row in &mut model.rows {
            row.retain(|neighbour| !deleted.contains(neighbour));
        }
        for vertex in deleted {
            model.rows[vertex as usize].clear();
        }
        let without = (Kept::of(&model), Results::of(&model, &deleted));
        // More than there is room for, twice.
        let added = [vertices, 3 * vertices];
        let total = vertices + added.iter().sum::<u32>();
        model.rows.resize(total as usize, Default::default());
        let mut random = Random::new(4);
        let batch = graphs::batch(&mut random, &model, scale.largest as usize);
        let touches = |edge: &&Edge| edge.iter().any(|end| deleted.contains(end));
        let refused = batch.iter().filter(touches).count() as u64;
        assert!(refused > 0, "edges of deleted vertices");
        let rest: Vec<_> = batch
            .iter()
            .filter(|edge| !touches(edge))
            .copied()
            .collect();
        let mut counts = model.apply(&rest, Change::Insert, !form.loops);
        counts.rejected += refused;
        let with = (Kept::of(&model), Results::of(&model, &deleted));
        for spec in keeping(scale.crowd) {
            let what = format!("{}, {form:?}", spec.name());
            let mut store = form.store(backend, &spec, scale.ample, start.csr());
            store.keep_components().expect(&what);
            assert_eq!(
                store.delete_vertices(&gone).map(|done| done.deleted),
                Ok(4),
                "{what}"
            );
            assert_eq!(
                store.delete_vertices(&deleted).map(|done| done.deleted),
                Ok(0),
                "{what}: again"
            );
            store.advance_components().expect(&what);
            without.0.assert_in(&store, &what);
            without.1.assert_on(&store, None, &what);
            for count in added {
                store.insert_vertices(count).expect(&what);
            }
            assert_eq!(store.shape().vertices, total, "{what}");
            let found = store.update(&batch, Change::Insert).expect(&what);
            assert_eq!(found.counts, counts, "{what}");
            store.advance_components().expect(&what);
            with.0.assert_in(&store, &what);
            with.1.assert_on(&store, None, &what);
            store.check_heap().expect(&what);
        }
    }
}

/// A vertex that is deleted before there is one of its number changes nothing.
pub fn a_vertex_deleted_before_it_was_is_there_later(backend: &dyn Backend, _: Scale) {
    let spec = Spec::parse("cfmmalloc").expect("an allocator");
    for form in FORMS {
        let what = format!("{form:?}");
        let mut model = Model::new(4, form.directed);
        let start = Kept::of(&model);
        let mut store = form.store(backend, &spec, Pool::Auto, start.csr());
        assert_eq!(
            store.delete_vertices(&[4]).map(|done| done.deleted),
            Ok(0),
            "{what}"
        );
        model.rows.resize(5, Default::default());
        store.insert_vertices(1).expect(&what);
        // The graph moves to where there is room for these.
        model.rows.resize(105, Default::default());
        store.insert_vertices(100).expect(&what);
        let counts = model.apply(&[[0, 4]], Change::Insert, false);
        let found = store.update(&[[0, 4]], Change::Insert);
        assert_eq!(found.expect(&what).counts, counts, "{what}");
        Kept::of(&model).assert_in(&store, &what);
    }
}
