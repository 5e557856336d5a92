//! A suite: one benchmark over every allocator, in every state of its heap, in every pool, at every
//! size.

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
    /// The draws of `probability`; the default if there are none.
    pub draws: Option<Draws>,
    /// Turns of a thread in `turns`; the default if nothing is said.
    pub turns: Option<u32>,
    /// The pools of each allocator, in bytes, one in each case.
    pub pools: Vec<u64>,
    /// How often a case is measured.
    pub plan: Plan,
    /// Where, once decided.
    pub backend: backend::Options,
}

/// The requests to an allocator at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Threads that work; in some benchmarks the first of each warp works.
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

/// The powers of two from `from` to `to`, with both ends, and `between` sizes at equal
/// distances between a power of two and the next, rounded down.
pub fn size_range(from: u64, to: u64, between: u32) -> Vec<u64> {
    let parts = u128::from(between) + 1;
    let octave = |power: u32| {
        let base = 1_u128 << power;
        (0..parts).map(move |part| base + base * part / parts)
    };
    let inside = (0..u64::BITS).flat_map(octave);
    let inside = inside.filter_map(|bytes| u64::try_from(bytes).ok());
    let mut sizes: Vec<u64> = inside.chain([from, to]).collect();
    sizes.retain(|&bytes| (from..=to).contains(&bytes));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

impl Suite {
    /// Its cases, in the order of tables.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for spec in &self.allocators {
            for &heap in &self.heaps {
                for &pool_bytes in &self.pools {
                    let sizes = self.sizes.iter();
                    cases.extend(sizes.map(|&size| self.case(spec, heap, pool_bytes, size)));
                }
            }
        }
        cases
    }

    fn case(&self, spec: &Spec, heap: HeapState, pool_bytes: u64, size: Size) -> Case {
        Case {
            workload: self.workload,
            allocator: spec.clone(),
            heap,
            pool_bytes,
            threads: size.threads,
            bytes: size.bytes,
            kept: size.kept,
            draws: self.draws,
            turns: self.turns,
            plan: self.plan,
            backend: self.backend.over(spec),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_powers_of_two_and_some_between() {
        assert_eq!(size_range(16, 64, 0), [16, 32, 64]);
        assert_eq!(size_range(16, 64, 1), [16, 24, 32, 48, 64]);
        assert_eq!(size_range(16, 32, 3), [16, 20, 24, 28, 32]);
        assert_eq!(size_range(20, 100, 0), [20, 32, 64, 100]);
        assert_eq!(size_range(1, 8, 3), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(size_range(100, 100, 1), [100]);
        assert!(size_range(64, 16, 1).is_empty());
        assert_eq!(size_range(1, u64::MAX, 0).len(), 65);
    }

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
