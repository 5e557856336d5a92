//! Memory by what work may still use it.
//!
//! Invariant: memory on which work may be pending leaves a [`Fenced`] once its events have
//! completed ([`Fenced::settle`], [`Fenced::wait`]). Before that it serves only requests behind
//! that work on the same stream, and stays fenced. A request without a stream takes memory of the
//! type [`Idle`], so it never gets pending memory. Neither type can be copied, and outside of this
//! module an `Idle` is made of new memory only ([`Idle::fresh`]).

use std::num::NonZeroU64;

use super::provider::Event;

/// Memory that no work uses.
#[derive(Debug)]
#[must_use]
pub(super) struct Idle {
    address: NonZeroU64,
    bytes: u64,
}

/// Memory that work on streams may still use.
#[derive(Debug)]
#[must_use]
pub(super) struct Fenced<E> {
    idle: Idle,
    last: Fence<E>,
}

/// The work on one stream, and on others before.
#[derive(Debug)]
struct Fence<E> {
    stream: u64,
    event: E,
    /// Larger for events that are recorded later.
    order: u64,
    /// Fences of other streams. A block seldom changes its stream before the work is done.
    earlier: Option<Box<Fence<E>>>,
}

/// Memory as it is granted.
#[derive(Debug)]
#[must_use]
pub(super) enum Granted<E> {
    /// For use on any stream, and by the host.
    Idle(Idle),
    /// For use behind the work on its stream.
    Fenced(Fenced<E>),
}

impl Idle {
    /// Memory fresh from a provider: so many bytes from this address.
    pub(super) fn fresh(address: NonZeroU64, bytes: u64) -> Self {
        Self { address, bytes }
    }

    /// Its size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where it begins and its size, to be given back.
    pub(super) fn into_parts(self) -> (NonZeroU64, u64) {
        (self.address, self.bytes)
    }
}

impl<E: Event> Fence<E> {
    /// The rest of this fence without the work that is done, and without the work of the stream
    /// `implied`.
    fn without_done(mut self, implied: Option<u64>) -> Option<Self> {
        let earlier = self.earlier.take();
        let earlier = earlier.and_then(|fence| fence.without_done(implied));
        if Some(self.stream) == implied || self.event.is_complete() {
            return earlier;
        }
        self.earlier = earlier.map(Box::new);
        Some(self)
    }

    fn is_only_on(&self, stream: u64) -> bool {
        let is_out_of_the_way =
            |fence: &Fence<E>| fence.stream == stream || fence.event.is_complete();
        let mut earlier = self.earlier.as_deref();
        while let Some(fence) = earlier.filter(|fence| is_out_of_the_way(fence)) {
            earlier = fence.earlier.as_deref();
        }
        self.stream == stream && earlier.is_none()
    }
}

impl<E: Event> Fenced<E> {
    /// Its size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.idle.bytes
    }

    /// The stream of its latest work.
    pub(super) fn stream(&self) -> u64 {
        self.last.stream
    }

    /// Where its latest work comes: larger for work that was queued later.
    pub(super) fn order(&self) -> u64 {
        self.last.order
    }

    /// Whether all work that is left is on this stream, so that more on it may use the memory.
    pub(super) fn is_only_on(&self, stream: u64) -> bool {
        self.last.is_only_on(stream)
    }

    /// The memory, if all work on it is done.
    pub(super) fn settle(self) -> Result<Idle, Self> {
        match self.last.without_done(None) {
            None => Ok(self.idle),
            Some(last) => Err(Self { last, ..self }),
        }
    }

    /// The memory, after the work on it; nothing if that cannot be waited for.
    pub(super) fn wait(self) -> Option<Idle> {
        let mut fence = Some(Box::new(self.last));
        while let Some(last) = fence {
            if !last.event.wait() {
                return None;
            }
            fence = last.earlier;
        }
        Some(self.idle)
    }
}

impl<E: Event> Granted<E> {
    pub(super) fn address(&self) -> NonZeroU64 {
        match self {
            Self::Idle(idle) => idle.address,
            Self::Fenced(fenced) => fenced.idle.address,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Idle(idle) => idle.bytes,
            Self::Fenced(fenced) => fenced.idle.bytes,
        }
    }

    /// The memory with an event behind its latest work, recorded after those of a smaller
    /// `order`. Older work stays in the way as long as it is not done, unless this event is
    /// behind it on the same stream.
    pub(super) fn fence(self, stream: u64, event: E, order: u64) -> Fenced<E> {
        let (idle, earlier) = match self {
            Self::Idle(idle) => (idle, None),
            Self::Fenced(Fenced { idle, last }) => (idle, last.without_done(Some(stream))),
        };
        let earlier = earlier.map(Box::new);
        let last = Fence {
            stream,
            event,
            order,
            earlier,
        };
        Fenced { idle, last }
    }
}
