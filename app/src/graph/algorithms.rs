//! PageRank, triangles, components and breadth-first search on a stored graph:
//! workspaces, launches, and results.

use heapwood_device::graph::plan::{
    ComponentSpace, Graph, Layout, Method, RankOptions, RankSpace, RankState, SearchSpace,
    SearchState, TriangleSpace,
};
use heapwood_device::graph::store::Vertex;
use heapwood_device::launch::PlannedLaunch;

use super::StoreError;
use super::device_store::Rows;
use super::store::Store;
use crate::backend::{BackendError, Memory};

/// Iterations that are launched before the host looks at the first of them.
const ITERATIONS: u32 = 8;
/// Levels of a search that are launched together at first, and at the most.
const LEVELS: [u32; 2] = [4, 64];

/// Ranks and how they were reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// One for each vertex; 0 for those that were deleted.
    pub ranks: Vec<f32>,
    /// How they were iterated.
    pub method: Method,
    /// How far the computation came.
    pub state: RankState,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// A count of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    /// In the graph.
    pub count: u64,
    /// At each vertex, if asked for.
    pub per_vertex: Option<Vec<u32>>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// Connected components; in a directed graph those of the graph without
/// directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// Their number.
    pub count: u64,
    /// For each vertex the least vertex of its component; `u32::MAX` for those
    /// that were deleted.
    pub labels: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// What a breadth-first search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// How far it came.
    pub state: SearchState,
    /// Edges from the source to each vertex; `u32::MAX` if there is no way.
    pub depths: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// A graph whose adjacency is contiguous, perhaps a copy, which must live as long
/// as it is read.
struct Contiguous {
    graph: Graph,
    ms: f64,
    _copy: Option<(Rows, Memory)>,
}

