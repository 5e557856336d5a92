//! A bounded queue in an array, whose slots have tickets: the bins, and the queues of
//! superblocks.
//!
//! An enqueuer draws a ticket from the tail, a dequeuer one from the head. Ticket `t` belongs
//! to slot `t` modulo the capacity. A slot is a word, `ticket << 32 | value`, in one of two
//! states:
//!
//! - *empty*, with [`NOTHING`] for a value: whoever has this ticket or a later one may enqueue;
//! - *full*: whoever has this ticket or a later one may dequeue.
//!
//! No thread waits for the owner of a ticket, which may not run:
//!
//! - A dequeuer with ticket `t` advances its slot to empty, for the ticket a capacity behind
//!   `t`. If the slot was full, the value is the dequeuer's. If not, the enqueuer with this
//!   ticket, or with an earlier one, finds the slot advanced, and its ticket void.
//! - An enqueuer gives up if the slot is full: a dequeuer with an earlier ticket is late. The
//!   dequeuer with the enqueuer's own ticket takes that value, then, and the late one finds the
//!   slot advanced.
//!
//! The invariant: *a slot that is full for ticket `t` has not been visited by the dequeuer with
//! ticket `t`*, for that one leaves the slot with a later ticket. So what lies in the queue is
//! in front of the tail and not behind the head, or a dequeuer has drawn its ticket and is about
//! to take it. Nothing is lost.
//!
//! A value is taken by an exchange of the whole word, so that it is taken once, whatever ticket
//! the taker believes in. Tickets wrap: a thread that stalls for 2^31 of them misjudges which of
//! two is later, and a value may be found late; none gets two owners.
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange that enqueues | release | what the former owner did comes before |
//! | exchange that dequeues | acquire | what the next owner does comes behind it |
//! | head, tail, loads of a slot | relaxed | the exchange decides |
//!
//! An exchange that dequeues and finds nothing, and one that enqueues, continue the release
//! sequence of what was there before; no thread relies on it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::simt::Warp;

/// The value of an empty slot. It is not to be enqueued.
pub const NOTHING: u32 = u32::MAX;
/// Looks at an empty slot whose enqueuer has drawn its ticket, before it is passed over.
const LOOKS: u32 = 4;

/// A queue of words.
#[derive(Clone, Copy)]
pub struct Fifo {
    head: *const AtomicU32,
    tail: *const AtomicU32,
    slots: *const AtomicU64,
    bits: u32,
}

/// Tickets that were drawn together: those from `first` on.
#[derive(Clone, Copy, Debug)]
pub struct Tickets {
    /// The first.
    pub first: u32,
    /// How many, perhaps none.
    pub count: u32,
}

/// Whether ticket `left` comes before ticket `right`.
#[inline(always)]
fn is_before(left: u32, right: u32) -> bool {
    (left.wrapping_sub(right) as i32) < 0
}

impl Fifo {
    /// The queue with these words and `1 << bits` slots.
    ///
    /// # Safety
    ///
    /// They are valid for as long as the value is used, aligned, and accessed by queues over the
    /// same memory only; `bits` is at most 30. Before anything else [`Fifo::init`] makes them
    /// ready.
    #[inline(always)]
    pub unsafe fn new(
        head: *const AtomicU32,
        tail: *const AtomicU32,
        slots: *const AtomicU64,
        bits: u32,
    ) -> Self {
        Self {
            head,
            tail,
            slots,
            bits,
        }
    }

    #[inline(always)]
    fn head(&self) -> &AtomicU32 {
        // SAFETY: a word, by the promise of `new`.
        unsafe { &*self.head }
    }

