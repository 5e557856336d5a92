//! The state of a heap at rest.

use heapwood_device::allocator::Heap;
use heapwood_device::heap::{Report, ReportArguments, STATE_WORDS, State};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Call;

use super::{Backend, BackendError, Grid, Launch};

/// Walks a heap at rest, which was initialised.
///
/// # Errors
///
/// Faults of the backend.
pub fn walk(
    backend: &dyn Backend,
    parts: (&'static HostAllocator, Heap),
) -> Result<State, BackendError> {
    let bytes = (STATE_WORDS * size_of::<u64>()) as u64;
    let memory = backend.allocate_zeroed(bytes)?;
    let words = memory.address().cast();
    let launch = Launch {
        call: Call::of::<Report>(ReportArguments { words }),
        heap: Some(parts),
        grid: Grid::Persistent,
    };
    // SAFETY: the memory has that many words, all 0, and the heap is at rest.
    unsafe { backend.launch(&launch)? };
    Ok(State::from_words(&memory.download_array(0)?))
}
