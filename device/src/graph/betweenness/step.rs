//! The kernels: the start, and a step.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::sums::{Summed, sum_divided_rows, sum_rows};
use super::{BetweennessArguments, CHUNK, Chunks, Paths, Scaled, UNREACHED, word};
use crate::graph::chunks::{Chunk, Entry, append};
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// The kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// Nothing so far but the source.
    Start = 0,
    /// Sums the counts of a level, and finds the next one.
    Forward = 1,
    /// Adds the sums of the level's rows that were divided.
    ForwardDivided = 2,
    /// Sums the dependencies of a level.
    Back = 3,
    /// Adds the sums of the level's rows that were divided.
    BackDivided = 4,
    /// Does nothing: all dependencies are known.
    End = 5,
}

impl StepKind {
    /// The kind that a word stands for.
    #[inline(always)]
    fn of(word: u64) -> Self {
        match word {
            0 => Self::Start,
            1 => Self::Forward,
            2 => Self::ForwardDivided,
            3 => Self::Back,
            4 => Self::BackDivided,
            _ => Self::End,
        }
    }
}

/// A step, as the launch before has left it.
#[derive(Clone, Copy)]
struct Step {
    kind: StepKind,
    level: u32,
    /// Chunks of out-neighbours of the level ahead: that of a step forward, the one below it
    /// otherwise.
    outgoing: Chunks,
    /// The same of in-neighbours, in a directed graph.
    incoming: Chunks,
}

impl Paths {
    /// The step of this launch.
    #[inline(always)]
    fn step(&self) -> Step {
        // Relaxed: written by the launch before.
        let of = |word: &AtomicU64| word.load(Relaxed) as u32;
        let outgoing = Chunks {
            queue: self.queue,
            begin: of(self.record::<{ word::BEGIN }>(0)),
            count: of(self.record::<{ word::CHUNKS }>(0)),
        };
        let incoming = Chunks {
            queue: self.incoming_queue,
            begin: of(self.record::<{ word::INCOMING_BEGIN }>(0)),
            count: of(self.record::<{ word::INCOMING }>(0)),
        };
        let level = of(self.record::<{ word::LEVEL }>(0));
        let is_divided = of(self.record::<{ word::DIVIDED }>(0)) != 0;
        let before = StepKind::of(self.record::<{ word::KIND }>(0).load(Relaxed));
        let has_next = outgoing.count + incoming.count > 0;
        let (kind, level) = match before {
            StepKind::Start if has_next => (StepKind::Forward, 0),
            StepKind::Forward if is_divided => (StepKind::ForwardDivided, level),
            StepKind::Forward | StepKind::ForwardDivided if has_next => {
                (StepKind::Forward, level + 1)
            }
            StepKind::Back if is_divided => (StepKind::BackDivided, level),
            // The source has no score by its own paths, and nothing is below the last level.
            StepKind::Start | StepKind::End => (StepKind::End, level),
            _ if level > 1 => (StepKind::Back, level - 1),
            _ => (StepKind::End, level),
        };
        Step {
            kind,
            level,
            outgoing,
            incoming,
        }
    }

    /// Reaches a vertex for this lane, if it has one: enqueues its rows. All lanes call this.
    ///
    /// # Safety
    ///
    /// No other lane reaches it in any launch; the next level begins at these positions.
    #[inline(always)]
    unsafe fn enqueue<W: Warp>(
        &self,
        warp: W,
        (outgoing, incoming): (u32, u32),
        found: Option<VertexId>,
    ) {
        if warp.ballot(W::FULL, found.is_some()) == 0 {
            return;
        }
        let row = |of: Option<Vertex>| match (found, of) {
            (Some(vertex), Some(row)) => Chunk::row(vertex.number(), row, 0),
            _ => Chunk::default(),
        };
        // SAFETY: there is room for the rows of all vertices, each once, which later launches read.
        unsafe {
            let queue = self.queue.add(outgoing as usize);
            let outgoing = row(found.map(|vertex| self.outgoing(vertex)));
            append::<CHUNK, W>(warp, queue, self.record::<{ word::CHUNKS }>(1), outgoing);
            if self.directed {
                let queue = self.incoming_queue.add(incoming as usize);
                let incoming = row(found.map(|vertex| self.incoming(vertex)));
                append::<CHUNK, W>(warp, queue, self.record::<{ word::INCOMING }>(1), incoming);
            }
        }
    }

