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
use super::{ComponentArguments, NO_LABEL, word};
use crate::arguments;
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

/// The word that has the bit of a vertex.
///
/// # Safety
///
/// There is a bit for the vertex.
#[inline(always)]
unsafe fn word_of<'a>(lost: *mut u32, vertex: u32) -> &'a AtomicU32 {
    // SAFETY: the caller's promise.
    unsafe { &*lost.add((vertex / 32) as usize).cast::<AtomicU32>() }
}

/// Marks a tree by its root.
///
/// # Safety
///
/// There is a bit for the root.
#[inline(always)]
unsafe fn mark(lost: *mut u32, root: u32) {
    // Relaxed: read by later launches.
    // SAFETY: the caller's promise.
    unsafe { word_of(lost, root).fetch_or(1 << (root % 32), Relaxed) };
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
        let forest = Forest {
            labels: update.labels,
        };
        // SAFETY: the kernel's contract; ends of changes are vertices that are not deleted, and
        // there are as many changes as the header says.
        unsafe {
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
                        mark(update.lost, forest.root(source));
                    } else {
                        forest.join(warp, source, target);
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
        let forest = graph.forest();
        let mut first = warp.thread();
        while first < graph.vertices.div_ceil(32) {
            // SAFETY: the kernel's contract, and vertices are looked at that exist; a label that
            // is none has no path from it.
            unsafe {
                // Relaxed: whoever marks a root in this launch has done what its mark asks for.
                let mut marks = word_of(graph.lost, 32 * first).load(Relaxed);
                while marks != 0 {
                    let vertex = 32 * first + leader(marks);
                    marks &= marks - 1;
                    if vertex < graph.vertices && forest.label(vertex).load(Relaxed) != NO_LABEL {
                        let root = forest.root(vertex);
                        if root != vertex {
                            mark(graph.lost, root);
                        }
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
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and there is a list.
    #[inline(always)]
    unsafe fn is_lost(graph: &ComponentArguments, vertex: u32) -> bool {
        if vertex >= graph.vertices {
            return false;
        }
        let forest = graph.forest();
        // SAFETY: the caller's promise; the vertex exists, and a label that is none has no path
        // from it. Relaxed: marked by launches before.
        unsafe {
            if forest.label(vertex).load(Relaxed) == NO_LABEL {
                return false;
            }
            let root = forest.root(vertex);
            has(word_of(graph.lost, root).load(Relaxed), root % 32)
        }
    }
}

impl PlainKernel for ComponentList {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        let rows = if W::LANES < ROWS { W::LANES } else { ROWS };
        let mut first = warp.warp() * rows * W::LANES;
        while first < graph.vertices {
            // The lanes of row `lane` whose vertices are listed.
            let (mut own, mut total, mut row) = (0, 0, 0);
            while row < rows {
                // SAFETY: the kernel's contract.
                let is_lost =
                    unsafe { Self::is_lost(&graph, first + row * W::LANES + warp.lane()) };
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
                    // SAFETY: the kernel's contract. Relaxed: the list is read by later launches.
                    let listed = unsafe { graph.header(word::LISTED) };
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
