//! The list of chunks: one entry a unit of memory, in a table beside the pool.
//!
//! The paper keeps a chunk's header in front of its payload and argues that no
//! thread stalls long enough to use the header of a chunk that has meanwhile
//! been merged and overwritten. Threads do stall. So here the headers lie in a
//! table that no payload ever touches, and an entry that has once been a header
//! stays one: a chunk that is merged into its predecessor is marked absorbed
//! and keeps its link, which leads forward. From any entry that a stalled
//! thread may hold, it finds its way back to live chunks.
//!
//! Whatever `peek` returns is a hint. A chunk changes hands only by `take`, a
//! compare-and-swap from free, and a free entry is always the head of a live
//! chunk whose end is the entry's link at that moment. That alone makes live
//! chunks disjoint; every other read may be as stale as it likes. Entries that
//! were never headers are 0, by which a walker finds that it was faster than the
//! store that makes its entry a header.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

/// State of a chunk that changes hands: the thread that holds it reads its size, and
/// will soon make it used or free again. With the link 0, which no header has,
/// an entry that was never a header.
pub const LOCKED: u32 = 0;
/// State of a chunk that no thread owns.
pub const FREE: u32 = 1;
/// State of a chunk with an owner, which alone may write its entry.
pub const USED: u32 = 2;
/// State of a former header inside a chunk.
pub const ABSORBED: u32 = 3;

/// The value of an entry when it was read.
#[derive(Clone, Copy)]
pub struct Link {
    /// The unit where the next chunk starts; for an absorbed entry, some
    /// later unit that is or was a header.
    pub next: u32,
    /// `LOCKED`, `FREE`, `USED` or `ABSORBED`.
    pub state: u32,
}

/// A unit of a table of headers, which has an entry.
///
/// Invariant: it is below the number of units of the table that it is used with, as whoever made it
/// has argued. A value has no such check, and no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(u32);

impl Unit {
    /// The unit of this number.
    ///
    /// # Safety
    ///
    /// It is below the number of units of each table that it is used with. So is a link that was
    /// read, if it is not the end of the last chunk.
    #[inline(always)]
    pub unsafe fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of headers, in one of two forms.
///
/// Whoever writes an entry promises that its link is a unit of the table or the end of the last, so
/// that links can be followed up to there.
///
/// # Safety
///
/// That no two threads own a chunk rests on an implementation. It promises:
///
/// - an entry is its own `WORDS` words, and no function accesses others;
/// - of those that `take` an entry which is free, one is returned its end: what the owner
///   before wrote with `FREE`, and what that thread did before is visible to it;
/// - `end` returns what the owner wrote last.
pub unsafe trait Links: Copy + 'static {
    /// The logarithm of the bytes of pool that an entry stands for at least.
    const UNIT_SHIFT: u32;
    /// Words in an entry.
    const WORDS: u64;
    /// The maximum number of units that links can name.
    const LIMIT: u64;

    /// The table at `address`.
    ///
    /// # Safety
    ///
    /// The table has `WORDS` aligned words for each unit, valid as long as the
    /// value is used, accessed through this trait only.
    unsafe fn new(address: *mut u8) -> Self;

    /// Reads an entry. A hint, but to the owner of the chunk.
    fn peek(self, unit: Unit) -> Link;

    /// The end of a chunk, to its owner; a hint to others.
    fn end(self, unit: Unit) -> u32;

    /// Tries to change the entry from free to `state`; `seen` is what `peek`
    /// returned. Returns where the chunk ends, or nothing if another was faster.
    fn take(self, unit: Unit, seen: Link, state: u32) -> Option<u32>;

    /// Writes the entry of a chunk, or inside a chunk, that the caller owns.
    /// With `FREE` the caller gives the chunk up.
    ///
    /// # Safety
    ///
    /// `unit` is in a chunk that the caller owns; `next` is behind it, and at most the number of
    /// units.
    unsafe fn put(self, unit: Unit, next: u32, state: u32);

    /// `put` with `LOCKED`, for a chunk whose link is `next`.
    ///
    /// # Safety
    ///
    /// As for `put`.
    unsafe fn lock(self, unit: Unit, next: u32);

    /// `put` with `FREE`, for a chunk whose link is `was`.
    ///
    /// # Safety
    ///
    /// As for `put`.
    unsafe fn give_up(self, unit: Unit, was: u32, next: u32);

    /// `give_up`, after a release fence of the caller.
    ///
    /// # Safety
    ///
    /// As for `put`.
    unsafe fn publish(self, unit: Unit, was: u32, next: u32);

    /// Writes the entry anew, whatever it held, before any thread uses it.
    ///
    /// # Safety
    ///
    /// `next` is at most the number of units, and no other thread uses the entry.
    unsafe fn reset(self, unit: Unit, next: u32, state: u32);
}

/// Flag and link in two words, as CMalloc has them (section 5.2).
///
/// A unit is 32 bytes, so that the two words are a quarter of it.
#[derive(Clone, Copy)]
pub struct TwoWords(*mut u8);

impl TwoWords {
    /// The state of an entry.
    #[inline(always)]
    fn flag(&self, unit: Unit) -> &AtomicU32 {
        // SAFETY: `new` was promised two words for each unit, and the unit is of the table.
        unsafe { &*self.0.cast::<AtomicU32>().add(2 * unit.index()) }
    }

    /// The link of an entry.
    #[inline(always)]
    fn next(&self, unit: Unit) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.0.cast::<AtomicU32>().add(2 * unit.index() + 1) }
    }
}

