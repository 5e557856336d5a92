//! The most bytes that were allocated at a time, from what batches grant.

use std::cell::Cell;

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
