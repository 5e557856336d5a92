//! The CUDA graphs of launches that were made lately.

use std::ops::RangeInclusive;

use crate::cuda::{Gpu, KernelLaunch, LaunchGraph};

/// The launches for which a graph pays: one of a few saves nothing, one of many takes long to make.
pub(super) const GRAPH_LAUNCHES: RangeInclusive<usize> = 4..=64;
/// Graphs that are kept.
const KEPT: usize = 16;

/// The graphs that were used last, the very last one behind.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    kept: Vec<LaunchGraph>,
}

impl Graphs {
    /// Takes a graph of the launches, which are parts; makes one if none has these kernels. The
    /// caller gives it back by [`Graphs::keep`]; another thread makes its own meanwhile. None where
    /// the driver refuses: the launches one by one report the faults.
    pub fn take(&mut self, gpu: &Gpu, parts: &[Vec<KernelLaunch>]) -> Option<LaunchGraph> {
        match self.kept.iter().position(|graph| graph.suits(parts)) {
            None => LaunchGraph::new(gpu, parts).ok(),
            Some(index) => {
                let mut graph = self.kept.remove(index);
                graph.update(parts).ok()?;
                Some(graph)
            }
        }
    }

    /// Keeps a graph, and drops those that were not used for longest.
    pub fn keep(&mut self, graph: LaunchGraph) {
        self.kept.push(graph);
        let surplus = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..surplus);
    }
}
