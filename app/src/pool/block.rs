//! A block in use.

use super::memory::Granted;
use super::provider::{Provider, Stream};

/// The event of a provider's streams.
pub(super) type EventOf<P> = <<P as Provider>::Stream as Stream>::Event;

/// Memory of a [`Pool`](super::Pool) that is in use, until it is given back to the same pool.
///
/// There is one `Block` for each block, so it cannot be given back twice. One that is dropped
/// instead stays in use.
///
/// ```compile_fail,E0382
/// use heapwood::pool::{HostProvider, Limits, Pool};
///
/// let pool = Pool::new(HostProvider, Limits::default());
/// let block = pool.allocate(64)?;
/// pool.deallocate(block);
/// pool.deallocate(block);
/// # Ok::<(), heapwood::pool::HostOutOfMemory>(())
/// ```
#[derive(Debug)]
#[must_use = "a block that is not given back to its pool stays in use"]
pub struct Block<P: Provider> {
    pub(super) memory: Granted<EventOf<P>>,
    pub(super) requested: u64,
    /// The number of its pool.
    pub(super) pool: u64,
}

impl<P: Provider> Block<P> {
    /// Where it begins: what a kernel gets.
    pub fn address(&self) -> u64 {
        self.memory.address().get()
    }

    /// The requested size, in bytes. All of it may be used, and no more.
    pub fn requested(&self) -> u64 {
        self.requested
    }

    /// The size of the block, in bytes: at least the requested size.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes()
    }
}