impl Store<'_> {
    /// Computes PageRank; `from` ranks of before a batch, if there are any, which
    /// takes fewer iterations.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn pagerank(
        &self,
        options: &RankOptions,
        from: Option<&[f32]>,
    ) -> Result<Ranks, StoreError> {
        let vertices = self.shape().vertices;
        let mut options = *options;
        let space = RankSpace::new(vertices, self.entries()?, options.limit);
        let workspace = self.backend.memory(space.bytes() as u64, false)?;
        let from = from.filter(|ranks| ranks.len() == vertices as usize);
        options.resume = from.is_some();
        if let Some(ranks) = from {
            workspace.upload(space.ranks_offset() as u64, ranks)?;
        }
        let (graph, address) = (&self.device.graph, workspace.address());
        let start = graph.rank_start(&options, &space, address);
        // SAFETY: the workspace is divided by `space`; ranks to resume from are
        // in it.
        let mut ms = unsafe { self.time(&start)? };
        let mut launched = 0;
        loop {
            let to = (launched + ITERATIONS).min(options.limit);
            let steps: Vec<PlannedLaunch> = (launched + 1..=to)
                .map(|iteration| graph.rank_step(&options, &space, address, iteration))
                .collect();
            // SAFETY: as above, and iterations come in order.
            ms += unsafe { self.time(&steps)? };
            launched = to;
            let words = space.sum_words(launched);
            let sums: Vec<u64> = workspace.download(space.sums_offset() as u64, words)?;
            let state = space.state(&sums, options.tolerance);
            if state.converged || launched == options.limit {
                let ranks = workspace.download(space.ranks_offset() as u64, vertices as usize)?;
                let method = options.method.in_graph(self.shape().directed);
                return Ok(Ranks {
                    ranks,
                    method,
                    state,
                    ms,
                });
            }
        }
    }

    /// Counts the triangles of an undirected graph.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn triangles(&self, per_vertex: bool) -> Result<Triangles, StoreError> {
        let vertices = self.shape().vertices;
        let workers = self.backend.solo_workers();
        let space = TriangleSpace::new(self.shape(), &self.device.measure(0)?, per_vertex, workers);
        // All of it is zeroed, not the front alone: fresh memory of the CPU backend is 0
        // anyway, until it is used.
        let workspace = self.backend.memory(space.bytes() as u64, true)?;
        let steps = self.device.graph.triangles(&space, workspace.address());
        // SAFETY: the workspace is divided by `space`, and its front is 0.
        let ms = unsafe { self.time(&steps)? };
        let total: Vec<u64> = workspace.download(0, TriangleSpace::TOTAL_WORDS)?;
        let counts = space
            .counts_offset()
            .map(|offset| workspace.download(offset as u64, vertices as usize));
        Ok(Triangles {
            count: total.iter().sum(),
            per_vertex: counts.transpose()?,
            ms,
        })
    }

    /// Labels connected components.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn components(&self) -> Result<Components, StoreError> {
        let vertices = self.shape().vertices;
        let contiguous = self.contiguous()?;
        let space = ComponentSpace::new(vertices);
        let workspace = self.backend.memory(space.bytes() as u64, false)?;
        workspace.zero_front(8)?;
        let steps = contiguous.graph.components(&space, workspace.address());
        // SAFETY: the workspace is divided by `space`, and its first word is 0.
        let ms = unsafe { self.time(&steps)? };
        let count: Vec<u64> = workspace.download(0, 1)?;
        Ok(Components {
            count: count[0],
            labels: workspace.download(space.labels_offset() as u64, vertices as usize)?,
            ms: ms + contiguous.ms,
        })
    }

    /// Searches from a vertex, along the edges.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the source is no vertex.
    pub fn search(&self, source: u32) -> Result<Search, StoreError> {
        let vertices = self.shape().vertices;
        let contiguous = self.contiguous()?;
        let space = SearchSpace::new(vertices);
        let workspace = self.backend.memory(space.bytes() as u64, false)?;
        let (graph, address) = (&contiguous.graph, workspace.address());
        let start = graph.search_start(&space, address, source);
        // SAFETY: the workspace is divided by `space`.
        let mut ms = contiguous.ms + unsafe { self.time(&[start])? };
        let mut launched = 0;
        let [mut levels, most] = LEVELS;
        loop {
            let steps: Vec<PlannedLaunch> = (launched..launched + levels)
                .map(|depth| graph.search_level(&space, address, depth))
                .collect();
            // SAFETY: as above, and levels come in order.
            ms += unsafe { self.time(&steps)? };
            launched += levels;
            levels = (2 * levels).min(most);
            let header: Vec<u32> = workspace.download(0, SearchSpace::HEADER_WORDS)?;
            let mut words = [0; SearchSpace::HEADER_WORDS];
            words.copy_from_slice(&header);
            let state = SearchSpace::state(&words, launched);
            if state.ended {
                let depths = workspace.download(space.depths_offset() as u64, vertices as usize)?;
                return Ok(Search { state, depths, ms });
            }
        }
    }

    /// # Safety
    ///
    /// As for [`super::device_store::DeviceStore::run`].
    unsafe fn time(&self, steps: &[PlannedLaunch]) -> Result<f64, BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.device.run(&[steps])? }.into_iter().sum())
    }

    /// The graph with contiguous adjacency: itself, or a copy of linked pages.
    fn contiguous(&self) -> Result<Contiguous, StoreError> {
        let graph = self.device.graph;
        if graph.shape.layout == Layout::Contiguous {
            return Ok(Contiguous {
                graph,
                ms: 0.0,
                _copy: None,
            });
        }
        let (rows, _) = self.device.rows(0)?;
        let bytes = size_of::<Vertex>() as u64 * u64::from(graph.shape.vertices);
        let view = self.backend.memory(bytes.max(1), false)?;
        let step = graph.view(rows.csr, view.address().cast());
        // SAFETY: there is room for a record of each vertex.
        let ms = unsafe { self.time(&[step])? };
        Ok(Contiguous {
            graph: graph.viewed(view.address().cast()),
            ms: ms + rows.ms,
            _copy: Some((rows, view)),
        })
    }
}