    #[inline(always)]
    fn tail(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.tail }
    }

    /// The slot of a ticket.
    #[inline(always)]
    fn slot(&self, ticket: u32) -> &AtomicU64 {
        let index = ticket & (self.capacity() - 1);
        // SAFETY: below the number of slots, by the promise of `new`.
        unsafe { &*self.slots.add(index as usize) }
    }

    /// Slots.
    #[inline(always)]
    pub fn capacity(&self) -> u32 {
        1 << self.bits
    }

    /// Makes the queue empty. All threads of a launch call this together; nothing else uses the
    /// queue meanwhile.
    pub fn init<W: Warp>(&self, warp: W) {
        // Tickets wrap soon, so that tests see it.
        let first = self.capacity().wrapping_mul(2).wrapping_neg();
        // Relaxed, all: the end of the launch orders them.
        let mut index = warp.thread();
        while index < self.capacity() {
            let ticket = first.wrapping_add(index);
            let word = u64::from(ticket) << 32 | u64::from(NOTHING);
            self.slot(ticket).store(word, Relaxed);
            index += warp.threads();
        }
        if warp.thread() == 0 {
            self.head().store(first, Relaxed);
            self.tail().store(first, Relaxed);
        }
    }

    /// Values in the queue, or less than none while dequeuers are ahead.
    #[inline(always)]
    fn length(&self) -> i32 {
        // Relaxed: a hint.
        let tail = self.tail().load(Relaxed);
        tail.wrapping_sub(self.head().load(Relaxed)) as i32
    }

    /// Whether there seems to be nothing in the queue.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length() <= 0
    }

    /// Draws up to `wanted` tickets for [`Fifo::take`], which are all to be used.
    #[inline(always)]
    pub fn draw_front(&self, wanted: u32) -> Tickets {
        let length = self.length();
        if length <= 0 {
            return Tickets { first: 0, count: 0 };
        }
        let length = length as u32;
        let count = if wanted < length { wanted } else { length };
        // Relaxed: the slot decides. Several that saw the same length may overtake the tail.
        let first = self.head().fetch_add(count, Relaxed);
        Tickets { first, count }
    }

    /// Draws up to `wanted` tickets for [`Fifo::put`]. They need not be used.
    #[inline(always)]
    pub fn draw_back(&self, wanted: u32) -> Tickets {
        // Relaxed, both: the slot decides.
        let tail = self.tail().load(Relaxed);
        let head = self.head().load(Relaxed);
        let length = tail.wrapping_sub(head) as i32;
        if length < 0 {
            // Dequeuers have drawn all tickets in front of this head: enqueuers skip those that
            // are left of them together. An exchange that fails was another's.
            self.tail().compare_exchange(tail, head, Relaxed);
        }
        let room = self.capacity() as i32 - length;
        if room <= 0 {
            return Tickets { first: 0, count: 0 };
        }
        let room = room as u32;
        let count = if wanted < room { wanted } else { room };
        // Relaxed: the slot decides.
        let first = self.tail().fetch_add(count, Relaxed);
        Tickets { first, count }
    }

    /// Uses a ticket that [`Fifo::draw_front`] drew: a value, or [`NOTHING`].
    #[inline(always)]
    pub fn take<W: Warp>(&self, warp: W, ticket: u32) -> u32 {
        let slot = self.slot(ticket);
        let next = u64::from(ticket.wrapping_add(self.capacity())) << 32 | u64::from(NOTHING);
        let mut looks = LOOKS;
        // Relaxed: the exchange decides.
        let mut seen = slot.load(Relaxed);
        // An exchange fails only if another has changed the slot. Each change makes its ticket
        // later, or fills it for good until it becomes later; so the slot passes this ticket in
        // the end, after two changes by each thread with an earlier one.
        loop {
            if is_before(ticket, (seen >> 32) as u32) {
                return NOTHING;
            }
            if seen as u32 == NOTHING && looks > 0 {
                // Whoever enqueues here may be about to.
                looks -= 1;
                warp.back_off();
                seen = slot.load(Relaxed);
                continue;
            }
            // Acquire: what the former owner did comes before.
            let held = slot.compare_exchange(seen, next, Acquire);
            if held == seen {
                return seen as u32;
            }
            seen = held;
        }
    }

    /// Uses a ticket that [`Fifo::draw_back`] drew, for a value other than [`NOTHING`]; whether
    /// the value is in the queue.
    #[inline(always)]
    pub fn put(&self, ticket: u32, value: u32) -> bool {
        let slot = self.slot(ticket);
        let ours = u64::from(ticket) << 32 | u64::from(value);
        // Relaxed: the exchange decides.
        let mut seen = slot.load(Relaxed);
        // As in `take`.
        loop {
            if is_before(ticket, (seen >> 32) as u32) || seen as u32 != NOTHING {
                return false;
            }
            // Release: what we did comes before what the next owner does.
            let held = slot.compare_exchange(seen, ours, Release);
            if held == seen {
                return true;
            }
            seen = held;
        }
    }

    /// Void tickets after which `dequeue` and `enqueue` give up. It depends on the queue, so that
    /// loops are not unrolled.
    #[inline(always)]
    fn tries(&self) -> u32 {
        self.bits + 2
    }

    /// Dequeues a value, or [`NOTHING`]: if there is none, or some tickets in a row are void.
    /// Behind these there may be values ([`Fifo::drain`]).
    #[inline(always)]
    pub fn dequeue<W: Warp>(&self, warp: W) -> u32 {
        let mut tries = self.tries();
        while tries > 0 {
            let tickets = self.draw_front(1);
            if tickets.count == 0 {
                break;
            }
            let value = self.take(warp, tickets.first);
            if value != NOTHING {
                return value;
            }
            tries -= 1;
        }
        NOTHING
    }

    /// Dequeues all values that are there when it begins, as far as nobody else does, and passes
    /// them to `found`.
    ///
    /// The number of tickets bounds it, and not how many in a row are void: that may be as many
    /// as there are slots. If two warps see the same room for 16 values, both draw 16 tickets,
    /// and those of the second are void, since the slots are full. They lie in front of whatever
    /// is enqueued next.
    #[inline(always)]
    pub fn drain<W: Warp>(&self, warp: W, mut found: impl FnMut(u32)) {
        let mut left = self.length();
        while left > 0 {
            let tickets = self.draw_front(1);
            if tickets.count == 0 {
                break;
            }
            let value = self.take(warp, tickets.first);
            if value != NOTHING {
                found(value);
            }
            left -= 1;
        }
    }

    /// Enqueues a value other than [`NOTHING`], unless the queue is full or some tickets are void;
    /// whether it did.
    #[inline(always)]
    pub fn enqueue(&self, value: u32) -> bool {
        let mut tries = self.tries();
        while tries > 0 {
            let tickets = self.draw_back(1);
            if tickets.count == 0 {
                break;
            }
            if self.put(tickets.first, value) {
                return true;
            }
            tries -= 1;
        }
        false
    }
}
