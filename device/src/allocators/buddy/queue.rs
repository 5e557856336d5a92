//! The queues: a circular array of slots for each level, with HEAD and TAIL.
//!
//! A slot is `ticket << 27 | group + 1`, or with 0 in place of the group if it is dead. A ticket
//! stands for the slot of its number modulo the number of slots. Tickets in slots only grow:
//!
//! - *Put*: draw a ticket of TAIL. If its slot is dead and older, exchange it for the ticket and
//!   the group. If not, the ticket is void: draw another.
//! - *Get*: lower the count of the listed, unless it is 0. That is a permit: a group is in the
//!   queue for each. Then draw a ticket of HEAD. If its slot is older or the same, exchange it
//!   for the ticket and no group: what was there is the caller's, whatever its ticket was.
//!   If nothing was there, or the slot is newer, draw another.
//!
//! After a thread with ticket t of HEAD has dealt with its slot, no group of ticket t can come
//! there any more: the slot is as new or newer, and `put` requires an older one. So a group whose
//! ticket is below HEAD has a thread with that ticket that has yet to deal with it. Each such
//! thread has a permit, and there are no more permits than groups. So as long as a thread looks
//! for a group there is one that no other looks at before it: HEAD does not pass TAIL, no
//! group is left behind, and each ticket that a thread draws in vain is one that another had
//! drawn and not filled yet. A thread that stalls with a ticket costs each lap of the queue one
//! ticket.
//!
//! *Full queues*: a group is listed once, and there are as many slots as groups. A thread that puts
//! one has a dead slot in each lap.
//!
//! *Wrap-around*: a ticket has 37 bits in a slot, compared by their difference. For an old one
//! to look new, a thread would have to stall while 2^36 tickets of one level are drawn. One
//! takes 2 ns of the L2 cache at least: two minutes in the middle of a launch.
//!
//! | operation | order | why |
//! |---|---|---|
//! | count raised in `put` | release | the slot is filled before there is a permit for it |
//! | count lowered in `get` | acquire | pairs with it: the slots of as many groups as permits are filled |
//! | tickets, slots | relaxed | the permit orders them; the exchange decides who gets what |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::BuddyAlloc;
use super::layout::{GROUP_BLOCKS, LEVELS, Level, NONE, table};
use crate::simt::Warp;

/// Bits of a slot for the group.
const GROUP_BITS: u32 = 27;
const GROUP_MASK: u64 = (1 << GROUP_BITS) - 1;
/// Tickets that a request draws in vain before it tries another level.
const TRIES: u32 = 32;

/// Whether the ticket in slot `a` is older than that in `b`.
#[inline(always)]
fn is_older(a: u64, b: u64) -> bool {
    (b & !GROUP_MASK).wrapping_sub(a & !GROUP_MASK) as i64 > 0
}

/// Whether no group is in the slot.
#[inline(always)]
fn is_dead(slot: u64) -> bool {
    slot & GROUP_MASK == 0
}

impl BuddyAlloc {
    /// The count of groups in a level's queue, as two's complement: threads that find none
    /// have it too low for a moment.
    #[inline(always)]
    pub(super) fn listed(&self, level: Level) -> &AtomicU32 {
        // SAFETY: the table has a word for each level.
        unsafe {
            let table = self.tables.add(table::LISTED).cast::<AtomicU32>();
            &*table.add(level.number() as usize)
        }
    }

    /// HEAD (`end` 0) or TAIL (1) of a level's queue.
    ///
    /// # Safety
    ///
    /// `end` is 0 or 1.
    #[inline(always)]
    unsafe fn tickets(&self, level: Level, end: u32) -> &AtomicU64 {
        // SAFETY: the table has two words for each level.
        unsafe {
            let table = self.tables.add(table::TICKETS).cast::<AtomicU64>();
            &*table.add((2 * level.number() + end) as usize)
        }
    }

    /// A slot by its number among all queues' ones.
    ///
    /// # Safety
    ///
    /// `slot` is below `layout.all_slots()`.
    #[inline(always)]
    unsafe fn slot(&self, slot: u32) -> &AtomicU64 {
        // SAFETY: slots lie behind the words of groups.
        unsafe {
            let groups = self.tables.add(table::GROUPS).cast::<AtomicU64>();
            &*groups.add(self.layout.words() as usize + slot as usize)
        }
    }

