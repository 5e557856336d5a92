//! Labelling components by warps of any width.

use core::sync::atomic::Ordering::Relaxed;

use super::{ComponentArguments, Components, LINKED, LONG, NO_LABEL, word};
use crate::graph::chunks::{Chunk, Entry, append};
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

impl Components {
    /// The root of the tree whose vertices are skipped, as it was when it was sampled.
    #[inline(always)]
    fn skipped(&self) -> u32 {
        // Relaxed: written by a launch before.
        self.header::<{ word::SKIPPED }>().load(Relaxed) as u32
    }

    /// Joins the ends of an entry, unless it is a copy.
    ///
    /// # Safety
    ///
    /// The ends are vertices, whose labels `ComponentStart` has made.
    #[inline(always)]
    unsafe fn join_entry<W: Warp>(&self, warp: W, entry: Entry) {
        if entry.is_there {
            // SAFETY: such vertices.
            unsafe {
                let (vertex, other) = (entry.vertex, entry.neighbour);
                let (vertex, other) = (VertexId::new(vertex), VertexId::new(other));
                self.forest().join(warp, vertex, other);
            }
        }
    }
}

/// Makes each vertex' least neighbour its parent, if that is lower.
pub struct ComponentStart;

impl PlainKernel for ComponentStart {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let count = graph.count();
        let mut index = warp.thread();
        while index < count {
            // SAFETY: below the count.
            let vertex = unsafe { graph.vertex(index) };
            let (record, own) = (graph.record(vertex), vertex.number());
            let mut parent = own;
            if record.degree > 0 {
                // SAFETY: where the degree is not 0, there is an entry.
                let least = unsafe { *record.entries() };
                parent = if least < own { least } else { own };
            }
            // Relaxed: read by later launches.
            graph.forest().label(vertex).store(parent, Relaxed);
            index += warp.threads();
        }
        if warp.thread() == 0 {
            graph.header::<{ word::COUNT }>().store(0, Relaxed);
            graph.header::<{ word::CHUNKS }>().store(0, Relaxed);
        }
    }
}

/// Joins each vertex with its first neighbours.
pub struct ComponentLink;

impl PlainKernel for ComponentLink {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let count = graph.count();
        let mut index = warp.thread();
        while index < count {
            // SAFETY: below the count; positions are below the degree, neighbours are vertices,
            // and so are labels, which `ComponentStart` has made.
            unsafe {
                let vertex = graph.vertex(index);
                let record = graph.record(vertex);
                let mut position = 0;
                while position < LINKED && position < record.degree {
                    let neighbour = VertexId::new(*record.entries().add(position as usize));
                    // `ComponentStart` has joined the least one, if that is lower.
                    if position > 0 || neighbour > vertex {
                        graph.forest().join(warp, vertex, neighbour);
                    }
                    position += 1;
                }
            }
            index += warp.threads();
        }
    }
}

/// Joins the trees at the two ends of each edge that is left, but for rows that are long,
/// which it lists.
pub struct ComponentJoin;

impl PlainKernel for ComponentJoin {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let (skipped, count) = (graph.skipped(), graph.count());
        let mut first = warp.warp() * W::LANES;
        while first < count {
            let index = first + warp.lane();
            let mut row = Chunk::default();
            if index < count {
                // SAFETY: below the count.
                let vertex = unsafe { graph.vertex(index) };
                // Relaxed: a label that is outdated was that of the same tree.
                if graph.forest().label(vertex).load(Relaxed) != skipped {
                    row = Chunk::row(vertex.number(), graph.record(vertex), graph.first);
                }
            }
            let (short, long) = if row.length > LONG {
                (Chunk::default(), row)
            } else {
                (row, Chunk::default())
            };
            // SAFETY: there is room for all long rows, neighbours are vertices, and so are the
            // labels, which `ComponentStart` has made.
            unsafe {
                let chunks = graph.header::<{ word::CHUNKS }>();
                append::<LONG, W>(warp, graph.long, chunks, long);
                let segments = Segments::new(warp, short.length);
                let mut base = 0;
                while base < segments.total {
                    let [one, two, three, four] = Entry::four(warp, &segments, &short, base);
                    graph.join_entry(warp, one);
                    graph.join_entry(warp, two);
                    graph.join_entry(warp, three);
                    graph.join_entry(warp, four);
                    base += Entry::at_once::<W>();
                }
            }
            first += warp.threads();
        }
    }
}

/// Does the same for the long rows: a chunk a warp.
pub struct ComponentJoinLong;

impl PlainKernel for ComponentJoinLong {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let (forest, skipped) = (graph.forest(), graph.skipped());
        // Relaxed: counted by launches before.
        let chunks = graph.header::<{ word::CHUNKS }>().load(Relaxed) as u32;
        let mut index = warp.warp();
        while index < chunks {
            // SAFETY: a chunk of the list, of the row of a vertex; the rest as for the rows
            // that are not long.
            unsafe {
                let chunk = *graph.long.add(index as usize);
                let mut position = warp.lane();
                let vertex = VertexId::new(chunk.vertex);
                let label = forest.label(vertex);
                // Relaxed: as above; the vertex may have come to the tree since it was listed.
                while position < chunk.length && label.load(Relaxed) != skipped {
                    let neighbour = VertexId::new(chunk.entry(position));
                    forest.join(warp, vertex, neighbour);
                    position += W::LANES;
                }
            }
            index += warp.warps();
        }
    }
}

/// Labels each vertex with its root, and counts the roots: of all vertices, if they are listed
/// or not.
pub struct ComponentEnd;

impl PlainKernel for ComponentEnd {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let mut roots = 0;
        let mut index = warp.thread();
        while index < graph.vertices {
            // SAFETY: below their number.
            let vertex = unsafe { VertexId::new(index) };
            let forest = graph.forest();
            if graph.record(vertex).is_absent() {
                forest.label(vertex).store(NO_LABEL, Relaxed);
            } else {
                // SAFETY: not a deleted one, which has no neighbours, so that no path leads to its
                // label.
                let root = unsafe { forest.root(vertex) };
                roots += u32::from(root == vertex);
                // Relaxed: others may pass here, and go on to the root.
                forest.label(vertex).store(root.number(), Relaxed);
            }
            index += warp.threads();
        }
        let roots = warp.all_sum(roots);
        if warp.lane() == 0 && roots > 0 {
            // Relaxed: read after the launch.
            let count = graph.header::<{ word::COUNT }>();
            count.fetch_add(u64::from(roots), Relaxed);
        }
    }
}
