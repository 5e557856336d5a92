//! Labels that are kept while edges come and go, instead of being computed anew.
//!
//! A batch changes them in proportion to its own size. The ends of an inserted edge are joined
//! as those of any other edge. Whether a deleted edge splits its component its row does not
//! tell; so the tree of its ends is marked at the root. Later batches may hang that root below
//! another one.
//!
//! Labels are brought up to date after any number of batches. Marks are passed on to the roots
//! of now, and the vertices of marked trees are listed. These are labelled from their rows, by
//! the kernels for whole graphs: no edge leads out of their trees, since each edge that was
//! there meanwhile has joined its ends. The other trees have lost no edge, so that they are
//! components.
//!
//! Traffic: an inserted edge costs some four dependent accesses to labels, a deleted one two
//! and a bit; bringing up to date reads a record and two labels for each vertex, and writes a
//! label; where edges were deleted it reads a label and a bit more. If the component that lost
//! an edge is the giant one, nearly all of the graph is labelled anew.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::forest::Forest;
use super::{ComponentArguments, Components, NO_LABEL, word};
use crate::arguments;
use crate::graph::store::VertexId;
use crate::graph::store::keys::{DELETE, Form, MIRRORED};
use crate::graph::store::update::word as batch;
use crate::kernel::PlainKernel;
use crate::simt::reduce::has;
use crate::simt::{Warp, leader, rank};

arguments! {
    /// A batch, and the labels that it changes.
    pub struct ComponentUpdateArguments {
        pointers {
            /// The keys of the batch that change the store, sorted.
            changes: u64,
            /// The header of the batch.
            header: u64,
            /// The largest request that was refused to the batch, or 0.
            refused: u64,
            /// A word for each vertex: its parent; those of vertices with edges are vertices.
            labels: u32,
            /// A bit for each vertex: whether a tree with it as root has lost an edge.
            lost: u32,
        }
        integers {
            /// Keys of the batch.
            count: u32,
            /// Vertices.
            vertices: u32,
            /// Flags of the keys.
            flags: u32,
        }
    }
}

/// A bit for each vertex, in atomic words.
#[derive(Clone, Copy)]
struct Lost(*mut u32);

impl Lost {
    /// These bits.
    ///
    /// # Safety
    ///
    /// There is a bit for each vertex, and they are accessed as atomic words while this value is
    /// in use.
    #[inline(always)]
    unsafe fn new(words: *mut u32) -> Self {
        Self(words)
    }

    /// The word that has the bit of a vertex.
    #[inline(always)]
    fn word(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: there is a bit for each vertex.
        unsafe { &*self.0.add(vertex.index() / 32).cast::<AtomicU32>() }
    }

    /// Marks a tree by its root.
    #[inline(always)]
    fn mark(&self, root: VertexId) {
        // Relaxed: read by later launches.
        self.word(root).fetch_or(1 << (root.number() % 32), Relaxed);
    }
}

/// Joins the ends of the edges that a batch has inserted, or marks the trees of those that it
/// has deleted.
pub struct ComponentUpdate;

impl PlainKernel for ComponentUpdate {
    type Arguments = ComponentUpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: ComponentUpdateArguments) {
        let form = Form {
            vertices: update.vertices,
            count: update.count,
            flags: update.flags,
        };
        // SAFETY: the kernel's contract; ends of changes are vertices that are not deleted, and
        // there are as many changes as the header says.
        unsafe {
            let (forest, lost) = (Forest::new(update.labels), Lost::new(update.lost));
            // Relaxed: both were written by launches before.
            if (*update.refused.cast::<AtomicU64>()).load(Relaxed) != 0 {
                return;
            }
            let changes = &*update.header.add(batch::CHANGES).cast::<AtomicU64>();
            let changes = changes.load(Relaxed) as u32;
            let mut index = warp.thread();
            while index < changes {
                let key = *update.changes.add(index as usize);
                let (source, target) = (form.source(key), form.target(key));
                // Of the two directions of an edge one, and no loops: they join nothing.
                let is_other = source > target && form.has(MIRRORED);
                if source != target && !is_other {
                    if form.has(DELETE) {
                        // The other end is in the same tree.
                        lost.mark(forest.root(VertexId::new(source)));
                    } else {
                        forest.join(warp, VertexId::new(source), VertexId::new(target));
                    }
                }
                index += warp.threads();
            }
        }
    }
}

