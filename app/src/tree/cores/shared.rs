//! The upper part of the tree: nodes of many references, which threads share, and whose
//! children different threads may build.

use std::sync::Mutex;

use heapwood_device::kdtree::bins::Bins;
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::plan::BuildError;
use rayon::prelude::*;

use super::binned;
use super::bins::{self, Histograms, NOTHING, Span};
use super::build::{Build, Counts, Task};
use super::facets::Reference;
use super::node::{Sides, choose_binned, partition};
use super::subtree::{Scratch, Subtree};

/// References of a node, at most, whose subtree one thread builds.
const ALONE: usize = 1024;
/// References of a node that a thread treats at a time.
const CHUNK: usize = 4096;

/// A part of the tree as threads have built it.
pub enum Grown {
    /// A subtree that one thread has built.
    Subtree(Subtree),
    /// A node above such subtrees.
    Node {
        /// Axis and position of its split.
        plane: (u32, f32),
        /// The subtrees below and above.
        children: Box<[Grown; 2]>,
        /// Nodes and references of the whole.
        size: (usize, usize),
    },
}

impl Grown {
    /// Nodes and references.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Self::Subtree(subtree) => (subtree.nodes.len(), subtree.references.len()),
            Self::Node { size, .. } => *size,
        }
    }

    /// Adds up what its subtrees have counted.
    pub fn count(&self, sum: &mut Counts) {
        match self {
            Self::Subtree(subtree) => {
                let counts = &subtree.counts;
                sum.leaves += counts.leaves;
                sum.limited += counts.limited;
                sum.cut += counts.cut;
                sum.depth = sum.depth.max(counts.depth);
            }
            Self::Node { children, .. } => {
                for child in &**children {
                    child.count(sum);
                }
            }
        }
    }
}

/// Scratch memory; each thread takes one when it begins a subtree.
#[derive(Default)]
pub struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    fn take(&self) -> Scratch {
        let mut free = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        free.pop().unwrap_or_default()
    }

    fn put(&self, scratch: Scratch) {
        let mut free = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        free.push(scratch);
    }
}

/// Builds the subtree of a node with these references.
///
/// # Errors
///
/// [`BuildError::Explodes`] and [`BuildError::NodeLimit`].
pub fn grow(
    build: &Build,
    pool: &Pool,
    task: Task,
    references: Vec<Reference>,
) -> Result<Grown, BuildError> {
    if references.len() <= ALONE || task.bounds.is_flat() {
        let mut scratch = pool.take();
        let subtree = scratch.grow(build, task, &references);
        pool.put(scratch);
        return Ok(Grown::Subtree(subtree?));
    }
    let count = references.len() as u32;
    let mut spans = vec![Span::default(); references.len()];
    let mut counts = Counts::default();
    let split = choose_binned(build, &task, count, |bins| {
        count_shared(build, bins, &references, &mut spans)
    });
    let split = split.filter(|split| {
        let added = budget::added(count, split.below, split.above);
        build.allows(&task, added, &mut counts)
    });
    let Some(split) = split else {
        let mut leaf = Subtree {
            counts,
            ..Subtree::default()
        };
        leaf.leaf(&references, task.depth);
        return Ok(Grown::Subtree(leaf));
    };
    let added = budget::added(count, split.below, split.above);
    build.add(u64::from(added))?;
    let plane = (split.axis, split.position);
    let tasks = build.children(&task, plane, (split.below, split.above), added);
    let parts = references.par_chunks(CHUNK).zip(spans.par_chunks(CHUNK));
    let parts: Vec<(Vec<Reference>, usize)> = parts
        .map(|(references, spans)| {
            let sides = || spans.iter().map(|span| split.sides(span));
            let below = sides().filter(|(below, _)| *below).count();
            let above = sides().filter(|(_, above)| *above).count();
            let mut list = vec![Reference::default(); below + above];
            let node = (references, Sides::Binned(&split, spans));
            partition(
                build,
                &tasks,
                plane,
                (split.below, split.above),
                node,
                (&mut list, above),
                &mut Vec::new(),
            );
            (list, above)
        })
        .collect();
    drop((references, spans));
    let gather = |is_above: bool| -> Vec<Reference> {
        let lists = parts.iter().map(|(list, above)| match is_above {
            true => &list[..*above],
            false => &list[*above..],
        });
        lists.collect::<Vec<_>>().concat()
    };
    let (references_below, references_above) = rayon::join(|| gather(false), || gather(true));
    drop(parts);
    let (below, above) = rayon::join(
        || grow(build, pool, tasks[0], references_below),
        || grow(build, pool, tasks[1], references_above),
    );
    let (below, above) = (below?, above?);
    let (sizes_below, sizes_above) = (below.size(), above.size());
    Ok(Grown::Node {
        plane,
        children: Box::new([below, above]),
        size: (
            1 + sizes_below.0 + sizes_above.0,
            sizes_below.1 + sizes_above.1,
        ),
    })
}

/// Counts the references of a node into bins.
fn count_shared(
    build: &Build,
    bins: Bins,
    references: &[Reference],
    spans: &mut [Span],
) -> Histograms {
    let chunks = references
        .par_chunks(CHUNK)
        .zip(spans.par_chunks_mut(CHUNK));
    let histograms = chunks.map(|(references, spans)| {
        let mut histograms = NOTHING;
        binned::count(build.wide, bins, references, spans, &mut histograms);
        histograms
    });
    histograms.reduce(
        || NOTHING,
        |mut sums, others| {
            bins::merge(&mut sums, &others);
            sums
        },
    )
}
