//! The weights of the edges of a batch.
//!
//! Keys are sorted without weights. Behind the sort, [`FindWeights`] looks each edge up among the
//! sorted keys and leaves its weight there: of several edges with one key the last of the batch, or
//! the least weight. `Classify` compares these weights with those of the graph. When the batch has
//! been committed, [`SetWeights`] and [`LinkedSetWeights`] write them into the rows: of edges that
//! are new there and of those that were there. A neighbour moves with its weight, and the
//! place for that of a new neighbour has no meaning until then.
//!
//! A search among 2^24 sorted keys reads 24 words; the last few miss the cache. A key
//! writes 8 bytes.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::keys::{Form, MIN_WEIGHT, MIRRORED};
use crate::graph::store::linked::row::{Place, search, weight};
use crate::graph::store::update::{Update, UpdateArguments};
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::{Kernel, PlainKernel};
use crate::simt::Warp;

arguments! {
    /// The weights of a batch whose keys are sorted.
    pub struct WeightArguments {
        pointers {
            /// `count` edges: a source and a target of 32 bits each.
            edges: u64,
            /// Their weights.
            weights: u32,
            /// The sorted keys.
            keys: u64,
            /// A word for each key.
            key_weights: u64,
        }
        integers {
            /// Edges.
            count: u32,
            /// Vertices.
            vertices: u32,
            /// Flags of `keys`.
            flags: u32,
        }
    }
}

impl WeightArguments {
    /// How keys are made.
    #[inline(always)]
    fn form(&self) -> Form {
        Form {
            vertices: self.vertices,
            count: self.count,
            flags: self.flags,
        }
    }

    /// The number of the first key that is not below `key`.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and there is such a key.
    #[inline(always)]
    unsafe fn first(&self, key: u64) -> u32 {
        let (mut low, mut high) = (0, self.form().keys());
        while low < high {
            let middle = low + (high - low) / 2;
            // SAFETY: below the number of keys.
            if unsafe { *self.keys.add(middle as usize) } < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Clears the word of each key.
pub struct ClearWeights;

impl PlainKernel for ClearWeights {
    type Arguments = WeightArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: WeightArguments) {
        let keys = arguments.form().keys();
        let mut index = warp.thread();
        while index < keys {
            // SAFETY: a word of the arguments, this lane's.
            unsafe { arguments.key_weights.add(index as usize).write(0) };
            index += warp.threads();
        }
    }
}

/// Finds the weight of each key.
///
/// Edges of one key meet at a word that only grows. Its high half says which of them counts: the
/// number of the edge from 1 on, or what the weight lacks to the greatest one. Its low half is the
/// weight.
pub struct FindWeights;

impl PlainKernel for FindWeights {
    type Arguments = WeightArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: WeightArguments) {
        let form = arguments.form();
        let mirrored = u32::from(form.has(MIRRORED));
        let mut index = warp.thread();
        while index < form.keys() {
            // SAFETY: there is an edge for each key, or for each two of them; a key of the batch is
            // among the sorted ones, and has a word.
            unsafe {
                let key = form.key_at(arguments.edges, index);
                if form.source(key) < form.vertices {
                    let edge = index >> mirrored;
                    let weight = *arguments.weights.add(edge as usize);
                    let counts = if form.has(MIN_WEIGHT) {
                        !weight
                    } else {
                        edge + 1
                    };
                    let word = arguments.key_weights.add(arguments.first(key) as usize);
                    let value = u64::from(counts) << 32 | u64::from(weight);
                    // Relaxed: a maximum that later launches read.
                    (*word.cast::<AtomicU64>()).fetch_max(value, Relaxed);
                }
            }
            index += warp.threads();
        }
    }
}

impl Update {
    /// The weight of key `index`, the first of those that are equal.
    ///
    /// # Safety
    ///
    /// The graph has weights, `FindWeights` has run in an earlier launch, and the number is below
    /// that of the keys.
    #[inline(always)]
    pub unsafe fn weight(&self, index: u32) -> u32 {
        // SAFETY: there is a word for each key of a weighted graph.
        unsafe { *self.key_weights.add(index as usize) as u32 }
    }

    /// Writes the weight of each key whose edge is in the graph, by `place`, which tells where the
    /// weight of a target in the row of a record lies.
    ///
    /// # Safety
    ///
    /// The batch of insertions was committed or refused in earlier launches, and nothing else
    /// accesses the rows in this one.
    #[inline(always)]
    unsafe fn set_weights<W: Warp>(
        &self,
        warp: W,
        place: impl Fn(&Vertex, u32) -> Option<*mut u32>,
    ) {
        // Relaxed: written by an earlier launch.
        if self.refused().load(Relaxed) != 0 {
            return;
        }
        let form = self.form();
        let mut index = warp.thread();
        while index < self.count {
            // SAFETY: below the number of keys; a source below the number of vertices. Keys that
            // differ have different places, and of equal ones the first alone is written.
            unsafe {
                let key = self.key(index);
                let source = form.source(key);
                let is_first = index == 0 || self.key(index - 1) != key;
                if is_first && source < self.vertices {
                    let record = self.record(VertexId::new(source));
                    if let Some(weight) = place(&record, form.target(key)) {
                        *weight = self.weight(index);
                    }
                }
            }
            index += warp.threads();
        }
    }
}

/// Writes the weights of a batch into blocks.
pub struct SetWeights;

impl PlainKernel for SetWeights {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; the record of a vertex has a block with its neighbours and
        // their weights.
        unsafe {
            Update::new(update).set_weights(warp, |record, target| {
                let (position, found) = record.search(target);
                found.then(|| record.weights().wrapping_add(position as usize))
            });
        }
    }
}

/// Writes the weights of a batch into pages.
pub struct LinkedSetWeights;

impl Kernel for LinkedSetWeights {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: as for `SetWeights`, of pages.
        unsafe {
            Update::new(update).set_weights(warp, |record, target| {
                let (place, found): (Place, bool) = search(heap, record, target);
                found.then(|| weight(heap, record, place))
            });
        }
    }
}
