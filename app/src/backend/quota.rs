//! Limits on the CPU backend below those of the machine. Tests run out of memory, or fail in the
//! middle of an operation, without a large machine and at the same point every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::BackendError;

/// Bounds on the memory and the operations of a backend. Clones share them.
#[derive(Clone, Debug)]
pub struct Quota(Arc<Left>);

#[derive(Debug)]
struct Left {
    bytes: AtomicU64,
    operations: AtomicU64,
}

impl Quota {
    /// So many bytes of memory, and any number of operations.
    pub fn of_memory(bytes: u64) -> Self {
        Self(Arc::new(Left {
            bytes: AtomicU64::new(bytes),
            operations: AtomicU64::new(u64::MAX),
        }))
    }

    /// From now on so many operations succeed, requests for memory and launches,
    /// and all that follow fail.
    pub fn end_after(&self, operations: u64) {
        self.0.operations.store(operations, Relaxed);
    }

    /// Memory that is left, in bytes.
    pub fn free_bytes(&self) -> u64 {
        self.0.bytes.load(Relaxed)
    }

    /// Counts an operation that needs `bytes`.
    pub(super) fn operate(&self, bytes: u64) -> Result<(), BackendError> {
        let less = |left: u64| left.checked_sub(1);
        let left = self.0.operations.fetch_update(Relaxed, Relaxed, less);
        left.map_err(|_| BackendError::OutOfMemory { bytes })?;
        Ok(())
    }

    /// Takes memory, which is given back when the result is dropped.
    pub(super) fn charge(&self, bytes: u64) -> Result<Charge, BackendError> {
        self.operate(bytes)?;
        let less = |left: u64| left.checked_sub(bytes);
        let left = self.0.bytes.fetch_update(Relaxed, Relaxed, less);
        left.map_err(|_| BackendError::OutOfMemory { bytes })?;
        let quota = self.clone();
        Ok(Charge { quota, bytes })
    }
}

/// Memory that was taken from a quota.
pub(super) struct Charge {
    quota: Quota,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.quota.0.bytes.fetch_add(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_and_operations_do_not() {
        let quota = Quota::of_memory(100);
        let first = quota.charge(60).ok();
        assert!(first.is_some() && quota.free_bytes() == 40);
        assert!(quota.charge(41).is_err());
        drop(first);
        assert_eq!(quota.free_bytes(), 100);
        quota.end_after(2);
        assert!(quota.charge(1).is_ok() && quota.operate(0).is_ok());
        assert!(quota.charge(1).is_err() && quota.operate(0).is_err());
        assert_eq!(quota.free_bytes(), 100);
    }
}
