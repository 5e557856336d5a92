//! Communities by label propagation, as LDBC Graphalytics defines it (CDLP; after Raghavan, Albert
//! and Kumara 2007): all vertices take at once the label that most of their neighbours have, the
//! least one of several; at first each has its own number. A neighbour in both directions of a
//! directed graph counts twice. A vertex without neighbours keeps its label.
//!
//! The labels of all neighbours are [pairs] that a sort brings together, so that a label with its
//! count is a run of equal keys. [`CommunityVote`] measures the runs and [`CommunityAdopt`] takes the
//! longest. Nothing depends on the order of threads: of a vertex' runs the greatest word is taken,
//! the length above the complement of the label.
//!
//! Traffic of an iteration: that of the [pairs] and their sort, and 8 bytes a pair more; some three
//! accesses at the end of a run, and one to the vertex' word.
//!
//! [pairs]: super::pairs

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::keys::Form;
use crate::kernel::{PlainKernel, Valid};
use crate::simt::Warp;

arguments! {
    /// An iteration, or its part.
    pub struct CommunityArguments {
        pointers {
            /// The pairs of vertices and labels of neighbours, sorted, as keys.
            keys: u64,
            /// A label for each vertex: a vertex.
            labels: u32,
            /// For each vertex the longest run so far; 0 if it has none.
            best: u64,
        }
        integers {
            /// Pairs.
            count: u32,
            /// Vertices.
            vertices: u32,
        }
    }
}

impl Valid<CommunityArguments> {
    /// The word for the longest run of a vertex.
    ///
    /// # Safety
    ///
    /// The vertex exists.
    #[inline(always)]
    unsafe fn best(&self, vertex: u32) -> &AtomicU64 {
        // SAFETY: there is a word for each vertex, which kernels access by atomic operations only.
        unsafe { &*self.best.add(vertex as usize).cast::<AtomicU64>() }
    }

    /// The length of the run that ends with the key at `last`.
    ///
    /// # Safety
    ///
    /// `last` is below the number of pairs.
    #[inline(always)]
    unsafe fn run_length(&self, last: u32) -> u32 {
        // SAFETY: at most `last`.
        let key = |index: u32| unsafe { *self.keys.add(index as usize) };
        let own = key(last);
        let (mut first, mut step) = (last, 1);
        // Steps back that double; less than 2^30, as there are no more pairs.
        while first >= step && key(first - step) == own {
            first -= step;
            step *= 2;
        }
        // The run begins less than a step before.
        while step > 1 {
            step /= 2;
            if first >= step && key(first - step) == own {
                first -= step;
            }
        }
        last - first + 1
    }
}

/// Labels each vertex with its number.
pub struct CommunityStart;

impl PlainKernel for CommunityStart {
    type Arguments = CommunityArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, labels: CommunityArguments) {
        // SAFETY: the kernel's contract.
        let labels = unsafe { Valid::new(labels) };
        let mut vertex = warp.thread();
        while vertex < labels.vertices {
            // SAFETY: below the number of vertices, and this thread's alone.
            unsafe {
                labels.labels.add(vertex as usize).write(vertex);
                // Relaxed: later launches read it.
                labels.best(vertex).store(0, Relaxed);
            }
            vertex += warp.threads();
        }
    }
}

/// Finds the longest run of each vertex: a thread at the end of a run measures it.
pub struct CommunityVote;

impl PlainKernel for CommunityVote {
    type Arguments = CommunityArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, labels: CommunityArguments) {
        // SAFETY: the kernel's contract.
        let labels = unsafe { Valid::new(labels) };
        let form = Form {
            vertices: labels.vertices,
            count: labels.count,
            flags: 0,
        };
        let mut index = warp.thread();
        while index < labels.count {
            // SAFETY: below the number of pairs, whose vertices exist.
            unsafe {
                let key = *labels.keys.add(index as usize);
                let is_last =
                    index + 1 == labels.count || *labels.keys.add(index as usize + 1) != key;
                if is_last {
                    let length = u64::from(labels.run_length(index));
                    let run = length << 32 | u64::from(!form.target(key));
                    let best = labels.best(form.source(key));
                    // Relaxed, here and below: a maximum that a later launch reads. Mostly there is
                    // a longer run already, which a load tells at less cost.
                    if best.load(Relaxed) < run {
                        best.fetch_max(run, Relaxed);
                    }
                }
            }
            index += warp.threads();
        }
    }
}

/// Gives each vertex the label of its longest run.
pub struct CommunityAdopt;

impl PlainKernel for CommunityAdopt {
    type Arguments = CommunityArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, labels: CommunityArguments) {
        // SAFETY: the kernel's contract.
        let labels = unsafe { Valid::new(labels) };
        let mut vertex = warp.thread();
        while vertex < labels.vertices {
            // SAFETY: below the number of vertices, and this thread's alone.
            unsafe {
                let best = labels.best(vertex);
                // Relaxed: written by launches before, and for later ones.
                let run = best.load(Relaxed);
                if run != 0 {
                    labels.labels.add(vertex as usize).write(!(run as u32));
                    best.store(0, Relaxed);
                }
            }
            vertex += warp.threads();
        }
    }
}
