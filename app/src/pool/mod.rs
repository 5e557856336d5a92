//! A caching, stream-ordered pool of device memory on the host's side.
//!
//! `cuMemAlloc` and `cuMemFree` take from microseconds to a millisecond, and `cuMemFree`
//! waits for the GPU. A [`Pool`] keeps what is freed and serves the next request of that size
//! from it in tens of nanoseconds, as the caching allocator `cuda-mempool` does, which this
//! module follows.
//!
//! - A block is one allocation of the [`Provider`]: blocks are neither split nor joined. So
//!   all free memory can be given back at any time, and a request fails only if the memory of
//!   live blocks leaves no room for it; there is no external fragmentation within the pool.
//!   Where a pool splits (PyTorch's), one small live block keeps a large one from the driver.
//!   The price is a call of the driver for each block that is new.
//! - Sizes and the bound of what is unused in a block are those of [`size_class`].
//! - Memory freed on a stream ([`Pool::deallocate_async`]) is used again at once on the same
//!   stream, behind the work that still uses it, and elsewhere when an event says that this
//!   work is done. The types of the private module `memory` leave no other way.
//! - Free memory above a limit goes back to the provider, and so does all that is needed when
//!   the provider has no more ([`Pool::allocate`]).
//! - Each class has a lock of its own, so threads that ask for different sizes do not wait for
//!   each other, and no thread waits for the driver's work for another.
//!
//! ```
//! use std::sync::Arc;
//! use heapwood::pool::{HostProvider, HostStream, Limits, Pool, PoolBuffer};
//!
//! let pool = Arc::new(Pool::new(HostProvider, Limits::default()));
//! let first = pool.allocate(1_000_000)?;
//! let address = first.address();
//! pool.deallocate(first);
//! let values: PoolBuffer<f32, _> = PoolBuffer::new(&pool, 250_000)?;
//! assert_eq!(values.address(), address);
//!
//! let stream = HostStream;
//! let block = pool.allocate_async(4096, &stream)?;
//! pool.deallocate_async(block, &stream);
//! assert_eq!((pool.stats().hits, pool.stats().misses), (1, 2));
//! # Ok::<(), heapwood::pool::HostOutOfMemory>(())
//! ```

mod block;
mod buffer;
mod cache;
mod caching;
mod host;
mod memory;
mod provider;
mod shelf;
pub mod size_class;
mod stats;
#[cfg(test)]
mod tests;

pub use block::Block;
pub use buffer::PoolBuffer;
pub use caching::{Limits, Pool};
pub use host::{HostOutOfMemory, HostProvider, HostStream};
pub use provider::{ALIGNMENT, Event, Provider, Stream};
pub use stats::Stats;
