//! The ring of events in device memory.

use heapwood_device::allocators::{EVENT_WORDS, RING_HEAD_WORDS, RecordedCall};
use heapwood_device::launch::KernelId;

use super::RecordError;
use crate::backend::{Backend, BackendError, Memory};

/// Bytes of a word.
const WORD: u64 = size_of::<u64>() as u64;
/// Events that are copied to the host at a time, 32 MiB.
const CHUNK_EVENTS: u64 = 1 << 20;

/// Where a ring is, for heaps that record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingPlace {
    /// Its address.
    pub address: u64,
    /// Events that it has room for.
    pub events: u64,
}

/// A ring.
pub struct Ring {
    memory: Memory,
    events: u64,
}

impl Ring {
    /// An empty ring in about so many bytes.
    pub fn new(backend: &dyn Backend, bytes: u64) -> Result<Self, BackendError> {
        let events = (bytes / (EVENT_WORDS as u64 * WORD)).max(1);
        let words = RING_HEAD_WORDS as u64 + EVENT_WORDS as u64 * events;
        let memory = backend.allocate_zeroed(words * WORD)?;
        Ok(Self { memory, events })
    }

    /// Where it is.
    pub fn place(&self) -> RingPlace {
        RingPlace {
            address: self.memory.address().expose_provenance() as u64,
            events: self.events,
        }
    }

    /// Takes the events out, in the order of their places, behind a launch of this kernel.
    ///
    /// # Errors
    ///
    /// [`RecordError::RingOverflow`], and faults of the backend.
    pub fn empty(&self, kernel: KernelId) -> Result<Vec<RecordedCall>, BackendError> {
        let [calls] = self.memory.download_array::<u64, 1>(0)?;
        if calls > self.events {
            return Err(BackendError::Record(RecordError::RingOverflow {
                kernel: kernel.name(),
                calls,
                room: self.events,
            }));
        }
        let mut events = Vec::with_capacity(calls as usize);
        let mut first = 0;
        while first < calls {
            let count = (calls - first).min(CHUNK_EVENTS);
            let word = RING_HEAD_WORDS as u64 + EVENT_WORDS as u64 * first;
            let words: Vec<u64> = self
                .memory
                .download(word * WORD, EVENT_WORDS * count as usize)?;
            let (words, _) = words.as_chunks::<EVENT_WORDS>();
            events.extend(
                words
                    .iter()
                    .filter_map(|words| RecordedCall::from_words(*words)),
            );
            first += count;
        }
        if calls > 0 {
            self.memory.upload(0, &[0_u64])?;
        }
        Ok(events)
    }
}
