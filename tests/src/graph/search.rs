//! A search by itself: its steps on a backend, one by one, and how far each of them comes.

use heapwood::backend::{Backend, Launch};
use heapwood_device::graph::bfs::plan::{SearchSpace, SearchState};
use heapwood_device::graph::store::Vertex;
use heapwood_device::graph::store::plan::{Graph, Layout, Shape};
use heapwood_device::launch::PlannedLaunch;

use super::Model;

/// How rows lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// As in the store: each aligned, and with zeroes up to a multiple of four entries.
    Padded,
    /// As in a view of a graph: one behind the other.
    Packed,
}

impl Rows {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Padded, Self::Packed];
}

/// Bytes of a graph's buffer before its records.
const STATUS_BYTES: u64 = 256;

/// Searches a graph without directions, or top-down one with, and compares the depths; returns
/// the state after each step.
///
/// # Panics
///
/// If a depth is wrong, or what the last state says.
pub fn check(
    backend: &dyn Backend,
    model: &Model,
    rows: Rows,
    source: u32,
    what: &str,
) -> Vec<SearchState> {
    let vertices = model.rows.len() as u32;
    let shape = Shape {
        vertices,
        limit: vertices,
        directed: model.directed,
        handle_bytes: 4,
        provides: false,
        layout: Layout::Contiguous,
    };
    let memory = |bytes: u64| backend.allocate(bytes.max(1)).expect("memory");
    let mut entries: Vec<u32> = vec![0];
    let mut places = Vec::new();
    for row in &model.rows {
        if rows == Rows::Padded {
            entries.resize(entries.len().next_multiple_of(4), 0);
        }
        places.push((entries.len() as u64, row.len() as u64));
        entries.extend(row);
    }
    if rows == Rows::Padded {
        entries.resize(entries.len().next_multiple_of(4), 0);
    }
    let entry_memory = memory(4 * entries.len() as u64);
    entry_memory.upload(0, &entries).expect("an upload");
    let address = entry_memory.address().expose_provenance() as u64;
    // The address, and the degree as the lower half of what follows it.
    let records: Vec<[u64; 2]> = places
        .iter()
        .map(|&(first, degree)| [address + 4 * first, degree])
        .collect();
    let graph_memory = memory(shape.bytes() as u64);
    graph_memory
        .upload(STATUS_BYTES, &records)
        .expect("an upload");
    let mut graph = Graph::new(shape, graph_memory.address());
    if model.directed || rows == Rows::Packed {
        let records = graph_memory.address().wrapping_add(STATUS_BYTES as usize);
        graph = graph.viewed(records.cast::<Vertex>());
    }
    let space = SearchSpace::new(vertices, model.entries() as u64);
    let workspace = memory(space.bytes() as u64);
    let run = |step: PlannedLaunch| {
        let launch = Launch {
            call: step.call,
            heap: None,
            grid: step.grid,
        };
        // SAFETY: the graph and the workspace are there, and steps come in order.
        unsafe { backend.launch_parts(&[&[launch]]) }.expect(what);
    };
    run(graph.search_start(&space, workspace.address(), source));
    let mut states: Vec<SearchState> = Vec::new();
    while states.last().is_none_or(|state| !state.ended) {
        let step = states.len() as u32 + 1;
        run(graph.search_step(&space, workspace.address(), step));
        let header = workspace.download_array(0).expect("a download");
        states.push(SearchSpace::state(&header, step));
    }
    let found: Vec<u32> = workspace
        .download(space.depths_offset() as u64, vertices as usize)
        .expect("a download");
    let expected = model.search(source);
    assert!(found == expected, "{what}, {rows:?}: depths from {source}");
    let reached = || expected.iter().filter(|&&depth| depth != u32::MAX);
    let last = states[states.len() - 1];
    assert_eq!(last.reached as usize, reached().count(), "{what}, {rows:?}");
    assert_eq!(Some(&last.depth), reached().max(), "{what}, {rows:?}");
    states
}
