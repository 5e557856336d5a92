//! Memory of a pool that is given back when it is dropped.

use std::marker::PhantomData;
use std::sync::Arc;

use super::block::Block;
use super::caching::Pool;
use super::provider::{ALIGNMENT, Provider};

/// Room for values of one type, which goes back to its pool on drop.
///
/// Kernels work on it, by its address: it never lends its values.
#[derive(Debug)]
pub struct PoolBuffer<T, P: Provider> {
    pool: Arc<Pool<P>>,
    /// There until the buffer is dropped.
    block: Option<Block<P>>,
    /// The stream in whose order it is used and given back.
    stream: Option<P::Stream>,
    len: usize,
    values: PhantomData<T>,
}

impl<T, P: Provider> PoolBuffer<T, P> {
    const IS_ALIGNED: () = assert!(align_of::<T>() as u64 <= ALIGNMENT);

    /// Room for `len` values, for use on any stream. When it is dropped, no work may use it.
    ///
    /// # Errors
    ///
    /// Those of [`Pool::allocate`].
    pub fn new(pool: &Arc<Pool<P>>, len: usize) -> Result<Self, P::Error> {
        let block = pool.allocate(Self::size(len))?;
        Ok(Self::of(pool, block, None, len))
    }

    /// Room for `len` values, for use by work on `stream`, which may still go on when it is
    /// dropped.
    ///
    /// # Errors
    ///
    /// Those of [`Pool::allocate_async`].
    pub fn on_stream(pool: &Arc<Pool<P>>, len: usize, stream: P::Stream) -> Result<Self, P::Error> {
        let block = pool.allocate_async(Self::size(len), &stream)?;
        Ok(Self::of(pool, block, Some(stream), len))
    }

    /// Where it begins: what a kernel gets.
    pub fn address(&self) -> u64 {
        self.block.as_ref().map_or(0, Block::address)
    }

    /// How many values it has room for.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no room.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size of its block in the pool, in bytes.
    pub fn block_bytes(&self) -> u64 {
        self.block.as_ref().map_or(0, Block::bytes)
    }

    /// Gives it back as memory that no work uses any more, for use on any stream.
    pub fn retire(mut self) {
        if let Some(block) = self.block.take() {
            self.pool.deallocate(block);
        }
    }

    fn of(pool: &Arc<Pool<P>>, block: Block<P>, stream: Option<P::Stream>, len: usize) -> Self {
        let () = Self::IS_ALIGNED;
        Self {
            pool: Arc::clone(pool),
            block: Some(block),
            stream,
            len,
            values: PhantomData,
        }
    }

    /// Bytes of so many values; more than there are if that is beyond counting.
    fn size(len: usize) -> u64 {
        (len as u64).saturating_mul(size_of::<T>() as u64)
    }
}

impl<T, P: Provider> Drop for PoolBuffer<T, P> {
    fn drop(&mut self) {
        match (self.block.take(), &self.stream) {
            (Some(block), Some(stream)) => self.pool.deallocate_async(block, stream),
            (Some(block), None) => self.pool.deallocate(block),
            (None, _) => {}
        }
    }
}
