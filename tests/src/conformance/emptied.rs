//! Tests that a heap whose blocks were all freed grants as much as a freshly initialised one.
//!
//! The tests measure this by [draining](Bench::drain) the heap, which needs only `malloc`: so they
//! cover allocators without `walk`, and those whose memory keeps its size. Sizes go down to the
//! smallest, so that the remainders of larger ones count too.

use std::iter;
use std::ops::Range;

use heapwood_device::allocator::Handle;

use super::bench::Bench;
use super::ledger::Block;
use super::machine::Machine;
use super::pool::AnyPool;

/// The smallest block.
const MIN_BYTES: u64 = 16;

/// The largest size, and all powers of two below it: among them each class of an allocator whose
/// memory keeps its class.
fn sizes(max: u64) -> impl Iterator<Item = u64> {
    let powers = (0..u64::BITS).rev().map(|bits| 1 << bits);
    iter::once(max).chain(powers.filter(move |&bytes| bytes >= MIN_BYTES && bytes < max))
}

/// Bytes granted to all blocks.
pub(super) fn granted(blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| block.granted).sum()
}

impl<M: Machine, H: Handle> Bench<'_, M, H> {
    /// Requests blocks from a heap until it has no memory left: of the size `first`, if there is
    /// one, and then of all sizes, the largest first.
    fn drain(&self, pool: &AnyPool<M::Warp, H>, first: Option<u64>) -> Vec<Block> {
        self.alone(|warp| {
            let request = |bytes| {
                let handle = pool.allocator().malloc(warp, bytes);
                let by = self.caller(warp, false);
                (!handle.is_null()).then(|| self.describe(pool, handle, bytes, by))
            };
            let sizes = first.into_iter().chain(sizes(self.max_block()));
            let blocks = sizes.flat_map(|bytes| iter::from_fn(move || request(bytes)));
            blocks.collect()
        })
    }

    /// Frees what [`Bench::drain`] was granted.
    fn refill(&self, pool: &AnyPool<M::Warp, H>, blocks: &[Block]) {
        self.alone(|warp| {
            for block in blocks {
                // SAFETY: the block lives, and is freed once.
                unsafe { pool.allocator().free(warp, H::from_bits(block.bits)) };
            }
        });
    }

    /// Bytes that these blocks take from the heap.
    fn taken(&self, blocks: &[Block]) -> u64 {
        granted(blocks) + blocks.len() as u64 * self.overhead()
    }

    /// Bytes that a heap grants which was just made empty, another one than that of the bench;
    /// the first of them in blocks of one size, if there is one.
    fn fresh(&self, first: Option<u64>) -> u64 {
        let pool = (self.make_pool)(self.case.pool_bytes, M::PROCESSORS, self.case.parameters);
        let pool = pool.expect("there was one before");
        self.init(&pool);
        let blocks = self.drain(&pool, first);
        self.refill(&pool, &blocks);
        self.taken(&blocks)
    }

    /// Checks that the heap is as good as new after everything was freed.
    ///
    /// # Panics
    ///
    /// If it is not: the message names a block that was freed and serves no request any more.
    pub fn check_all_free(&self) {
        self.check_at_rest();
        assert!(self.ledger.live().is_empty(), "the test kept blocks");
        if self.properties.reuses_across_sizes {
            let most = self.max_block();
            let block = self.alone(|warp| self.obtain(warp, most, false));
            let Some(block) = block else {
                self.blame(&format!("an emptied heap has no block of {most} bytes"));
            };
            self.check_at_rest();
            self.alone(|warp| self.retire(warp, block, false));
            self.check_at_rest();
        }
        let is_exact = self.properties.frees && !self.properties.may_overwrite;
        if is_exact && !self.traits.keeps_sizes {
            let fresh = *self.fresh.get_or_init(|| self.fresh(None));
            self.check_nothing_lost(fresh, "an emptied heap has less memory");
        }
    }

    /// Checks that fewer blocks of `bytes` fit only since they are placed or cut otherwise: that
    /// what they leave over can be had in other sizes.
    ///
    /// # Panics
    ///
    /// If it cannot, or memory keeps its size; the message begins with `what`.
    pub fn check_rest(&self, bytes: u64, what: &str) {
        match self.traits.keeps_sizes {
            true => self.blame(what),
            false => self.check_nothing_lost(self.fresh(Some(bytes)), what),
        }
    }

    /// Checks that the heap has as many bytes as one that was just made empty, `fresh`, in its
    /// live blocks and beside them.
    fn check_nothing_lost(&self, fresh: u64, what: &str) {
        let blocks = self.drain(&self.pool, None);
        for block in &blocks {
            self.record(block);
        }
        let again = self.taken(&self.ledger.live());
        if again < fresh {
            self.blame_beside(
                &format!("{what}: it grants {again} bytes, one just made empty {fresh}"),
                &[],
            );
        }
        for block in &blocks {
            self.ledger.strike(block, block.requested_by);
        }
        self.refill(&self.pool, &blocks);
        self.check_at_rest();
    }

    /// Fails, with the blocks that are to blame: those that were freed whose memory is not among
    /// what the heap still grants.
    pub(super) fn blame(&self, what: &str) -> ! {
        let blocks = self.drain(&self.pool, None);
        self.blame_beside(what, &blocks)
    }

    /// Fails as [`Bench::blame`] does, after all that the heap still granted is in the ledger or
    /// among `others`.
    pub(super) fn blame_beside(&self, what: &str, others: &[Block]) -> ! {
        let live = self.ledger.live();
        let mut served: Vec<_> = live.iter().chain(others).map(Block::memory).collect();
        served.sort_unstable_by_key(|memory| memory.start);
        panic!("{:?}: {what}; {}", self.case, self.lost(&served))
    }

    fn lost(&self, served: &[Range<usize>]) -> String {
        if self.properties.system_heap {
            return "which block was lost the addresses of a heap without a pool do not say"
                .to_owned();
        }
        let lost = self.ledger.freed_outside(served);
        match &lost[..] {
            [] => {
                // Other blocks than those of the ledger: of a kernel.
                let gaps = served.windows(2).map(|pair| pair[0].end..pair[1].start);
                match gaps.into_iter().find(|gap| !gap.is_empty()) {
                    Some(gap) => format!(
                        "the first memory that nobody was granted has {} bytes at {:#x}",
                        gap.len(),
                        gap.start
                    ),
                    None => "no memory between blocks is missing".to_owned(),
                }
            }
            [block] => format!("lost at its free, and granted to nobody since: {block}"),
            [first, ..] => format!(
                "lost at their frees, and granted to nobody since: {} blocks, the first of them \
                 {first}",
                lost.len()
            ),
        }
    }
}
