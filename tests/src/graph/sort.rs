//! The sort of a batch by itself: its launches on a backend, held against the standard library's
//! sort.

use std::time::Duration;

use heapwood::backend::{Backend, Launch};
use heapwood_device::graph::batch::{Batch, Change, UpdateSpace};
use heapwood_device::graph::store::keys::id_bits;
use heapwood_device::graph::store::plan::{Graph, Layout, Shape, Weighting};
use heapwood_device::graph::store::sort::{SortArguments, Sorting};

use crate::lockstep::Random;

/// Edges, as pairs of source and target.
pub type Edges = Vec<[u32; 2]>;

/// The keys that a batch of `edges` stands for, in order: of the definition.
fn expected(vertices: u32, directed: bool, edges: &[[u32; 2]]) -> Vec<u64> {
    let bits = id_bits(vertices);
    let key = |source: u32, target: u32| u64::from(source) << bits | u64::from(target);
    let mut keys = Vec::new();
    for &[source, target] in edges {
        let refused = source >= vertices || target >= vertices;
        keys.push(match refused {
            true => key(vertices, 0),
            false => key(source, target),
        });
        if !directed {
            keys.push(match refused || source == target {
                true => key(vertices, 1),
                false => key(target, source),
            });
        }
    }
    keys.sort_unstable();
    keys
}

/// Sorts the keys of a batch and compares them; returns the time of the launches.
///
/// # Panics
///
/// If they are not in order, or others.
pub fn check(
    backend: &dyn Backend,
    sorting: Sorting,
    vertices: u32,
    directed: bool,
    edges: &[[u32; 2]],
) -> Duration {
    let shape = Shape {
        vertices,
        limit: vertices,
        directed,
        handle_bytes: 4,
        weighting: Weighting::None,
        provides: false,
        layout: Layout::Contiguous,
    };
    let graph = Graph::new(shape, std::ptr::null_mut());
    let space = UpdateSpace::new(&shape, edges.len() as u32).expect("few edges");
    let memory = |bytes| backend.allocate(bytes).expect("memory");
    let workspace = memory(space.bytes() as u64);
    let batch_memory = memory(8 * edges.len() as u64);
    batch_memory.upload(0, edges).expect("an upload");
    let batch = Batch::new(
        batch_memory.address().cast(),
        edges.len() as u32,
        Change::Insert,
    );
    let launches: Vec<Launch> = graph
        .sort(&batch, &space, workspace.address(), sorting)
        .into_iter()
        .map(|launch| Launch {
            call: launch.call,
            heap: None,
            grid: launch.grid,
        })
        .collect();
    // SAFETY: the workspace and the batch are there.
    let times = unsafe { backend.launch_parts(&[&launches]) }.expect("a sort");
    let output = SortArguments::from(launches[0].call.args()).output;
    let offset = output.addr() - workspace.address().addr();
    let expected = expected(vertices, directed, edges);
    let found = workspace.download::<u64>(offset as u64, expected.len());
    let found = found.expect("a download");
    if let Some(at) = (0..found.len()).find(|&at| found[at] != expected[at]) {
        let (found, expected) = (found[at], expected[at]);
        panic!(
            "{sorting:?}, {vertices} vertices, directed {directed}, {} edges: key {at} is {found:#x}, not \
             {expected:#x}",
            edges.len()
        );
    }
    Duration::from_secs_f64(times[0] / 1e3)
}

/// An edge, of a function that draws a number below another, and of the edge's position.
type Edge<'a> = dyn Fn(&mut dyn FnMut(u32) -> u32, u32) -> [u32; 2] + 'a;

/// Batches of `count` edges with distributions that break sorts: their names and edges.
pub fn distributions(vertices: u32, count: usize, seed: u64) -> Vec<(&'static str, Edges)> {
    let mut random = Random::new(seed);
    let mut id = |below: u32| random.below(u64::from(below)) as u32;
    let hub = id(vertices);
    let far = vertices - 1;
    let mut of =
        |edge: &Edge<'_>| -> Edges { (0..count as u32).map(|at| edge(&mut id, at)).collect() };
    let mut sorted = of(&|id, _| [id(vertices), id(vertices)]);
    sorted.sort_unstable();
    vec![
        ("uniform", of(&|id, _| [id(vertices), id(vertices)])),
        ("sorted", sorted),
        ("one edge", of(&|_, _| [hub, far])),
        ("one source", of(&|id, _| [hub, id(vertices)])),
        ("one target", of(&|id, _| [id(vertices), hub])),
        (
            "two sources far apart",
            of(&|id, at| [at % 2 * far, id(vertices)]),
        ),
        (
            "hubs",
            of(&|id, at| match at % 4 {
                0 => [id(vertices), id(vertices)],
                _ => [id(vertices.min(3)), id(vertices)],
            }),
        ),
        (
            "powers",
            of(&|id, _| {
                let below = id(vertices) + 1;
                let source = id(below);
                [id(source + 1), id(source + 1)]
            }),
        ),
        (
            "out of range",
            of(&|id, _| [id(vertices), vertices.saturating_add(id(3))]),
        ),
        ("a path", of(&|_, at| [at % vertices, (at + 1) % vertices])),
    ]
}
