//! A search by itself: its steps on a backend, one by one, and how far each of them comes.

use heapwood::backend::{Backend, Launch};
use heapwood_device::graph::bfs::plan::{SearchSpace, SearchState};
use heapwood_device::graph::bfs::word;
use heapwood_device::graph::store::Vertex;
use heapwood_device::graph::store::plan::{Graph, Layout, Shape, Weighting};
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

/// Whether one step in some searches narrow frontiers, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    AsPlanned,
    WideOnly,
}

/// The words of a search after a step.
type Header = [u64; SearchSpace::HEADER_WORDS];

/// All that later steps know of the frontier that a step has left: its depth, vertices and edges,
/// those not explored before it, and the edges of the one before; vertices reached and the
/// greatest depth.
fn frontier(header: &Header, step: u32) -> [u64; 6] {
    let first = (step as usize + 1) % 3 * word::FRONTIER;
    let counts = &header[first + word::COUNTS..][..word::SPREAD];
    [
        header[first + word::DEPTH],
        counts.iter().sum(),
        header[first + word::UNEXPLORED],
        header[first + word::BEFORE],
        header[word::REACHED],
        header[word::DEEPEST],
    ]
}

/// Searches a graph without directions, or top-down one with. Compares the depths, and what a step
/// on narrow frontiers leaves with what steps of a level leave. Returns the state after each step.
///
/// # Panics
///
/// If a depth is wrong, or what a step leaves.
pub fn check(
    backend: &dyn Backend,
    model: &Model,
    rows: Rows,
    source: u32,
    what: &str,
) -> Vec<SearchState> {
    let what = format!("{what}, {rows:?}, from {source}");
    let (headers, found) = search(backend, model, rows, source, Steps::AsPlanned);
    let (levels, same) = search(backend, model, rows, source, Steps::WideOnly);
    let expected = model.search(source);
    assert!(found == expected && same == expected, "{what}: depths");
    let states: Vec<_> = headers
        .iter()
        .map(|&(step, ref header)| SearchSpace::state(header, step))
        .collect();
    let reached = || expected.iter().filter(|&&depth| depth != u32::MAX);
    let last = states[states.len() - 1];
    assert_eq!(last.reached as usize, reached().count(), "{what}");
    assert_eq!(Some(&last.depth), reached().max(), "{what}");
    // A frontier in each form, and the one in which the search begins.
    let levels: Vec<_> = levels
        .iter()
        .map(|(step, header)| frontier(header, *step))
        .collect();
    for (step, header) in &headers {
        let left = frontier(header, *step);
        let is_first = left[0] == 0;
        assert!(is_first || levels.contains(&left), "{what}: step {step}");
    }
    states
}

/// The steps of a search with their numbers and the words after each, and the depths.
fn search(
    backend: &dyn Backend,
    model: &Model,
    rows: Rows,
    source: u32,
    steps: Steps,
) -> (Vec<(u32, Header)>, Vec<u32>) {
    let vertices = model.rows.len() as u32;
    let shape = Shape {
        vertices,
        limit: vertices,
        directed: model.directed,
        handle_bytes: 4,
        weighting: Weighting::None,
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
        graph = graph.viewed(records.cast::<Vertex>(), std::ptr::null_mut());
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
        unsafe { backend.launch_parts(&[&[launch]]) }.expect("a step");
    };
    run(graph.search_start(&space, workspace.address(), source));
    let (mut headers, mut step): (Vec<(u32, Header)>, _) = (Vec::new(), 0);
    loop {
        step += 1;
        if steps == Steps::WideOnly && step % 8 == 1 {
            // Another step that takes the same words.
            step += 3;
        }
        run(graph.search_step(&space, workspace.address(), step));
        let header = workspace.download_array(0).expect("a download");
        headers.push((step, header));
        if SearchSpace::state(&header, step).ended {
            break;
        }
    }
    let depths = workspace.download(space.depths_offset() as u64, vertices as usize);
    (headers, depths.expect("a download"))
}
