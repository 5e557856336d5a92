//! What a graph takes of its pool, and the most that it took.

use std::cell::Cell;

use super::store::Store;
use crate::backend::BackendError;

/// Bytes that a graph takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Of its entries, 4 each.
    pub payload_bytes: u64,
    /// Of the blocks, as granted, as far as the store may use them.
    pub allocated_bytes: u64,
    /// The most of the latter at a time: batches allocate before they free. Exact
    /// if it is asked for after each batch; else what batches have freed in between
    /// is counted too.
    pub high_water_bytes: u64,
}

/// Keeps the most bytes that were allocated at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Peak {
    /// Allocated when last looked at.
    settled: Cell<u64>,
    /// Granted since then.
    fresh: Cell<u64>,
    most: Cell<u64>,
}

impl Peak {
    /// Blocks were granted; others may have been freed afterwards.
    pub fn add(&self, bytes: u64) {
        self.fresh.set(self.fresh.get() + bytes);
        let now = self.settled.get() + self.fresh.get();
        self.most.set(self.most.get().max(now));
    }

    /// So much is allocated now; returns the most so far.
    pub fn settle(&self, bytes: u64) -> u64 {
        self.settled.set(bytes);
        self.fresh.set(0);
        self.most.set(self.most.get().max(bytes));
        self.most.get()
    }
}

impl Store<'_> {
    /// Bytes that the graph takes now, and the most so far.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn memory_use(&self) -> Result<MemoryUse, BackendError> {
        let mut sum = MemoryUse::default();
        for store in 0..self.shape().stores() {
            let measured = self.device.measure(store)?;
            sum.payload_bytes += measured.payload_bytes;
            sum.allocated_bytes += measured.granted_bytes;
        }
        sum.high_water_bytes = self.peak.settle(sum.allocated_bytes);
        Ok(sum)
    }

    /// Entries in one direction: edges of a directed graph, and nearly twice those
    /// of an undirected one.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn entries(&self) -> Result<u64, BackendError> {
        Ok(self.device.measure(0)?.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_before_the_old_blocks_are_freed() {
        let peak = Peak::default();
        assert_eq!(peak.settle(100), 100);
        peak.add(50);
        // The batch freed 40.
        assert_eq!(peak.settle(110), 150);
        peak.add(20);
        assert_eq!(peak.settle(90), 150);
    }
}
