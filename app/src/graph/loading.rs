//! Finding a pool that a graph fits into.
//!
//! With `--pool auto` the first pool is an estimate, and one that is refused is
//! followed by one of twice the size. Neither is larger than what the allocator
//! can use and the device has free: a graph that fits is not refused because the
//! next power of two does not.

use heapwood_device::graph::store::plan::{Layout, Shape};

use super::StoreError;
use super::device_store::{DeviceStore, Rows};
use super::options::Options;
use crate::backend::Backend;
use crate::heap::{AllocatorName, HeapError};
use crate::max_pool::MaxPool;
use crate::size::Pool;

/// Least first pool of `--pool auto`, in bytes, where there is that much.
const MIN_POOL: u64 = 64 << 20;

/// A pool that most graphs fit into and some batches more.
pub(super) fn first_pool(shape: &Shape, entries: u64) -> u64 {
    // Vertices without neighbours have no blocks.
    let blocks = u64::from(shape.limit).min(entries);
    let store = match shape.layout {
        // Blocks are rounded up, and each has a header.
        Layout::Contiguous => 8 * entries + 64 * blocks,
        // 14 or 15 neighbours and a link fill a page; most vertices have a part of
        // one.
        Layout::Linked => 12 * entries + 128 * blocks,
    };
    // Weights take as much as neighbours.
    let store = store << u32::from(shape.weighting.is_some());
    (4 * store * shape.stores() as u64).max(MIN_POOL)
}

/// A device store with the graph in it, and the time of the loading that succeeded. Its pool
/// has `wanted` bytes or, if it may be chosen, as many as are needed and can be had,
/// but not less than `least`.
pub(super) fn load_into_pool<'b>(
    backend: &'b dyn Backend,
    options: &Options,
    wanted: u64,
    least: u64,
    shape: Shape,
    stores: &[Rows],
) -> Result<(DeviceStore<'b>, f64), StoreError> {
    let attempt = |pool_bytes| {
        let device = DeviceStore::new(backend, &options.spec, pool_bytes, shape)?;
        let ms = device.load(stores)?;
        Ok((device, ms))
    };
    if options.pool != Pool::Auto {
        return attempt(wanted);
    }
    let most = || MaxPool::beside(backend, &options.spec, shape.bytes() as u64);
    let full = |most: MaxPool| StoreError::Full {
        allocator: AllocatorName::of(&options.spec),
        most,
    };
    let mut bound = most()?;
    let mut pool_bytes = bound.first(wanted);
    if pool_bytes < least {
        return Err(full(bound));
    }
    loop {
        let needed = match attempt(pool_bytes) {
            Err(StoreError::Heap(HeapError::TooSmall { needed, .. })) => needed,
            Err(error) if error.is_refusal() => 0,
            done => return done,
        };
        bound = most()?;
        let larger = pool_bytes.saturating_mul(2).max(needed).min(bound.bytes);
        if larger <= pool_bytes {
            return Err(full(bound));
        }
        pool_bytes = larger;
    }
}

#[cfg(test)]
mod tests {
    use heapwood_device::graph::store::plan::Weighting;

    use super::*;

    #[test]
    fn vertices_without_edges_need_no_pool() {
        let mut shape = Shape {
            vertices: 1 << 30,
            limit: 1 << 30,
            directed: true,
            handle_bytes: 4,
            weighting: Weighting::None,
            provides: false,
            layout: Layout::Contiguous,
        };
        assert_eq!(first_pool(&shape, 1), MIN_POOL);
        assert_eq!(first_pool(&shape, 1 << 30), 8 * (72 << 30));
        shape.layout = Layout::Linked;
        assert_eq!(first_pool(&shape, 1), MIN_POOL);
        assert_eq!(first_pool(&shape, 1 << 30), 8 * (140 << 30));
    }
}
