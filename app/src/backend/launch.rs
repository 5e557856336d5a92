//! The launch that a backend runs: a kernel with its arguments, over a heap, on a grid.

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{Call, Grid};

use super::BackendError;

/// Threads of a launch, at the most: a thread that goes on to the item as many
/// further as there are threads stays below 2^32 if there are no more items either.
pub const MAX_THREADS: u32 = 1 << 31;

/// A kernel to run.
#[derive(Clone, Copy)]
pub struct Launch {
    /// The kernel and its arguments.
    pub call: Call,
    /// The allocator that it works over; a kernel that needs none does without.
    pub heap: Option<(&'static HostAllocator, Heap)>,
    /// Its threads.
    pub grid: Grid,
}

impl Launch {
    /// The grid that it gets: where about so many threads are meant, no more than
    /// [`MAX_THREADS`].
    ///
    /// # Errors
    ///
    /// [`BackendError::TooManyThreads`] where exactly so many are meant.
    pub fn bounded_grid(&self) -> Result<Grid, BackendError> {
        let most = MAX_THREADS;
        match self.grid {
            Grid::Threads(count) | Grid::Rays(count) if count > most => {
                Err(BackendError::TooManyThreads {
                    threads: u64::from(count),
                })
            }
            Grid::Warps(count) if count > most / 32 => Err(BackendError::TooManyThreads {
                threads: u64::from(count) * 32,
            }),
            Grid::Strided(count) => Ok(Grid::Strided(count.min(most))),
            // Kernels stride over blocks; one has 1024 threads at the most.
            Grid::Blocks(count) => Ok(Grid::Blocks(count.min(most / 1024))),
            Grid::Ranges(count) => Ok(Grid::Ranges(count.min(most))),
            other => Ok(other),
        }
    }

    /// The allocator and its heap, if the kernel works over one.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoHeap`] if it does and the launch has none.
    pub fn over(&self) -> Result<Option<(&'static HostAllocator, Heap)>, BackendError> {
        let kernel = self.call.kernel();
        match self.heap {
            _ if !kernel.is_over_heap() => Ok(None),
            None => Err(BackendError::NoHeap(kernel.name())),
            some => Ok(some),
        }
    }
}

#[cfg(test)]
mod tests {
    use heapwood_device::heap::{Init, Nothing};

    use super::*;

    fn bounded(grid: Grid) -> Result<Grid, BackendError> {
        let call = Call::of::<Init>(Nothing);
        let heap = None;
        Launch { call, heap, grid }.bounded_grid()
    }

    #[test]
    fn exact_numbers_of_threads_are_refused_beyond_the_most_and_others_cut() {
        let most = MAX_THREADS;
        for grid in [
            Grid::Threads(most),
            Grid::Rays(most),
            Grid::Warps(most / 32),
        ] {
            assert_eq!(bounded(grid), Ok(grid));
        }
        let refused = |grid| bounded(grid).unwrap_err();
        let threads = u64::from(most) + 1;
        let error = BackendError::TooManyThreads { threads };
        assert_eq!(refused(Grid::Threads(most + 1)), error);
        let threads = u64::from(most) + 32;
        let error = BackendError::TooManyThreads { threads };
        assert_eq!(refused(Grid::Warps(most / 32 + 1)), error);
        assert_eq!(bounded(Grid::Strided(u32::MAX)), Ok(Grid::Strided(most)));
        assert_eq!(bounded(Grid::Ranges(u32::MAX)), Ok(Grid::Ranges(most)));
        assert_eq!(bounded(Grid::Ranges(5)), Ok(Grid::Ranges(5)));
    }
}
