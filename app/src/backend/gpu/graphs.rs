//! The CUDA graphs of launches that were made lately.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::cuda::{CudaError, Gpu, KernelLaunch, LaunchGraph};

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
        let kept = self.kept.iter().position(|graph| graph.suits(parts));
        let Some(kept) = kept.map(|index| self.kept.remove(index)) else {
            return LaunchGraph::new(gpu, parts).ok();
        };
        let mut graph = kept;
        graph.update(parts).ok()?;
        Some(graph)
    }

    /// Keeps a graph, and drops those that were not used for longest.
    pub fn keep(&mut self, graph: LaunchGraph) {
        self.kept.push(graph);
        let surplus = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..surplus);
    }
}

/// Makes the launches one by one, and returns how long the GPU was busy with each part, in
/// milliseconds.
///
/// # Safety
///
/// As for [`Function::launch`](crate::cuda::Function::launch), of each launch.
pub(super) unsafe fn time_one_by_one(
    gpu: &Gpu,
    limit: Duration,
    parts: &[Vec<KernelLaunch>],
) -> Result<Vec<f64>, CudaError> {
    let work = parts.iter().map(|part| {
        move || {
            part.iter().try_for_each(|launch| {
                // SAFETY: the caller's promise.
                unsafe { launch.function.launch(launch.shape, &launch.words) }
            })
        }
    });
    gpu.time_parts(limit, work)
}
