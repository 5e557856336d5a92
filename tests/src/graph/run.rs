//! The algorithms, from workspace to result.

use heapwood_device::graph::host::{
    ComponentSpace, Graph, Layout, RankOptions, RankSpace, RankState, SearchSpace, SearchState,
    TriangleSpace,
};

use heapwood_device::graph::store::Vertex;

use super::{Exported, Runner, Store, pack};
use crate::cpu::Buffer;

/// A workspace in which nothing may be assumed beyond its first bytes.
fn dirty(bytes: usize, zero_bytes: usize) -> Buffer {
    let buffer = Buffer::new(bytes);
    // SAFETY: the buffer has that many bytes.
    unsafe {
        let rest = buffer.address().add(zero_bytes);
        rest.write_bytes(0xa5, bytes - zero_bytes);
    }
    buffer
}

/// A computation of ranks whose workspace is kept.
pub struct Ranks {
    space: RankSpace,
    workspace: Buffer,
}

impl<R: Runner> Store<R> {
    /// Room for computations of ranks.
    pub fn rank_room(&self, limit: u32) -> Ranks {
        let limits = self.graph.shape.limit;
        let entries = self.measure(0).entries;
        // Batches may come.
        let space = RankSpace::new(limits, 4 * entries + 1000, limit);
        Ranks {
            space,
            workspace: dirty(space.bytes(), 0),
        }
    }

    /// Ranks, and how they were reached. Iterations are launched in small
    /// groups, the last of which goes beyond the end.
    pub fn ranks(&self, room: &Ranks, options: &RankOptions) -> (Vec<f32>, RankState) {
        let (space, address) = (&room.space, room.workspace.address());
        self.run(&self.graph.rank_start(options, space, address));
        let mut launched = 0;
        loop {
            let to = (launched + 7).min(options.limit);
            for iteration in launched + 1..=to {
                self.run(&[self.graph.rank_step(options, space, address, iteration)]);
            }
            launched = to;
            let words = space.sum_words(launched);
            let sums: Vec<u64> = room.workspace.read(space.sums_offset(), words);
            let state = space.state(&sums, options.tolerance);
            if state.converged || launched == options.limit {
                let vertices = self.graph.shape.vertices as usize;
                return (room.workspace.read(space.ranks_offset(), vertices), state);
            }
        }
    }

    /// The number of triangles, and for each vertex if wanted.
    pub fn triangles(&self, per_vertex: bool) -> (u64, Option<Vec<u32>>) {
        let vertices = self.graph.shape.vertices;
        let workers = self.runner.lone_workers();
        let (shape, measured) = (&self.graph.shape, self.measure(0));
        let space = TriangleSpace::new(shape, &measured, per_vertex, workers);
        let workspace = dirty(space.bytes(), space.zero_bytes());
        self.run(&self.graph.triangles(&space, workspace.address()));
        let total: Vec<u64> = workspace.read(0, TriangleSpace::TOTAL_WORDS);
        let counts = space.counts_offset();
        let counts = counts.map(|offset| workspace.read(offset, vertices as usize));
        (total.iter().sum(), counts)
    }

    /// The graph as algorithms that read contiguous adjacency see it, with what
    /// must live meanwhile.
    fn contiguous(&self) -> (Graph, Option<(Exported, Buffer)>) {
        if self.graph.shape.layout == Layout::Contiguous {
            return (self.graph, None);
        }
        let exported = self.export_to(0);
        let vertices = self.graph.shape.vertices as usize;
        let view = dirty(size_of::<Vertex>() * vertices, 0);
        self.run(&[self.graph.view(exported.csr, view.address().cast())]);
        let graph = self.graph.viewed(view.address().cast());
        (graph, Some((exported, view)))
    }

    /// The number of components, and their labels.
    pub fn components(&self) -> (u64, Vec<u32>) {
        let vertices = self.graph.shape.vertices;
        let (graph, _exported) = self.contiguous();
        let space = ComponentSpace::new(vertices);
        let workspace = dirty(space.bytes(), 8);
        self.run(&graph.components(&space, workspace.address()));
        let count: Vec<u64> = workspace.read(0, 1);
        let labels = workspace.read(space.labels_offset(), vertices as usize);
        (count[0], labels)
    }

    /// Distances from a vertex.
    pub fn search(&self, source: u32) -> (SearchState, Vec<u32>) {
        let vertices = self.graph.shape.vertices;
        let (graph, _exported) = self.contiguous();
        let space = SearchSpace::new(vertices);
        let workspace = dirty(space.bytes(), 0);
        let address = workspace.address();
        self.run(&[graph.search_start(&space, address, source)]);
        let mut launched = 0;
        loop {
            for depth in launched..launched + 5 {
                self.run(&[graph.search_level(&space, address, depth)]);
            }
            launched += 5;
            let header: Vec<u32> = workspace.read(0, SearchSpace::HEADER_WORDS);
            let header = header.try_into().expect("the number of words");
            let state = SearchSpace::state(&header, launched);
            if state.ended {
                return (
                    state,
                    workspace.read(space.depths_offset(), vertices as usize),
                );
            }
        }
    }

    /// Whether edges are there.
    pub fn has_edges(&self, edges: &[(u32, u32)]) -> Vec<bool> {
        let words: Vec<u64> = edges.iter().map(|&(s, t)| pack(s, t)).collect();
        let answers = dirty(4 * words.len(), 0);
        let address = answers.address().cast();
        let query = words.as_ptr().cast_mut();
        self.run(&[self.graph.query(query, address, words.len() as u32)]);
        let answers: Vec<u32> = answers.read(0, words.len());
        answers.into_iter().map(|answer| answer == 1).collect()
    }
}