/// Marks the trees of now into which trees with marks were joined.
pub struct ComponentSpread;

impl PlainKernel for ComponentSpread {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        // SAFETY: the bits are there where there is a list, for which this kernel is.
        let (forest, lost) = (graph.forest(), unsafe { Lost::new(graph.lost) });
        let mut first = warp.thread();
        while first < graph.vertices.div_ceil(32) {
            // SAFETY: below their number.
            let word = lost.word(unsafe { VertexId::new(32 * first) });
            // Relaxed: whoever marks a root in this launch has done what its mark asks for.
            let mut marks = word.load(Relaxed);
            while marks != 0 {
                let index = 32 * first + leader(marks);
                marks &= marks - 1;
                if index >= graph.vertices {
                    continue;
                }
                // SAFETY: below their number.
                let vertex = unsafe { VertexId::new(index) };
                if forest.label(vertex).load(Relaxed) != NO_LABEL {
                    // SAFETY: a label that is none has no path from it.
                    let root = unsafe { forest.root(vertex) };
                    if root != vertex {
                        lost.mark(root);
                    }
                }
            }
            first += warp.threads();
        }
    }
}

/// Vertices of a lane that are listed at once: of the additions to the list's length, all to one
/// word, there is one for each 256 vertices then.
pub const ROWS: u32 = 8;

/// Lists the vertices of marked trees.
pub struct ComponentList;

impl ComponentList {
    /// Whether a vertex is in a marked tree.
    #[inline(always)]
    fn is_lost(graph: &Components, lost: Lost, index: u32) -> bool {
        if index >= graph.vertices {
            return false;
        }
        // SAFETY: below their number.
        let vertex = unsafe { VertexId::new(index) };
        let forest = graph.forest();
        // Relaxed, twice: labelled and marked by launches before.
        if forest.label(vertex).load(Relaxed) == NO_LABEL {
            return false;
        }
        // SAFETY: a label that is none has no path from it.
        let root = unsafe { forest.root(vertex) };
        has(lost.word(root).load(Relaxed), root.number() % 32)
    }
}

impl PlainKernel for ComponentList {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        // SAFETY: the bits are there where there is a list.
        let lost = unsafe { Lost::new(graph.lost) };
        let rows = if W::LANES < ROWS { W::LANES } else { ROWS };
        let mut first = warp.warp() * rows * W::LANES;
        while first < graph.vertices {
            // The lanes of row `lane` whose vertices are listed.
            let (mut own, mut total, mut row) = (0, 0, 0);
            while row < rows {
                let is_lost = Self::is_lost(&graph, lost, first + row * W::LANES + warp.lane());
                let lanes = warp.ballot(W::FULL, is_lost);
                if warp.lane() == row {
                    own = lanes;
                }
                total += lanes.count_ones();
                row += 1;
            }
            if total > 0 {
                let mut begin = 0;
                if warp.lane() == 0 {
                    // Relaxed: the list is read by later launches.
                    let listed = graph.header::<{ word::LISTED }>();
                    begin = listed.fetch_add(u64::from(total), Relaxed) as u32;
                }
                begin = warp.shuffle(W::FULL, begin, 0);
                let mut row = 0;
                while row < rows {
                    let lanes = warp.shuffle(W::FULL, own, row);
                    if has(lanes, warp.lane()) {
                        let at = begin + rank(lanes, warp.lane());
                        let vertex = first + row * W::LANES + warp.lane();
                        // SAFETY: the positions are this warp's; no vertex is listed twice, and
                        // there is room for all.
                        unsafe { graph.list.add(at as usize).write(vertex) };
                    }
                    begin += lanes.count_ones();
                    row += 1;
                }
            }
            first += warp.warps() * rows * W::LANES;
        }
    }
}
