//! The layer below a pool: raw memory, and the streams and events that say when work on it is done.
//!
//! A provider is slow, as a driver is, and the pool calls it as rarely as it can and never
//! under one of its locks. Streams and events are behind traits for the same reason as
//! memory is: a test decides when work is done, and so reaches every state of a block on
//! purpose.

use std::fmt::Debug;
use std::num::NonZeroU64;

/// Alignment of memory, in bytes: what `cuMemAlloc` promises.
pub const ALIGNMENT: u64 = 256;

/// Raw memory of a device, or of the host.
pub trait Provider: Debug + Send + Sync {
    /// Why there is no memory.
    type Error: Debug;
    /// The queue of work that uses memory.
    type Stream: Stream;

    /// Obtains `bytes` bytes that no other caller has, aligned to [`ALIGNMENT`]; their content is
    /// undefined.
    ///
    /// # Errors
    ///
    /// When there is not that much ([`Provider::is_exhausted`]), and faults of the device.
    fn obtain(&self, bytes: u64) -> Result<NonZeroU64, Self::Error>;

    /// Gives memory back. A device that has failed may keep it.
    ///
    /// # Safety
    ///
    /// The memory was obtained from this provider with this size, is given back once, and
    /// no work uses it any more.
    unsafe fn release(&self, address: NonZeroU64, bytes: u64);

    /// Whether an error says that memory did not suffice, so that giving some back may help.
    fn is_exhausted(error: &Self::Error) -> bool;
}

/// A queue of work that is done in order.
pub trait Stream: Debug {
    /// A position in the queue.
    type Event: Event;

    /// Its number, which no other stream of the provider has had or will have. A handle of
    /// the driver is none: it comes again after the stream was destroyed, whose work may
    /// still go on.
    fn id(&self) -> u64;

    /// The position behind everything queued so far; nothing if the device has failed.
    fn record(&self) -> Option<Self::Event>;
}

/// A position in a stream.
pub trait Event: Debug + Send {
    /// Whether the work before it is done. Once done it stays so. Never if the device has
    /// failed.
    fn is_complete(&self) -> bool;

    /// Waits for the work before it. Returns whether it is done: not so if the device has
    /// failed, or goes on for longer than the provider waits.
    fn wait(&self) -> bool;
}