    /// A neighbour that this lane is the one to reach.
    ///
    /// # Safety
    ///
    /// The entry is one of the graph.
    #[inline(always)]
    unsafe fn reach(&self, entry: Entry, depth: u32) -> Option<VertexId> {
        // SAFETY: neighbours are vertices.
        let neighbour = unsafe { VertexId::new(entry.neighbour) };
        // Relaxed: the exchange alone decides who found it; all would write the same.
        let is_reached = entry.is_there
            && self.depth(neighbour).load(Relaxed) == UNREACHED
            && self
                .depth(neighbour)
                .compare_exchange(UNREACHED, depth, Relaxed)
                == UNREACHED;
        is_reached.then_some(neighbour)
    }

    /// Finds the next level along the out-neighbours of one.
    ///
    /// # Safety
    ///
    /// The step is this launch's, a step forward.
    #[inline(always)]
    unsafe fn find_next<W: Warp>(&self, warp: W, step: &Step) {
        let depth = step.level + 1;
        let ends = (
            step.outgoing.begin + step.outgoing.count,
            step.incoming.begin + step.incoming.count,
        );
        let mut first = warp.warp() * W::LANES;
        while first < step.outgoing.count {
            // SAFETY: chunks of the level are of rows that no thread changes, and neighbours are
            // vertices; a vertex is enqueued by the one lane that has exchanged its depth.
            unsafe {
                let row = step.outgoing.get(first + warp.lane());
                let segments = Segments::new(warp, row.length);
                let mut base = 0;
                while base < segments.total {
                    let [one, two, three, four] = Entry::four(warp, &segments, &row, base);
                    let one = self.reach(one, depth);
                    let two = self.reach(two, depth);
                    let three = self.reach(three, depth);
                    let four = self.reach(four, depth);
                    self.enqueue(warp, ends, one);
                    self.enqueue(warp, ends, two);
                    self.enqueue(warp, ends, three);
                    self.enqueue(warp, ends, four);
                    base += Entry::at_once::<W>();
                }
            }
            first += warp.threads();
        }
    }
}

/// The counts of a level: of in-neighbours one level above.
struct Counts<'a> {
    paths: &'a Paths,
    above: u32,
}

impl Summed for Counts<'_> {
    #[inline(always)]
    fn row(&self, vertex: VertexId) -> Vertex {
        self.paths.incoming(vertex)
    }

    #[inline(always)]
    fn term(&self, neighbour: VertexId) -> Scaled {
        // Relaxed: a depth above was written by a launch before.
        match self.paths.depth(neighbour).load(Relaxed) == self.above {
            // SAFETY: such a vertex has a count, which no lane of this launch writes.
            true => unsafe { *self.paths.counts.add(neighbour.index()) },
            false => Scaled::ZERO,
        }
    }

    #[inline(always)]
    unsafe fn settle(&self, vertex: VertexId, sum: Scaled) {
        // SAFETY: this lane's alone, the caller says. Without vertices below, nothing depends on it.
        unsafe {
            self.paths.counts.add(vertex.index()).write(sum);
            let quotient = sum.divides(1.0);
            self.paths.quotients.add(vertex.index()).write(quotient);
        }
    }
}

/// The dependencies of a level: by out-neighbours one level below.
struct Dependencies<'a> {
    paths: &'a Paths,
    below: u32,
}

impl Summed for Dependencies<'_> {
    #[inline(always)]
    fn row(&self, vertex: VertexId) -> Vertex {
        self.paths.outgoing(vertex)
    }

    #[inline(always)]
    fn term(&self, neighbour: VertexId) -> Scaled {
        // Relaxed: written by launches before.
        match self.paths.depth(neighbour).load(Relaxed) == self.below {
            // SAFETY: such a vertex has a quotient, which no lane of this launch writes.
            true => unsafe { *self.paths.quotients.add(neighbour.index()) },
            false => Scaled::ZERO,
        }
    }

    #[inline(always)]
    unsafe fn settle(&self, vertex: VertexId, sum: Scaled) {
        // SAFETY: this lane's alone, the caller says.
        unsafe {
            let count = *self.paths.counts.add(vertex.index());
            let dependency = count.times(sum);
            let score = self.paths.scores.add(vertex.index());
            score.write(*score + dependency);
            let quotient = count.divides(1.0 + dependency);
            self.paths.quotients.add(vertex.index()).write(quotient);
        }
    }
}

