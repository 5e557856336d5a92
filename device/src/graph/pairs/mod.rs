//! A pair for each neighbour of each vertex, sorted: by the sort of a batch.
//!
//! A pair is a vertex and one of its neighbours, in either direction of a directed graph, or the
//! label of that neighbour. Sorted, the pairs of a vertex lie together, and equal ones beside each
//! other. That holds whatever the degrees: a hub is as many pairs as another has vertices.
//!
//! The pairs of a large graph are sorted in [parts](plan::PairPart) of its vertices, which bounds the
//! memory.
//!
//! Traffic of a pair: 4 bytes of its target, 4 of a label, which mostly hit the L2 cache, 8 for the
//! pair, and those of the [sort](super::store::sort).

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

use crate::arguments;
use crate::graph::store::scan::owner;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// The pairs of some vertices in one direction.
    pub struct PairArguments {
        pointers {
            /// `vertices` and one words: where the targets of each begin.
            offsets: u32,
            /// The targets.
            targets: u32,
            /// A word for each vertex, below the number of vertices: its label. Null where pairs
            /// have the neighbours themselves.
            labels: u32,
            /// A word for each target of the vertices: the vertex and the other half, 32 bits each.
            pairs: u64,
        }
        integers {
            /// The first of the vertices.
            first: u32,
            /// The vertex behind the last.
            end: u32,
            /// Targets that a warp takes at a time.
            tile: u32,
        }
    }
}

/// Writes the pairs. Tiles have as many targets each, whatever the degrees.
pub struct Pairs;

impl PlainKernel for Pairs {
    type Arguments = PairArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, rows: PairArguments) {
        // SAFETY: the kernel's contract; offsets ascend, so that targets between those of `first`
        // and of `end` have owners among these vertices, and targets are vertices.
        unsafe {
            let begin = *rows.offsets.add(rows.first as usize);
            let count = *rows.offsets.add(rows.end as usize) - begin;
            let mut tile = u64::from(warp.warp()) * u64::from(rows.tile);
            while tile < u64::from(count) {
                let mut index = tile as u32;
                let left = count - index;
                let end = index + if left < rows.tile { left } else { rows.tile };
                let from = owner(rows.offsets, rows.first, rows.end, begin + index);
                let to = owner(rows.offsets, from, rows.end, begin + end - 1) + 1;
                index += warp.lane();
                while index < end {
                    let vertex = owner(rows.offsets, from, to, begin + index);
                    let target = *rows.targets.add((begin + index) as usize);
                    let other = if rows.labels.is_null() {
                        target
                    } else {
                        *rows.labels.add(target as usize)
                    };
                    let pair = u64::from(other) << 32 | u64::from(vertex);
                    rows.pairs.add(index as usize).write(pair);
                    index += W::LANES;
                }
                tile += u64::from(warp.warps()) * u64::from(rows.tile);
            }
        }
    }
}
