//! The state that all nodes of a build share, and the properties of a single node.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::plan::{BuildError, Options};

use super::facets::Facet;
use super::wide::{Valued, Wide};

/// A node that is to be built.
#[derive(Clone, Copy)]
pub struct Task {
    /// Its box.
    pub bounds: Bounds,
    /// Its depth.
    pub depth: u32,
    /// References that splits of its subtree may add, in a bounded build.
    pub budget: u32,
}

/// The state that all nodes of a build share.
pub struct Build<'a> {
    /// The triangles.
    pub facets: &'a [Facet],
    /// How the tree is built.
    pub options: Options,
    /// Vectors of eight, if the processor has them.
    pub wide: Option<Wide>,
    /// Depth of the deepest possible leaf.
    pub max_depth: u32,
    /// References that splits have added so far, as far as threads have said.
    pub added: AtomicU64,
    /// The most that they may add.
    pub bound: u64,
}

impl Build<'_> {
    /// A node of so many references, as searches need it.
    pub fn valued(&self, task: &Task, count: u32) -> Valued {
        Valued {
            costs: self.options.costs,
            bounds: task.bounds,
            count,
        }
    }

    /// Counts references that splits have added.
    ///
    /// # Errors
    ///
    /// [`BuildError::Explodes`] if they are too many, which they cannot be in a bounded build.
    pub fn add(&self, added: u64) -> Result<(), BuildError> {
        // Relaxed: only the sum matters, and it never falls.
        let before = self.added.fetch_add(added, Relaxed);
        if !self.options.bounded && before + added > self.bound {
            return Err(BuildError::Explodes { served: None });
        }
        Ok(())
    }

    /// Whether the limit of depth and the node's budget allow a split into so many references;
    /// counts the leaf if not.
    pub fn allows(&self, task: &Task, added: u32, counts: &mut Counts) -> bool {
        if task.depth >= self.max_depth {
            counts.cut += 1;
            return false;
        }
        if self.options.bounded && added > task.budget {
            counts.limited += 1;
            return false;
        }
        true
    }

    /// The children of a split into so many references.
    pub fn children(
        &self,
        task: &Task,
        (axis, position): (u32, f32),
        (below, above): (u32, u32),
        added: u32,
    ) -> [Task; 2] {
        let (budget_below, budget_above) = if self.options.bounded {
            budget::of_children(task.budget.saturating_sub(added), below, above)
        } else {
            (0, 0)
        };
        let child = |is_above, budget| Task {
            bounds: task.bounds.side(axis, position, is_above),
            depth: task.depth + 1,
            budget,
        };
        [child(false, budget_below), child(true, budget_above)]
    }
}

/// Leaves of several kinds, and the depth of the deepest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Leaves.
    pub leaves: u32,
    /// Depth of the deepest.
    pub depth: u32,
    /// Leaves that a larger budget would have split.
    pub limited: u32,
    /// Leaves that a larger limit of depth would have split.
    pub cut: u32,
}