/// Clears the depths, and reaches the source.
pub struct BetweennessStart;

impl PlainKernel for BetweennessStart {
    type Arguments = BetweennessArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: BetweennessArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut index = warp.thread();
        while index < paths.vertices {
            let depth = if index == paths.source { 0 } else { UNREACHED };
            // SAFETY: below the number of vertices.
            unsafe {
                // Relaxed: read by later launches.
                paths.depth(VertexId::new(index)).store(depth, Relaxed);
                if index == paths.source {
                    paths.counts.add(index as usize).write(Scaled::ONE);
                }
                if paths.is_first {
                    paths.scores.add(index as usize).write(0.0);
                }
            }
            index += warp.threads();
        }
        if warp.warp() != 0 {
            return;
        }
        if warp.lane() == 0 {
            paths.clear(0);
            paths.clear(1);
            paths.clear(2);
        }
        // The header is cleared before lanes add to it.
        warp.sync(W::FULL);
        // SAFETY: the source is a vertex, which one lane enqueues.
        unsafe {
            let source = (warp.lane() == 0).then(|| VertexId::new(paths.source));
            paths.enqueue(warp, (0, 0), source);
        }
    }
}

/// A step; see the module [`betweenness`](super).
pub struct BetweennessStep;

impl BetweennessStep {
    /// Writes the record of the next step, but for counts of warps. One lane of the launch calls this.
    #[inline(always)]
    fn pass_on(paths: &Paths, step: &Step) {
        paths.clear(2);
        // Relaxed, here and below: the next launch reads them.
        let set = |word: &AtomicU64, value: u32| word.store(value.into(), Relaxed);
        set(paths.record::<{ word::KIND }>(1), step.kind as u32);
        set(paths.record::<{ word::LEVEL }>(1), step.level);
        let (outgoing, incoming) = (step.outgoing, step.incoming);
        if step.kind != StepKind::Forward {
            // The level ahead is the same.
            set(paths.record::<{ word::BEGIN }>(1), outgoing.begin);
            set(paths.record::<{ word::CHUNKS }>(1), outgoing.count);
            set(paths.record::<{ word::INCOMING_BEGIN }>(1), incoming.begin);
            set(paths.record::<{ word::INCOMING }>(1), incoming.count);
            return;
        }
        let (end, incoming_end) = (
            outgoing.begin + outgoing.count,
            incoming.begin + incoming.count,
        );
        set(paths.record::<{ word::BEGIN }>(1), end);
        set(paths.record::<{ word::INCOMING_BEGIN }>(1), incoming_end);
        let level = step.level as usize;
        // SAFETY: there is a position for each level and one more.
        unsafe {
            paths.begins.add(level).write(outgoing.begin);
            paths.begins.add(level + 1).write(end);
            if paths.directed {
                paths.incoming_begins.add(level).write(incoming.begin);
                paths.incoming_begins.add(level + 1).write(incoming_end);
            }
        }
    }
}

impl PlainKernel for BetweennessStep {
    type Arguments = BetweennessArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: BetweennessArguments) {
        // SAFETY: the kernel's contract; the step is this launch's, and terms are of levels whose
        // launches were before.
        unsafe {
            let paths = Paths::new(paths);
            let step = paths.step();
            if warp.thread() == 0 {
                Self::pass_on(&paths, &step);
            }
            let level = step.level;
            let counts = Counts {
                paths: &paths,
                above: level.wrapping_sub(1),
            };
            let dependencies = Dependencies {
                paths: &paths,
                below: level + 1,
            };
            match step.kind {
                StepKind::Forward => {
                    let chunks = match paths.directed {
                        true => step.incoming,
                        false => step.outgoing,
                    };
                    // The source has its count.
                    if level > 0 {
                        sum_rows(warp, &paths, chunks, &counts);
                    }
                    paths.find_next(warp, &step);
                }
                StepKind::ForwardDivided => {
                    let chunks = paths.counted_chunks(level);
                    sum_divided_rows(warp, &paths, chunks, &counts);
                }
                StepKind::Back => {
                    let chunks = paths.outgoing_chunks(level);
                    sum_rows(warp, &paths, chunks, &dependencies);
                }
                StepKind::BackDivided => {
                    let chunks = paths.outgoing_chunks(level);
                    sum_divided_rows(warp, &paths, chunks, &dependencies);
                }
                StepKind::Start | StepKind::End => {}
            }
        }
    }
}
