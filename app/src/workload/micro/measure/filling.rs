//! Filling a heap up before refusals are timed, and giving back what fills it.

use super::{Bench, count_nulls};
use crate::backend::{BackendError, Memory};

/// Threads that fill a heap up.
const FILLERS: u32 = 1 << 14;
/// Most launches of the case's threads on a heap that is nearly full.
const FILLING_LAUNCHES: u32 = 64;

/// Handles of the blocks that fill a heap up, which are to be freed: none if the heap can be
/// made empty.
#[derive(Default)]
pub struct Filling {
    /// Of [`FILLERS`] each.
    many: Vec<Memory>,
    /// Of the case's threads each.
    few: Vec<Memory>,
}

impl Bench<'_> {
    /// Allocates blocks of the case's size: with many threads until most of them
    /// are refused, then with those of the case until all are. The last blocks
    /// lie far from each other and are found a few at a time, so that the number
    /// of launches is bounded.
    pub fn fill_up(&self, filling: &mut Filling) -> Result<(), BackendError> {
        let threads = self.case.threads;
        let handle_bytes = self.blocks.bytes() / u64::from(threads);
        let handles = |threads| {
            self.backend
                .allocate_zeroed(u64::from(threads) * handle_bytes)
        };
        let keeps = self.heap.keeps_blocks();
        let mut many = handles(FILLERS)?;
        loop {
            self.malloc(&many, FILLERS)?;
            let nulls = count_nulls(&many, FILLERS)?;
            if keeps {
                filling
                    .many
                    .push(std::mem::replace(&mut many, handles(FILLERS)?));
            }
            if nulls > u64::from(FILLERS) / 2 {
                break;
            }
        }
        let mut few = handles(threads)?;
        for _ in 0..FILLING_LAUNCHES {
            self.malloc(&few, threads)?;
            let nulls = count_nulls(&few, threads)?;
            if keeps {
                filling
                    .few
                    .push(std::mem::replace(&mut few, handles(threads)?));
            }
            if nulls == u64::from(threads) {
                break;
            }
        }
        Ok(())
    }

    /// Frees what fills the heap, if it is known.
    pub fn free_filling(&self, filling: &Filling) -> Result<(), BackendError> {
        for blocks in &filling.many {
            self.free(blocks, FILLERS)?;
        }
        for blocks in &filling.few {
            self.free(blocks, self.case.threads)?;
        }
        Ok(())
    }
}
