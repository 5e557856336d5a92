//! A device under a test's full control: how much memory it has, when work is done.
//!
//! It watches the pool, too: memory that comes back must be what was given, whole and once,
//! and no work may use it.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::pool::{Event, Provider, Stream};

/// A simulated device; clones share it.
#[derive(Clone, Debug)]
pub struct Device(Arc<Mutex<State>>);

/// A stream of it; clones are the same stream.
#[derive(Clone, Debug)]
pub struct TestStream {
    device: Device,
    id: u64,
}

/// A position in a stream.
#[derive(Debug)]
pub struct TestEvent {
    stream: TestStream,
    position: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestError {
    Exhausted,
    Failed,
}

#[derive(Debug, Default)]
pub struct State {
    pub capacity: u64,
    pub used: u64,
    pub most_used: u64,
    /// Requests for which there was too little memory.
    pub refused: u64,
    /// It serves a request only when it has all of its memory.
    pub is_fragmented: bool,
    /// The blocks obtained and given back, in order, with their sizes.
    pub log: Vec<Call>,
    /// The device fails: no memory comes, nothing is ever done.
    pub failed: bool,
    next: u64,
    given: BTreeMap<u64, u64>,
    streams: Vec<Queue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Obtain(u64, u64),
    Release(u64, u64),
}

#[derive(Debug, Default)]
struct Queue {
    queued: u64,
    done: u64,
    /// Work that is not done: its position, and the address that it uses.
    work: Vec<(u64, u64)>,
}

impl Device {
    pub fn new(capacity: u64) -> Self {
        let state = State {
            capacity,
            next: 1 << 20,
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn stream(&self) -> TestStream {
        let mut state = self.state();
        state.streams.push(Queue::default());
        TestStream {
            device: self.clone(),
            id: state.streams.len() as u64 - 1,
        }
    }

    /// The streams with work that uses the memory at this address.
    pub fn users(&self, address: u64) -> Vec<u64> {
        let state = self.state();
        let uses = |queue: &Queue| queue.work.iter().any(|&(_, of)| of == address);
        let numbered = (0..).zip(&state.streams);
        let users = numbered.filter(|(_, queue)| uses(queue));
        users.map(|(id, _)| id).collect()
    }
}

impl TestStream {
    /// Queues work that uses the memory at this address.
    pub fn launch(&self, address: u64) {
        let mut state = self.device.state();
        let queue = &mut state.streams[self.id as usize];
        queue.queued += 1;
        queue.work.push((queue.queued, address));
    }

    /// Does the next so many pieces of work.
    pub fn advance(&self, count: u64) {
        let mut state = self.device.state();
        let queue = &mut state.streams[self.id as usize];
        let to = queue.queued.min(queue.done.saturating_add(count));
        queue.finish(to);
    }

    /// Does all work that is queued.
    pub fn finish(&self) {
        self.advance(u64::MAX);
    }

    /// How far work is queued, and how far it is done.
    pub fn positions(&self) -> (u64, u64) {
        let state = self.device.state();
        let queue = &state.streams[self.id as usize];
        (queue.queued, queue.done)
    }
}

impl Queue {
    fn finish(&mut self, to: u64) {
        self.done = self.done.max(to);
        let done = self.done;
        self.work.retain(|&(position, _)| position > done);
    }
}

impl Provider for Device {
    type Error = TestError;
    type Stream = TestStream;

    fn obtain(&self, bytes: u64) -> Result<NonZeroU64, TestError> {
        let mut state = self.state();
        if state.failed {
            return Err(TestError::Failed);
        }
        let used = state.used.checked_add(bytes);
        let is_split = state.is_fragmented && state.used > 0;
        let fits = |&used: &u64| used <= state.capacity && !is_split;
        let Some(used) = used.filter(fits) else {
            state.refused += 1;
            return Err(TestError::Exhausted);
        };
        let address = state.next;
        state.used = used;
        state.most_used = state.most_used.max(used);
        state.next += bytes;
        state.given.insert(address, bytes);
        state.log.push(Call::Obtain(address, bytes));
        Ok(NonZeroU64::new(address).unwrap())
    }

    unsafe fn release(&self, address: NonZeroU64, bytes: u64) {
        let address = address.get();
        let users = self.users(address);
        assert!(users.is_empty(), "work uses what is given back: {users:?}");
        let mut state = self.state();
        assert_eq!(state.given.remove(&address), Some(bytes), "not as given");
        state.used -= bytes;
        state.log.push(Call::Release(address, bytes));
    }

    fn is_exhausted(error: &TestError) -> bool {
        *error == TestError::Exhausted
    }
}

impl Stream for TestStream {
    type Event = TestEvent;

    fn id(&self) -> u64 {
        self.id
    }

    fn record(&self) -> Option<TestEvent> {
        let state = self.device.state();
        let position = state.streams[self.id as usize].queued;
        (!state.failed).then(|| TestEvent {
            stream: self.clone(),
            position,
        })
    }
}

impl Event for TestEvent {
    fn is_complete(&self) -> bool {
        let state = self.stream.device.state();
        !state.failed && state.streams[self.stream.id as usize].done >= self.position
    }

    fn wait(&self) -> bool {
        let mut state = self.stream.device.state();
        if state.failed {
            return false;
        }
        state.streams[self.stream.id as usize].finish(self.position);
        true
    }
}