    /// Draws a ticket of HEAD or TAIL: what it would be in a slot without a group, and the slot.
    ///
    /// # Safety
    ///
    /// As for [`Self::tickets`].
    #[inline(always)]
    unsafe fn draw(&self, level: Level, end: u32) -> (u64, &AtomicU64) {
        // SAFETY: one of the ends; masked, the ticket names a slot of the level.
        unsafe {
            // Relaxed: see the module.
            let ticket = self.tickets(level, end).fetch_add(1, Relaxed);
            let index = ticket as u32 & (self.layout.slots(level.number()) - 1);
            let slot = self.slot(self.layout.first_slot(level.number()) + index);
            (ticket << GROUP_BITS, slot)
        }
    }

    /// Puts a group into its level's queue.
    ///
    /// # Safety
    ///
    /// `group` is one of level `level`, and listed by its word; the caller holds it, and gives
    /// it up.
    #[inline(always)]
    pub(super) unsafe fn put<W: Warp>(&self, warp: W, level: Level, group: u32) {
        loop {
            // SAFETY: 1 is TAIL.
            let (ticket, slot) = unsafe { self.draw(level, 1) };
            // Relaxed, both: see the module.
            let mut seen = slot.load(Relaxed);
            while is_dead(seen) & is_older(seen, ticket) {
                let filled = ticket | u64::from(group + 1);
                let held = slot.compare_exchange(seen, filled, Relaxed);
                if held == seen {
                    // Release: who has a permit for it finds the slot filled.
                    self.listed(level).fetch_add(1, Release);
                    return;
                }
                seen = held;
            }
            // A thread that looks for a group was faster, or one is late.
            warp.back_off();
        }
    }

    /// Takes a group off a level's queue, and holds it; or [`NONE`].
    #[inline(always)]
    pub(super) fn get<W: Warp>(&self, warp: W, level: Level) -> u32 {
        let listed = self.listed(level);
        // Relaxed: a hint, so that those who find none leave the count alone.
        if (listed.load(Relaxed) as i32) <= 0 {
            return NONE;
        }
        // Acquire: as many slots as there are permits are filled.
        if (listed.fetch_add(u32::MAX, Acquire) as i32) > 0 {
            // Each turn that fails is at a ticket that another thread has drawn and has not used.
            // A thread that finds 32 of them goes elsewhere, so that the time is bounded.
            for _ in 0..TRIES {
                // SAFETY: 0 is HEAD.
                let (ticket, slot) = unsafe { self.draw(level, 0) };
                // Relaxed, both: see the module.
                let mut seen = slot.load(Relaxed);
                while is_older(seen, ticket) || (seen ^ ticket) <= GROUP_MASK && !is_dead(seen) {
                    let held = slot.compare_exchange(seen, ticket, Relaxed);
                    if held == seen {
                        break;
                    }
                    seen = held;
                }
                if !is_older(ticket, seen) && !is_dead(seen) {
                    return (seen & GROUP_MASK) as u32 - 1;
                }
                warp.back_off();
            }
        }
        // Relaxed: the permit is given back, or was none; the count goes on with the releases
        // before it.
        listed.fetch_add(1, Relaxed);
        NONE
    }

    /// This thread's part of leaving only the groups of the roots in the queues.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::init`](crate::allocator::Allocator::init).
    pub(super) unsafe fn init_queues<W: Warp>(&self, warp: W) {
        for level in 0..LEVELS {
            let (slots, root) = (self.layout.slots(level), self.layout.root(level));
            // The first tickets are those of the second lap: slots are older than that.
            let (head, mut tail) = (u64::from(slots), u64::from(slots));
            let mut index = warp.thread();
            while index < slots {
                let mut slot = u64::from(index) << GROUP_BITS;
                if index == 0 && root != NONE {
                    slot = tail << GROUP_BITS | u64::from(root / GROUP_BLOCKS + 1);
                    tail += 1;
                }
                // SAFETY: a slot of the level; nothing else uses the heap.
                // Relaxed, here and below: later launches use it.
                unsafe {
                    self.slot(self.layout.first_slot(level) + index)
                        .store(slot, Relaxed);
                }
                index += warp.threads();
            }
            if warp.thread() == 0 {
                // SAFETY: tables have words for each level.
                unsafe {
                    let level = Level::new(level);
                    self.listed(level).store((tail - head) as u32, Relaxed);
                    self.tickets(level, 0).store(head, Relaxed);
                    self.tickets(level, 1).store(tail, Relaxed);
                }
            }
        }
    }
}
