//! Memory that the algorithms keep, and further queries of a store.

use heapwood_device::graph::pagerank::plan::{Method, RankState};
use heapwood_device::graph::store::Vertex;
use heapwood_graphs::Parallel;

use super::Algorithm;
use super::examples::csr;
use super::pagerank::Ranks;
use crate::allocators::Spec;
use crate::backend::clocked::Clocked;
use crate::backend::{Cpu, Quota};
use crate::graph::{Edge, Layout, Limits, Options, Store};
use crate::size::Pool;

/// Vertices of a path, whose records take more than a page.
const VERTICES: u32 = 1000;

fn options(layout: Layout) -> Options {
    Options {
        spec: Spec::parse("cfmmalloc").unwrap(),
        pool: Pool::Bytes(1 << 20),
        layout,
        self_loops: false,
        parallel: Parallel::Last,
        limits: Limits::default(),
    }
}

fn path() -> Vec<Edge> {
    (1..VERTICES).map(|v| [v - 1, v]).collect()
}

#[test]
fn a_view_of_linked_pages_has_a_record_for_each_vertex() {
    let quota = Quota::of_memory(64 << 20);
    let cpu = Cpu::with_threads(1).unwrap().with_quota(quota.clone());
    let rows = csr(VERTICES, &path(), false);
    let store = Store::new(&cpu, options(Layout::Linked), &rows, None).unwrap();
    let before = quota.free_bytes();
    let view = store.contiguous().unwrap();
    // Offsets and targets of the rows beside the records.
    let rows = 4 * (u64::from(VERTICES) + 1) + 4 * rows.targets.len() as u64;
    let records = size_of::<Vertex>() as u64 * u64::from(VERTICES);
    assert_eq!(before - quota.free_bytes(), rows + records);
    drop(view);
    assert_eq!(before, quota.free_bytes());
}

#[test]
fn a_view_takes_the_time_of_its_three_launches() {
    let backend = Clocked::new(Ok(100.0));
    let rows = csr(VERTICES, &path(), false);
    let linked = Store::new(&backend, options(Layout::Linked), &rows, None).unwrap();
    assert_eq!(linked.contiguous().unwrap().ms, 300.0);
    let contiguous = Store::new(&backend, options(Layout::Contiguous), &rows, None).unwrap();
    assert_eq!(contiguous.contiguous().unwrap().ms, 0.0);
}

#[test]
fn a_store_tells_which_edges_it_has() {
    let cpu = Cpu::with_threads(1).unwrap();
    let rows = csr(VERTICES, &path(), true);
    let back: Vec<Edge> = path().iter().map(|&[u, v]| [v, u]).collect();
    let columns = csr(VERTICES, &back, true);
    let options = options(Layout::Contiguous);
    let store = Store::new(&cpu, options, &rows, Some(&columns)).unwrap();
    let asked = [[0, 1], [1, 0], [5, 6], [5, 7]];
    let answers = store.has_edges(&asked).unwrap();
    assert_eq!(answers, [true, false, true, false]);
    assert!(store.has_edges(&[]).unwrap().is_empty());
}

#[test]
fn repeated_runs_keep_nothing_for_each_vertex() {
    let mut ranks = Ranks {
        ranks: vec![0.5; 2],
        method: Method::Power,
        state: RankState {
            iterations: 1,
            residual: 0.0,
            converged: true,
        },
        ms: 1.0,
    };
    ranks.drop_vertices();
    assert!(ranks.ranks.is_empty());
}
