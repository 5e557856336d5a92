//! A subtree that one thread builds, node after node in depth-first order.

use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::node::{LIMIT, Node};
use heapwood_device::kdtree::plan::BuildError;
use heapwood_device::kdtree::thresholds::SMALL_NODE;

use super::binned::{self, BinnedSplit};
use super::bins::{NOTHING, Span};
use super::build::{Build, Counts, Task};
use super::exact::{ExactSplit, best_exact_split};
use super::facets::Reference;
use super::node::{Sides, choose_binned, partition};

/// A subtree in depth-first order, with indices as if it were a tree of its own.
#[derive(Default)]
pub struct Subtree {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// The references of its leaves.
    pub references: Vec<u32>,
    /// Its leaves.
    pub counts: Counts,
}

impl Subtree {
    /// Adds a leaf.
    pub fn leaf(&mut self, references: &[Reference], depth: u32) {
        let first = self.references.len() as u32;
        let ids = references.iter().map(|reference| reference.id);
        self.references.extend(ids);
        self.nodes.push(Node::leaf(first, references.len() as u32));
        self.counts.leaves += 1;
        self.counts.depth = self.counts.depth.max(depth);
    }
}

/// A split of either search.
enum Split {
    Binned(BinnedSplit),
    Exact(ExactSplit),
}

/// Memory that a thread works in, one subtree after the other.
#[derive(Default)]
pub struct Scratch {
    /// References of the nodes from the subtree's root down to the node in work, each behind
    /// those of its parent.
    stack: Vec<Reference>,
    spans: Vec<Span>,
    cut: Vec<u32>,
    /// References that splits have added and that the build has not counted yet.
    added: u64,
}

/// References that a thread adds before it says so.
const UNSAID: u64 = 4096;

impl Scratch {
    /// Builds the subtree of a node with these references.
    ///
    /// # Errors
    ///
    /// [`BuildError::Explodes`] and [`BuildError::NodeLimit`].
    pub fn grow(
        &mut self,
        build: &Build,
        task: Task,
        references: &[Reference],
    ) -> Result<Subtree, BuildError> {
        // Capacities for scans; other scenes grow these or leave some of them unused.
        let mut out = Subtree {
            nodes: Vec::with_capacity(8 * references.len() + 1),
            references: Vec::with_capacity(4 * references.len()),
            counts: Counts::default(),
        };
        if self.stack.len() < references.len() {
            self.stack.resize(references.len(), Reference::default());
        }
        self.stack[..references.len()].copy_from_slice(references);
        self.grow_at(build, &mut out, task, 0, references.len())?;
        build.add(std::mem::take(&mut self.added))?;
        Ok(out)
    }

    /// Builds the subtree of a node whose references are on the stack.
    fn grow_at(
        &mut self,
        build: &Build,
        out: &mut Subtree,
        task: Task,
        first: usize,
        end: usize,
    ) -> Result<(), BuildError> {
        let count = (end - first) as u32;
        let split = self.choose(build, &task, first, end);
        let split = split.filter(|split| {
            let (below, above) = split.counts();
            let added = budget::added(count, below, above);
            build.allows(&task, added, &mut out.counts)
        });
        let Some(split) = split else {
            out.leaf(&self.stack[first..end], task.depth);
            return Ok(());
        };
        let (plane, (below, above)) = (split.plane(), split.counts());
        let added = budget::added(count, below, above);
        self.added += u64::from(added);
        if self.added >= UNSAID {
            build.add(std::mem::take(&mut self.added))?;
        }
        let children = build.children(&task, plane, (below, above), added);
        let (below, above) = (below as usize, above as usize);
        self.partition(build, &split, &children, (first, end));
        let node = out.nodes.len();
        if node >= LIMIT as usize - 2 {
            return Err(BuildError::NodeLimit);
        }
        out.nodes.push(Node::interior(plane.0, plane.1, 0));
        let (above_end, below_end) = (end + above, end + above + below);
        self.grow_at(build, out, children[0], above_end, below_end)?;
        let right = out.nodes.len() as u32;
        out.nodes[node] = Node::interior(plane.0, plane.1, right);
        self.grow_at(build, out, children[1], end, above_end)
    }

    /// Chooses the split of a node, if one pays.
    fn choose(&mut self, build: &Build, task: &Task, first: usize, end: usize) -> Option<Split> {
        let count = end - first;
        if count <= 1 || task.bounds.is_flat() {
            return None;
        }
        let references = &self.stack[first..end];
        if count <= SMALL_NODE as usize {
            let node = build.valued(task, count as u32);
            return best_exact_split(&node, build.wide, references).map(Split::Exact);
        }
        if self.spans.len() < count {
            self.spans.resize(count, Span::default());
        }
        let spans = &mut self.spans[..count];
        let split = choose_binned(build, task, count as u32, |bins| {
            let mut histograms = NOTHING;
            binned::count(build.wide, bins, references, spans, &mut histograms);
            histograms
        });
        split.map(Split::Binned)
    }

    /// Copies a node's references behind it on the stack: first those above, then those below.
    fn partition(
        &mut self,
        build: &Build,
        split: &Split,
        children: &[Task; 2],
        (first, end): (usize, usize),
    ) {
        let (below, above) = split.counts();
        let room = end + (below + above) as usize;
        if self.stack.len() < room {
            self.stack
                .resize(room.next_power_of_two(), Reference::default());
        }
        let (node, rest) = self.stack.split_at_mut(end);
        let sides = match split {
            Split::Binned(split) => Sides::Binned(split, &self.spans[..end - first]),
            Split::Exact(split) => Sides::Exact(split.below, split.above),
        };
        partition(
            build,
            children,
            split.plane(),
            split.counts(),
            (&node[first..], sides),
            (&mut rest[..room - end], above as usize),
            &mut self.cut,
        );
    }
}

impl Split {
    fn plane(&self) -> (u32, f32) {
        match self {
            Self::Binned(split) => (split.axis, split.position),
            Self::Exact(split) => (split.axis, split.position),
        }
    }

    fn counts(&self) -> (u32, u32) {
        match self {
            Self::Binned(split) => (split.below, split.above),
            Self::Exact(split) => (split.below.count_ones(), split.above.count_ones()),
        }
    }
}
