//! A suite: one benchmark over every allocator, in every state of its heap, at every size.

use super::{Case, Draws, HeapState, Microbenchmark, Plan};
use crate::allocators::Spec;
use crate::backend;

/// A benchmark over allocators.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The benchmark.
    pub workload: Microbenchmark,
    /// The allocators.
    pub allocators: Vec<Spec>,
    /// The states of their heaps.
    pub heaps: Vec<HeapState>,
    /// The sizes.
    pub sizes: Vec<Size>,
    /// What `probability` draws; the default if nothing is said.
    pub draws: Option<Draws>,
    /// The pool of an allocator, in bytes.
    pub pool_bytes: u64,
    /// How often a case is measured.
    pub plan: Plan,
    /// Where, once decided.
    pub backend: backend::Options,
}

/// What is asked of an allocator at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Threads that work, or of which each warp's first works.
    pub threads: u32,
    /// Bytes of a block; 0 for mixed sizes.
    pub bytes: u64,
    /// Blocks that a lane keeps (`alloc-cycle-dealloc`).
    pub kept: u32,
}

impl Size {
    /// Each number of threads with each size of blocks with each number of them.
    pub fn product(threads: &[u32], bytes: &[u64], kept: &[u32]) -> Vec<Self> {
        let mut sizes = Vec::new();
        for &threads in threads {
            for &bytes in bytes {
                sizes.extend(kept.iter().map(|&kept| Self {
                    threads,
                    bytes,
                    kept,
                }));
            }
        }
        sizes
    }
}

impl Suite {
    /// Its cases, each with its allocator, in the order of tables.
    pub fn cases(&self) -> Vec<(Spec, Case)> {
        let mut cases = Vec::new();
        for spec in &self.allocators {
            for &heap in &self.heaps {
                for &size in &self.sizes {
                    cases.push((spec.clone(), self.case(spec, heap, size)));
                }
            }
        }
        cases
    }

    fn case(&self, spec: &Spec, heap: HeapState, size: Size) -> Case {
        Case {
            workload: self.workload,
            allocator: spec.to_string(),
            heap,
            pool_bytes: self.pool_bytes,
            threads: size.threads,
            bytes: size.bytes,
            kept: size.kept,
            draws: self.draws,
            plan: self.plan,
            backend: self.backend.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_the_order_of_tables() {
        let sizes = Size::product(&[1, 2], &[16, 64], &[10]);
        let sizes = sizes
            .iter()
            .map(|size| (size.threads, size.bytes, size.kept));
        let expected = [(1, 16, 10), (1, 64, 10), (2, 16, 10), (2, 64, 10)];
        assert!(sizes.eq(expected));
    }
}
