//! The kernels: the start, and a step.

use core::sync::atomic::Ordering::Relaxed;

use super::{CHUNK, CoreArguments, Cores, Step, StepKind, UNPEELED, word};
use crate::graph::chunks::{Chunk, Entry, append};
use crate::graph::store::{Vertex, VertexId, lower_bound};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::reduce::all_max;
use crate::simt::segments::Segments;

/// Whether a vertex is its own neighbour.
///
/// # Safety
///
/// The row is that of the vertex.
#[inline(always)]
unsafe fn has_loop(row: Vertex, vertex: VertexId) -> bool {
    // SAFETY: entries below the degree.
    unsafe {
        let place = lower_bound(row.entries(), 0, row.degree, vertex.number());
        place < row.degree && *row.entries().add(place as usize) == vertex.number()
    }
}

/// Counts the neighbours of each vertex.
pub struct CoreStart;

impl PlainKernel for CoreStart {
    type Arguments = CoreArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, cores: CoreArguments) {
        // SAFETY: the kernel's contract.
        let cores = unsafe { Cores::new(cores) };
        let mut index = warp.thread();
        while let Some(vertex) = cores.vertex(index) {
            let row = cores.row(vertex);
            // SAFETY: a row of the graph.
            let has_loop = unsafe { has_loop(row, vertex) };
            let core = if row.is_absent() { 0 } else { UNPEELED };
            // Relaxed, here and below: read by later launches.
            let count = row.degree - u32::from(has_loop);
            cores.count(vertex).store(count, Relaxed);
            cores.core(vertex).store(core, Relaxed);
            index += warp.threads();
        }
        if warp.thread() == 0 {
            cores.clear(0);
            cores.clear(1);
            cores.clear(2);
        }
    }
}

/// A step of the peeling; see the module [`kcore`](super).
pub struct CoreStep;

impl CoreStep {
    /// Finds the least number of neighbours that a vertex has left.
    #[inline(always)]
    fn measure<W: Warp>(warp: W, cores: &Cores) {
        // A complement, so that 0 is none: no vertex has 2^32 - 1 neighbours.
        let mut greatest = 0;
        let mut index = warp.thread();
        while let Some(vertex) = cores.vertex(index) {
            if cores.is_left(vertex) {
                // Relaxed: written by launches before.
                let found = !cores.count(vertex).load(Relaxed);
                greatest = if found > greatest { found } else { greatest };
            }
            index += warp.threads();
        }
        let greatest = all_max(warp, greatest);
        if warp.lane() == 0 && greatest > 0 {
            // Relaxed: a maximum that the next launch reads. Mostly another warp has found the
            // same, which a load tells at less cost.
            let least = cores.record::<{ word::MIN_LEFT }>(1);
            if least.load(Relaxed) < u64::from(greatest) {
                least.fetch_max(greatest.into(), Relaxed);
            }
        }
    }

    /// Peels a vertex for this lane, if it has one: gives it its core number and enqueues its row. All
    /// lanes call this.
    ///
    /// # Safety
    ///
    /// No other lane has the vertex in any launch.
    #[inline(always)]
    unsafe fn enqueue<W: Warp>(warp: W, cores: &Cores, step: &Step, found: Option<VertexId>) {
        if warp.ballot(W::FULL, found.is_some()) == 0 {
            return;
        }
        let mut row = Chunk::default();
        if let Some(vertex) = found {
            // Relaxed: read by later launches, and here only to leave the vertex out.
            cores.core(vertex).store(step.level, Relaxed);
            row = Chunk::row(vertex.number(), cores.row(vertex), 0);
        }
        // SAFETY: there is room for the rows of all vertices, each once, which later launches read.
        unsafe {
            let queue = cores.queue.add((step.begin + step.chunks) as usize);
            append::<CHUNK, W>(warp, queue, cores.record::<{ word::CHUNKS }>(1), row);
        }
    }

    /// Enqueues the vertices that have as many neighbours left as the level.
    #[inline(always)]
    fn collect<W: Warp>(warp: W, cores: &Cores, step: &Step) {
        let mut first = warp.warp() * W::LANES;
        while first < cores.vertices {
            // Relaxed: written by launches before.
            let found = cores.vertex(first + warp.lane()).filter(|&vertex| {
                cores.is_left(vertex) && cores.count(vertex).load(Relaxed) == step.level
            });
            // SAFETY: each vertex is one lane's, which was not peeled before.
            unsafe { Self::enqueue(warp, cores, step, found) };
            first += warp.threads();
        }
    }

    /// Takes one from the count of a peeled vertex' neighbour; the neighbour, if this brings it down to
    /// the level.
    ///
    /// # Safety
    ///
    /// The entry is one of the graph.
    #[inline(always)]
    unsafe fn take(cores: &Cores, step: &Step, entry: Entry) -> Option<VertexId> {
        // SAFETY: neighbours are vertices.
        let neighbour = unsafe { VertexId::new(entry.neighbour) };
        let count = cores.count(neighbour);
        // Relaxed: the addition alone decides which lane peels the neighbour. A count that is at
        // the level stays there or falls, since it is one of a vertex that was peeled.
        let is_taken = entry.is_there
            && count.load(Relaxed) > step.level
            && count.fetch_add(u32::MAX, Relaxed) == step.level + 1;
        is_taken.then_some(neighbour)
    }

    /// Takes the vertices of the queue from their neighbours, and enqueues those that come down to the
    /// level.
    #[inline(always)]
    fn peel<W: Warp>(warp: W, cores: &Cores, step: &Step) {
        let mut first = warp.warp() * W::LANES;
        while first < step.chunks {
            let position = first + warp.lane();
            let mut row = Chunk::default();
            if position < step.chunks {
                // SAFETY: within this step's part of the queue.
                row = unsafe { *cores.queue.add((step.begin + position) as usize) };
            }
            let segments = Segments::new(warp, row.length);
            let mut base = 0;
            while base < segments.total {
                // SAFETY: chunks are of rows that no thread changes, and neighbours are vertices; the
                // one lane that brings a vertex down to the level has it.
                unsafe {
                    let [one, two, three, four] = Entry::four(warp, &segments, &row, base);
                    let one = Self::take(cores, step, one);
                    let two = Self::take(cores, step, two);
                    let three = Self::take(cores, step, three);
                    let four = Self::take(cores, step, four);
                    Self::enqueue(warp, cores, step, one);
                    Self::enqueue(warp, cores, step, two);
                    Self::enqueue(warp, cores, step, three);
                    Self::enqueue(warp, cores, step, four);
                }
                base += Entry::at_once::<W>();
            }
            first += warp.threads();
        }
    }
}

impl PlainKernel for CoreStep {
    type Arguments = CoreArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, cores: CoreArguments) {
        // SAFETY: the kernel's contract.
        let cores = unsafe { Cores::new(cores) };
        let step = cores.step();
        if warp.thread() == 0 {
            cores.clear(2);
            // Relaxed: the next launch reads them.
            let kind = step.kind as u64;
            cores.record::<{ word::KIND }>(1).store(kind, Relaxed);
            let level = u64::from(step.level);
            cores.record::<{ word::LEVEL }>(1).store(level, Relaxed);
            let begin = u64::from(step.begin + step.chunks);
            cores.record::<{ word::BEGIN }>(1).store(begin, Relaxed);
        }
        match step.kind {
            StepKind::Measure => Self::measure(warp, &cores),
            StepKind::Collect => Self::collect(warp, &cores, &step),
            StepKind::Peel => Self::peel(warp, &cores, &step),
            StepKind::End => {}
        }
    }
}
