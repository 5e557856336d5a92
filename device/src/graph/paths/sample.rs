//! A sample of the weights of a graph, from which the width of the steps is chosen.

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// A sample of weights.
    pub struct SampleArguments {
        pointers {
            /// `vertices` records with weights.
            records: Vertex,
            /// `count` words: the weight of an edge of a vertex and, in the high half, the number of
            /// its edges; 0 there if it has none.
            sample: u64,
        }
        integers {
            /// Vertices, at least one.
            vertices: u32,
            /// Vertices of the sample, which are as far from each other.
            count: u32,
        }
    }
}

/// Takes a sample.
pub struct WeightSample;

impl PlainKernel for WeightSample {
    type Arguments = SampleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sample: SampleArguments) {
        let mut index = warp.thread();
        while index < sample.count {
            // There is at least one; the compiler does not know it.
            let count = u64::from(sample.count.max(1));
            let vertex = u64::from(index) * u64::from(sample.vertices) / count;
            // SAFETY: below the number of vertices, and a position below the degree of one that has
            // edges, and so weights.
            unsafe {
                let record = *sample.records.add(vertex as usize);
                let mut weight = 0;
                if record.degree > 0 {
                    let position = index % record.degree;
                    weight = *record.weights().add(position as usize);
                }
                let word = u64::from(record.degree) << 32 | u64::from(weight);
                sample.sample.add(index as usize).write(word);
            }
            index += warp.threads();
        }
    }
}
