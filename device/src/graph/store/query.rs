//! Whether edges are there. One lane a question; a binary search each.

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// Questions about edges.
    pub struct QueryArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// `count` edges: a source and a target of 32 bits each.
            edges: u64,
            /// A word for each question: 1 if the edge is there, else 0.
            answers: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Questions.
            count: u32,
        }
    }
}

/// Answers all questions by `has`, which tells whether a vertex has a target
/// among its neighbours.
///
/// # Safety
///
/// The arguments' contract holds.
#[inline(always)]
pub unsafe fn answer_all<W: Warp>(
    warp: W,
    query: &QueryArguments,
    has: impl Fn(&Vertex, u32) -> bool,
) {
    let mut index = warp.thread();
    while index < query.count {
        // SAFETY: below the number of questions and of vertices.
        unsafe {
            let edge = *query.edges.add(index as usize);
            let (source, target) = (edge as u32, (edge >> 32) as u32);
            let found =
                source < query.vertices && has(&*query.records.add(source as usize), target);
            query.answers.add(index as usize).write(u32::from(found));
        }
        index += warp.threads();
    }
}

/// Answers the questions.
pub struct Query;

impl PlainKernel for Query {
    type Arguments = QueryArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, query: QueryArguments) {
        // SAFETY: the kernel's contract; a record of the store has a block with its
        // neighbours, and nothing changes in this launch.
        unsafe { answer_all(warp, &query, |record, target| record.search(target).1) };
    }
}
