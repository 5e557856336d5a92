//! The ways in which the host obtains memory of a backend: its own call, and the caching
//! pool. They are what `bench host-pool` compares.

use std::num::NonZeroU64;

use super::{BackendError, Choice, Options};
use crate::cuda::{DeviceMemory, DeviceStream, Gpu};
use crate::pool::{Block, HostProvider, HostStream, Limits, Pool, Provider, Stats};

/// A way to obtain memory and to give it back, from any thread.
pub trait MemorySource: Sync {
    /// Memory in use.
    type Block: Send;

    /// Its name in results.
    fn name(&self) -> &'static str;

    /// Obtains so many bytes.
    ///
    /// # Errors
    ///
    /// When there are not so many, and faults of the device.
    fn allocate(&self, bytes: u64) -> Result<Self::Block, BackendError>;

    /// Gives memory back that no work uses, or in a stream's order.
    fn deallocate(&self, block: Self::Block);

    /// The statistics of a pool, where the source is one.
    fn stats(&self) -> Option<Stats> {
        None
    }

    /// Gives the device back what earlier requests have left in a cache, where there is one.
    fn empty_cache(&self) {}
}

/// A visitor of the sources of a backend.
pub trait SourceVisitor {
    /// Visits this source.
    fn visit(&mut self, source: &impl MemorySource);
}

/// Visits the sources of the backend of these options, once decided.
///
/// # Errors
///
/// When the GPU cannot be opened.
pub fn visit_sources(
    options: &Options,
    visitor: &mut impl SourceVisitor,
) -> Result<(), BackendError> {
    match options.choice {
        Choice::Cpu => {
            visitor.visit(&Malloc);
            visitor.visit(&Pooled(pool(HostProvider)));
            visitor.visit(&PooledAsync(pool(HostProvider), HostStream));
        }
        Choice::Auto | Choice::Cuda => {
            let gpu = Gpu::open(options.device)?;
            let memory = gpu.memory();
            let stream: DeviceStream = memory.stream();
            visitor.visit(&CuMemAlloc(memory.clone()));
            visitor.visit(&CuMemAllocAsync(memory.clone()));
            visitor.visit(&Pooled(pool(memory.clone())));
            visitor.visit(&PooledAsync(pool(memory), stream));
        }
    }
    Ok(())
}

fn pool<P: Provider>(provider: P) -> Pool<P> {
    Pool::new(provider, Limits::default())
}

/// The pool without streams.
struct Pooled<P: Provider>(Pool<P>);

/// The pool in the order of a stream.
struct PooledAsync<P: Provider>(Pool<P>, P::Stream);

/// The C library's allocator.
struct Malloc;

/// Memory of the C library.
struct Malloced(*mut u8, std::alloc::Layout);

/// The driver's plain allocator.
struct CuMemAlloc(DeviceMemory);

/// The driver's stream-ordered allocator.
struct CuMemAllocAsync(DeviceMemory);

impl<P: Provider> MemorySource for Pooled<P>
where
    BackendError: From<P::Error>,
    Block<P>: Send,
{
    type Block = Block<P>;

    fn name(&self) -> &'static str {
        "pool"
    }

    fn allocate(&self, bytes: u64) -> Result<Block<P>, BackendError> {
        Ok(self.0.allocate(bytes)?)
    }

    fn deallocate(&self, block: Block<P>) {
        self.0.deallocate(block);
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.0.stats())
    }

    fn empty_cache(&self) {
        self.0.empty_cache();
    }
}

impl<P: Provider> MemorySource for PooledAsync<P>
where
    BackendError: From<P::Error>,
    Block<P>: Send,
    P::Stream: Sync,
{
    type Block = Block<P>;

    fn name(&self) -> &'static str {
        "pool-async"
    }

    fn allocate(&self, bytes: u64) -> Result<Block<P>, BackendError> {
        Ok(self.0.allocate_async(bytes, &self.1)?)
    }

    fn deallocate(&self, block: Block<P>) {
        self.0.deallocate_async(block, &self.1);
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.0.stats())
    }

    fn empty_cache(&self) {
        self.0.empty_cache();
    }
}

// SAFETY: memory may be freed by another thread than the one that has allocated it.
unsafe impl Send for Malloced {}

impl MemorySource for Malloc {
    type Block = Malloced;

    fn name(&self) -> &'static str {
        "malloc"
    }

    fn allocate(&self, bytes: u64) -> Result<Malloced, BackendError> {
        let error = BackendError::OutOfMemory { bytes };
        let size = usize::try_from(bytes.max(1)).map_err(|_| error.clone())?;
        // Up to this alignment it is `malloc` itself that is called.
        let layout = std::alloc::Layout::from_size_align(size, 16).map_err(|_| error.clone())?;
        // SAFETY: the layout has bytes.
        let memory = unsafe { std::alloc::alloc(layout) };
        // The compiler knows pairs of `alloc` and `dealloc` and takes them away.
        let memory = std::hint::black_box(memory);
        if memory.is_null() {
            return Err(error);
        }
        Ok(Malloced(memory, layout))
    }

    fn deallocate(&self, Malloced(memory, layout): Malloced) {
        // SAFETY: it was allocated with this layout, and is freed once.
        unsafe { std::alloc::dealloc(memory, layout) };
    }
}

impl MemorySource for CuMemAlloc {
    type Block = (NonZeroU64, u64);

    fn name(&self) -> &'static str {
        "cuMemAlloc"
    }

    fn allocate(&self, bytes: u64) -> Result<Self::Block, BackendError> {
        Ok((self.0.obtain(bytes)?, bytes))
    }

    fn deallocate(&self, (address, bytes): Self::Block) {
        // SAFETY: it was obtained with this size, is given back once, and nothing was
        // launched on it.
        unsafe { self.0.release(address, bytes) };
    }
}

impl MemorySource for CuMemAllocAsync {
    type Block = NonZeroU64;

    fn name(&self) -> &'static str {
        "cuMemAllocAsync"
    }

    fn allocate(&self, bytes: u64) -> Result<NonZeroU64, BackendError> {
        Ok(self.0.obtain_async(bytes)?)
    }

    fn deallocate(&self, address: NonZeroU64) {
        // SAFETY: it was obtained this way, is given back once, and nothing was launched on
        // it.
        unsafe { self.0.release_async(address) };
    }

    fn empty_cache(&self) {
        self.0.empty_driver_cache();
    }
}
