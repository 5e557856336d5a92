//! Breadth-first search: the edges from a vertex to each one.

use heapwood_device::graph::bfs::plan::{SearchSpace, SearchState};
use heapwood_device::graph::paths::plan::{Lengths, PathSpace};
use heapwood_results::graph::TrialResult;

use super::contiguous::Contiguous;
use super::gap::{Trial, TrialContext};
use super::paths::path_end;
use super::{Algorithm, Flags, ReportContext, Saves, SearchReport, Values, vertex};
use crate::graph::verify::{Difference, Reference, same};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;
use crate::{Error, OptionError};

/// Levels after which a search goes on without levels, if those were narrow.
const DEEP: u32 = 128;
/// Entries for each vertex, at the most, of a graph where it does so: no level will have many edges.
const SPARSE: u64 = 32;
/// It has reached no more than this part of the vertices by then, so that what is left is worth it.
const EARLY: u32 = 8;

/// Whether a search that has come so far goes on without levels.
fn leaves_levels(state: &SearchState, vertices: u32, entries: u64) -> bool {
    let is_deep = state.depth >= DEEP && state.reached <= vertices / EARLY;
    !state.ended && is_deep && entries <= SPARSE * u64::from(vertices)
}

/// The result of a breadth-first search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// How far it came.
    pub state: SearchState,
    /// Edges from the source to each vertex; `u32::MAX` if there is no way.
    pub depths: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flag for a search.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SearchFlags {
    /// Run a breadth-first search from this vertex
    ///
    /// Its number is that of the file.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SOURCE"))]
    pub bfs: Option<u64>,
}

impl Algorithm for Search {
    type Flags = SearchFlags;
    /// The source.
    type Options = u32;
    type Request = Option<u32>;
    type Report = SearchReport;

    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<Option<u32>, Error> {
        let id = match (flags.search.bfs, saves.search.is_some()) {
            (Some(id), _) => id,
            (None, false) => return Ok(None),
            (None, true) => {
                return Err(OptionError::NoSource { option: "bfs" }.into());
            }
        };
        vertex(graph, id, "start from").map(Some)
    }

    fn run(&source: &u32, store: &Store) -> Result<Self, StoreError> {
        store.search(source)
    }

    fn verify(&self, &source: &u32, _: &Store, reference: &Reference) -> Result<String, Error> {
        reference.search(self, source)?;
        Ok("distances".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Distances(&self.depths))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.depths = Vec::new();
    }

    fn report(&self, &source: &u32, ms: Samples, context: &ReportContext) -> SearchReport {
        SearchReport {
            source: context.input.ids.of(source),
            reached: self.state.reached,
            depth: self.state.depth,
            ms,
        }
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let source = context.sources[0];
    let found = context.store.search(source)?;
    let reached = TrialResult::Reached(found.state.reached.into());
    context.trial(&found, &source, reached)
}

impl Store<'_> {
    /// Searches from a vertex, along the edges. From one that was deleted, none is reached.
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
        assert!(source < vertices, "vertex {source} of {vertices}");
        if self.deleted_vertices().contains(&source) {
            return Ok(Search {
                state: SearchState {
                    reached: 0,
                    depth: 0,
                    ended: true,
                },
                depths: vec![u32::MAX; vertices as usize],
                ms: 0.0,
            });
        }
        let contiguous = self.contiguous()?;
        let entries = self.entries()?;
        let space = SearchSpace::new(vertices, entries);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let (graph, address) = (&contiguous.graph, workspace.address());
        let start = vec![graph.search_start(&space, address, source)];
        let step = |number| graph.search_step(&space, address, number);
        // A lane that is alone would go far along one way, and take it back for others.
        let has_warps = self.backend.solo_workers() == 0;
        let end = |launched| {
            let state = SearchSpace::state(&workspace.download_array(0)?, launched);
            let stops = state.ended || has_warps && leaves_levels(&state, vertices, entries);
            Ok(stops.then_some(state))
        };
        // SAFETY: the workspace is divided by `space`.
        let ahead = unsafe { self.run_ahead(start, step, end)? };
        let mut search = Search {
            state: ahead.end,
            depths: Vec::new(),
            ms: contiguous.ms + ahead.ms,
        };
        if search.state.ended {
            let offset = space.depths_offset() as u64;
            search.depths = workspace.download(offset, vertices as usize)?;
        } else {
            let depths = address.wrapping_add(space.depths_offset()).cast();
            self.search_on((&contiguous, entries), source, depths, &mut search)?;
        }
        Ok(search)
    }

    /// Ends a search by shortest paths whose edges all have length 1, from the depths on the device that
    /// it has found. Warps need not meet at each level there.
    fn search_on(
        &self,
        (contiguous, entries): (&Contiguous, u64),
        source: u32,
        depths: *mut u32,
        search: &mut Search,
    ) -> Result<(), StoreError> {
        let vertices = self.shape().vertices;
        let space = PathSpace::new(vertices, entries);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let (graph, address) = (contiguous.graph, workspace.address());
        let begun = (depths, search.state.depth);
        let start = vec![
            graph.path_start(&space, address, source, Lengths::Ones),
            graph.path_continuation(&space, address, source, begun),
        ];
        let step = |number| graph.path_launch(&space, address, number, Lengths::Ones);
        // SAFETY: the workspace is divided by the space, and each vertex has a depth.
        let ahead = unsafe { self.run_ahead(start, step, path_end(&workspace))? };
        let distances: Vec<u64> =
            workspace.download(space.distances_offset() as u64, vertices as usize)?;
        // Less than the number of vertices, or all ones.
        search.depths = distances.iter().map(|&distance| distance as u32).collect();
        let reached = || search.depths.iter().filter(|&&depth| depth != u32::MAX);
        search.state = SearchState {
            reached: reached().count() as u32,
            depth: reached().max().copied().unwrap_or(0),
            ended: true,
        };
        search.ms += ahead.ms;
        Ok(())
    }
}

