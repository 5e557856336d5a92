//! Between joining with the first neighbours and with the others: every vertex is hung
//! below its root, and the tree is chosen whose vertices are skipped.

use core::sync::atomic::Ordering::Relaxed;

use super::{ComponentArguments, Components, NO_LABEL, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Vertices that are sampled. One sample of five hundred has less than two vertices of a tree
/// of an eighth of all vertices, and does not tell it from a tree of one vertex.
const SAMPLES: u32 = 64;

/// Spreads the samples over the vertices: 2^32 divided by the golden ratio (Knuth).
const GOLDEN: u32 = 0x9e37_79b1;

/// Labels each vertex with its root, and samples a large tree.
pub struct ComponentCompress;

impl ComponentCompress {
    /// The root that most of the sampled vertices have, of several the highest. All lanes
    /// call this.
    ///
    /// # Safety
    ///
    /// `count` vertices are labelled, at least one, and no trees are joined in this launch.
    #[inline(always)]
    unsafe fn sample<W: Warp>(warp: W, graph: &Components, count: u32) -> u32 {
        let roots = warp.scratch().cast::<u32>();
        let mut sample = warp.lane();
        while sample < SAMPLES {
            let spread = u64::from(sample.wrapping_mul(GOLDEN));
            let index = ((spread * u64::from(count)) >> 32) as u32;
            // SAFETY: below the number of vertices; scratch memory has room for the samples.
            unsafe {
                let root = graph.forest().root(graph.vertex(index));
                roots.add(sample as usize).write(root.number());
            }
            sample += W::LANES;
        }
        warp.sync(W::FULL);
        // The complement of how many have a root, and of the root.
        let mut least = u64::MAX;
        let mut sample = warp.lane();
        while sample < SAMPLES {
            // SAFETY: written by this warp, before the lanes met.
            let root = unsafe { *roots.add(sample as usize) };
            let (mut same, mut other) = (0, 0);
            while other < SAMPLES {
                // SAFETY: as above.
                same += u64::from(unsafe { *roots.add(other as usize) } == root);
                other += 1;
            }
            let key = !(same << 32 | u64::from(root));
            least = if key < least { key } else { least };
            sample += W::LANES;
        }
        !warp.all_min64(least) as u32
    }
}

impl PlainKernel for ComponentCompress {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        // SAFETY: the kernel's contract.
        let graph = unsafe { Components::new(graph) };
        let count = graph.count();
        if warp.warp() == 0 {
            let mut skipped = NO_LABEL;
            if graph.skips && count > 0 {
                // SAFETY: no thread joins in this launch.
                skipped = unsafe { Self::sample(warp, &graph, count) };
            }
            if warp.lane() == 0 {
                // Relaxed: read by later launches.
                let word = graph.header::<{ word::SKIPPED }>();
                word.store(u64::from(skipped), Relaxed);
            }
        }
        let mut index = warp.thread();
        while index < count {
            let forest = graph.forest();
            // SAFETY: below the count; it has a label, which `ComponentStart` has made.
            let (vertex, root) = unsafe {
                let vertex = graph.vertex(index);
                (vertex, forest.root(vertex))
            };
            // Relaxed: others may pass here, and go on to the root.
            forest.label(vertex).store(root.number(), Relaxed);
            index += warp.threads();
        }
    }
}
