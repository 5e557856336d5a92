//! Steps that are launched ahead: the host learns only afterwards how many were needed.

use heapwood_device::launch::PlannedLaunch;

use crate::backend::BackendError;
use crate::graph::{Store, StoreError};

/// Steps that are launched together at first, and at the most. Graphs of low diameter end within the
/// first ones; a step that is not needed takes about 2 us on a GPU.
const STEPS: [u32; 2] = [16, 64];

/// The end of steps that were launched ahead.
pub(super) struct Ahead<T> {
    pub end: T,
    /// Steps that were launched.
    pub launched: u32,
    /// Time of all launches, in milliseconds.
    pub ms: f64,
}

impl Store<'_> {
    /// Makes these launches, and then those of steps, numbered from 1, until `end` finds that so many
    /// have come to an end.
    ///
    /// # Safety
    ///
    /// As for [`Store::time`]. A step after the last that is needed does nothing.
    pub(super) unsafe fn run_ahead<T>(
        &self,
        first: Vec<PlannedLaunch>,
        step: impl Fn(u32) -> PlannedLaunch,
        end: impl Fn(u32) -> Result<Option<T>, BackendError>,
    ) -> Result<Ahead<T>, StoreError> {
        // SAFETY: the caller's promise.
        unsafe { self.run_rounds_ahead(STEPS, first, |number| [step(number)], end) }
    }

    /// The same with steps of several launches: at first `more` of them together, at the most `most`.
    ///
    /// # Safety
    ///
    /// As for [`Store::run_ahead`].
    pub(super) unsafe fn run_rounds_ahead<T, L: IntoIterator<Item = PlannedLaunch>>(
        &self,
        [mut more, most]: [u32; 2],
        mut launches: Vec<PlannedLaunch>,
        step: impl Fn(u32) -> L,
        end: impl Fn(u32) -> Result<Option<T>, BackendError>,
    ) -> Result<Ahead<T>, StoreError> {
        let (mut launched, mut ms) = (0, 0.0);
        loop {
            launches.extend((launched + 1..=launched + more).flat_map(&step));
            // SAFETY: the caller's promise.
            ms += unsafe { self.time(&launches)? };
            launches.clear();
            launched += more;
            more = (2 * more).min(most);
            if let Some(end) = end(launched)? {
                return Ok(Ahead { end, launched, ms });
            }
        }
    }
}