impl Reference {
    /// Compares distances from a vertex.
    ///
    /// # Errors
    ///
    /// When one differs, or what is said of all.
    pub fn search(&self, found: &Search, source: u32) -> Result<(), Difference> {
        let expected = match self.deleted.contains(&source) {
            true => vec![u32::MAX; self.rows.vertices() as usize],
            false => reference::depths(&self.rows, source),
        };
        self.values("has", "as its depth", &found.depths, &expected)?;
        let reached = || expected.iter().filter(|&&depth| depth != u32::MAX);
        let depth = reached().max().copied().unwrap_or(0);
        same(
            "vertices reached",
            u64::from(found.state.reached),
            reached().count() as u64,
        )?;
        same(
            "as the greatest depth",
            u64::from(found.state.depth),
            u64::from(depth),
        )
    }
}

/// A search with a queue, without code of the device.
mod reference {
    use std::collections::VecDeque;

    use heapwood_graphs::Csr;

    /// Edges from a vertex to each one; `u32::MAX` if there is no way.
    pub fn depths(rows: &Csr, source: u32) -> Vec<u32> {
        let mut depths = vec![u32::MAX; rows.vertices() as usize];
        depths[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(u) = queue.pop_front() {
            for &v in rows.row(u) {
                if depths[v as usize] == u32::MAX {
                    depths[v as usize] = depths[u as usize] + 1;
                    queue.push_back(v);
                }
            }
        }
        depths
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    #[test]
    fn depths_are_edges_from_the_source() {
        assert_eq!(reference::depths(&kite(), 0), [0, 1, 1, 2, 3, u32::MAX]);
        let arcs = csr(5, &[[3, 1], [2, 1], [0, 4]], true);
        assert_eq!(reference::depths(&arcs, 2)[1..4], [1, 0, u32::MAX]);
    }

    #[test]
    fn narrow_searches_leave_levels() {
        let leaves = |reached, depth, ended, vertices, entries| {
            let state = SearchState {
                reached,
                depth,
                ended,
            };
            leaves_levels(&state, vertices, entries)
        };
        assert!(leaves(128, 128, false, 1024, 32 * 1024));
        assert!(!leaves(128, 127, false, 1024, 1024));
        assert!(!leaves(129, 128, false, 1024, 1024));
        assert!(!leaves(128, 128, false, 1024, 32 * 1024 + 1));
        assert!(!leaves(128, 128, true, 1024, 1024));
    }

    #[test]
    fn wrong_searches_are_found() {
        let search = |reached, depth, last| Search {
            state: SearchState {
                reached,
                depth,
                ended: true,
            },
            depths: vec![0, 1, last],
            ms: 0.0,
        };
        let reference = path();
        reference.search(&search(3, 2, 2), 0).unwrap();
        for wrong in [search(2, 2, 2), search(3, 1, 2), search(3, 2, 3)] {
            reference.search(&wrong, 0).unwrap_err();
        }
        let mut reference = path();
        reference.deleted.insert(0);
        reference.search(&search(1, 0, u32::MAX), 0).unwrap_err();
        let none = Search {
            depths: vec![u32::MAX; 3],
            ..search(0, 0, 0)
        };
        reference.search(&none, 0).unwrap();
    }
}