// SAFETY: the entry of a unit is its flag and its link. The exchange of the flag has one winner,
// which acquires what the owner before released with the flag, its link among it.
unsafe impl Links for TwoWords {
    const UNIT_SHIFT: u32 = 5;
    const WORDS: u64 = 2;
    const LIMIT: u64 = (1 << 30) - 1;

    #[inline(always)]
    unsafe fn new(address: *mut u8) -> Self {
        Self(address)
    }

    #[inline(always)]
    fn peek(self, unit: Unit) -> Link {
        // The two may belong to different moments. Each link that an entry
        // ever held is a valid way forward, and `take` reads it again.
        let state = self.flag(unit).load(Relaxed);
        Link {
            next: self.next(unit).load(Relaxed),
            state,
        }
    }

    #[inline(always)]
    fn end(self, unit: Unit) -> u32 {
        self.next(unit).load(Relaxed)
    }

    #[inline(always)]
    fn take(self, unit: Unit, _seen: Link, state: u32) -> Option<u32> {
        // Acquire: all that the former owner did to the chunk and its link
        // comes before what the new owner does. Pairs with the release in
        // `put`.
        if self.flag(unit).compare_exchange(FREE, state, Acquire) == FREE {
            Some(self.next(unit).load(Relaxed))
        } else {
            None
        }
    }

    #[inline(always)]
    unsafe fn put(self, unit: Unit, next: u32, state: u32) {
        self.next(unit).store(next, Relaxed);
        // Release when giving up: the link, and the owner's use of the memory,
        // come before what a thread does that takes the chunk. Otherwise the flag is ours, and
        // others only test it against `FREE`.
        self.flag(unit)
            .store(state, if state == FREE { Release } else { Relaxed });
    }

    #[inline(always)]
    unsafe fn lock(self, unit: Unit, _next: u32) {
        self.flag(unit).store(LOCKED, Relaxed);
    }

    #[inline(always)]
    unsafe fn give_up(self, unit: Unit, was: u32, next: u32) {
        if next != was {
            self.next(unit).store(next, Relaxed);
        }
        // Release: as in `put`.
        self.flag(unit).store(FREE, Release);
    }

    #[inline(always)]
    unsafe fn publish(self, unit: Unit, was: u32, next: u32) {
        if next != was {
            // The fence does not order this store before the flag's.
            // SAFETY: the contract of `put`.
            return unsafe { self.give_up(unit, was, next) };
        }
        // Relaxed: the caller's fence stands before it.
        self.flag(unit).store(FREE, Relaxed);
    }

    #[inline(always)]
    unsafe fn reset(self, unit: Unit, next: u32, state: u32) {
        self.next(unit).store(next, Relaxed);
        self.flag(unit).store(state, Relaxed);
    }
}

/// Flag and link fused into one word, as CFMalloc has them (section 5.3): the
/// state in the low two bits. A unit is 16 bytes.
#[derive(Clone, Copy)]
pub struct Fused(*mut u8);

impl Fused {
    /// An entry.
    #[inline(always)]
    fn word(&self, unit: Unit) -> &AtomicU32 {
        // SAFETY: `new` was promised a word for each unit, and the unit is of the table.
        unsafe { &*self.0.cast::<AtomicU32>().add(unit.index()) }
    }
}

#[inline(always)]
fn fuse(next: u32, state: u32) -> u32 {
    next << 2 | state
}

// SAFETY: the entry of a unit is one word. Its exchange has one winner, which acquires what the
// owner before released, and the link is in the word.
unsafe impl Links for Fused {
    const UNIT_SHIFT: u32 = 4;
    const WORDS: u64 = 1;
    const LIMIT: u64 = (1 << 30) - 1;

    #[inline(always)]
    unsafe fn new(address: *mut u8) -> Self {
        Self(address)
    }

    #[inline(always)]
    fn peek(self, unit: Unit) -> Link {
        let word = self.word(unit).load(Relaxed);
        Link {
            next: word >> 2,
            state: word & 3,
        }
    }

    #[inline(always)]
    fn end(self, unit: Unit) -> u32 {
        self.peek(unit).next
    }

    #[inline(always)]
    fn take(self, unit: Unit, seen: Link, state: u32) -> Option<u32> {
        let free = fuse(seen.next, FREE);
        // Acquire: see `TwoWords::take`. If the word changed and changed back
        // since `peek`, it means the same chunk with the same end again.
        if self
            .word(unit)
            .compare_exchange(free, fuse(seen.next, state), Acquire)
            == free
        {
            Some(seen.next)
        } else {
            None
        }
    }

    #[inline(always)]
    unsafe fn put(self, unit: Unit, next: u32, state: u32) {
        let order = if state == FREE { Release } else { Relaxed };
        self.word(unit).store(fuse(next, state), order);
    }

    #[inline(always)]
    unsafe fn lock(self, unit: Unit, next: u32) {
        // SAFETY: the contract of `put`.
        unsafe { self.put(unit, next, LOCKED) };
    }

    #[inline(always)]
    unsafe fn give_up(self, unit: Unit, _was: u32, next: u32) {
        // SAFETY: the contract of `put`.
        unsafe { self.put(unit, next, FREE) };
    }

    #[inline(always)]
    unsafe fn publish(self, unit: Unit, _was: u32, next: u32) {
        // Relaxed: the caller's fence stands before it.
        self.word(unit).store(fuse(next, FREE), Relaxed);
    }

    #[inline(always)]
    unsafe fn reset(self, unit: Unit, next: u32, state: u32) {
        self.word(unit).store(fuse(next, state), Relaxed);
    }
}
