//! The words of slabs: class, taken chunks, and tickets.
//!
//! A word is `ticket << 32 | head << 28 | (class + 1) << 24 | count`; a free slab has no class.
//! The count is of permits: chunks with an owner, or about to have one. It is too high while a
//! thread that expected another class, or found the slab full, has not yet taken its addition
//! back. There are fewer threads than the count has numbers, so that it carries into nothing.
//!
//! | operation | order | why |
//! |---|---|---|
//! | count raised, `raise` | acquire | pairs with lowered counts, also before the class was given: their bits are clear |
//! | count lowered, `lower` | release | our bit is clear before the count says so |
//! | class taken away, `disband` | acquire | all whose chunks were counted free are done |
//! | class given, `install` | relaxed | passes on the releases of lowered counts |
//! | a slab made a head, `promote` | acquire | as `raise`, for the permits that come with it |
//! | flag of a head taken away | relaxed | a hint: who gets a chunk is decided by the others |
//!
//! A word changes by read-modify-writes only, which continue each other's release sequences:
//! whoever acquires one acquires all before it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::Slabs;
use super::layout::WORD_BYTES;
use super::sets::{Level, Set};
use super::tasks;

/// The slab that is none: the number of no slab, in 22 bits.
pub const NONE: u32 = (1 << 22) - 1;
const CLASS_SHIFT: u32 = 24;
const COUNT_MASK: u64 = (1 << CLASS_SHIFT) - 1;
/// Set while the slab is a head, or about to be one: it is in no set, and keeps its class even
/// if it has no chunk in use.
pub const HEAD: u64 = 1 << 28;
const TICKETS: u64 = u64::MAX << 32;

/// The chunks that are taken of the slab with this word.
#[inline(always)]
pub fn count_of(word: u64) -> u32 {
    (word & COUNT_MASK) as u32
}

/// Whether the slab with this word is divided into chunks of the class.
#[inline(always)]
pub fn has_class(word: u64, class: u32) -> bool {
    word as u32 >> CLASS_SHIFT & 0xf == class + 1
}

/// The class of the slab with this word, if it has one; `u32::MAX` otherwise.
#[inline(always)]
pub fn class_in(word: u64) -> u32 {
    (word as u32 >> CLASS_SHIFT & 0xf).wrapping_sub(1)
}

/// Whether the slab with this word is a head.
#[inline(always)]
pub fn is_head(word: u64) -> bool {
    word & HEAD != 0
}

/// What `count` permits add to a word.
#[inline(always)]
pub fn permits(count: u32) -> u64 {
    u64::from(count) << 32 | u64::from(count)
}

/// Permits for chunks of a slab.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The slab, or [`NONE`].
    pub slab: u32,
    /// How many chunks: at most 32.
    pub count: u32,
    /// The first ticket.
    pub ticket: u32,
}

impl Taken {
    /// None.
    pub const NOTHING: Self = Self {
        slab: NONE,
        count: 0,
        ticket: 0,
    };

    /// As many of `wanted` chunks of a slab as it had, before whose word was `before`.
    #[inline(always)]
    pub fn of(slab: u32, count: u32, before: u64) -> Self {
        Self {
            slab,
            count,
            ticket: (before >> 32) as u32,
        }
    }

    /// The permits in a word, for a shuffle or a call. A slab has 22 bits.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        let high = self.slab << 10 | self.count;
        u64::from(high) << 32 | u64::from(self.ticket)
    }

    /// The permits of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        Self {
            slab: high >> 10,
            count: high & 0x3f,
            ticket: bits as u32,
        }
    }
}

impl Slabs {
    /// The word of a slab.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`.
    #[inline(always)]
    pub(super) unsafe fn word(&self, slab: u32) -> &AtomicU64 {
        let offset = self.layout.words() + u64::from(slab) * WORD_BYTES;
        // SAFETY: the tables have an aligned word for each slab there, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// Whether a slab with this word has a free chunk of the class.
    #[inline(always)]
    pub(super) fn has_room(&self, word: u64, class: u32) -> bool {
        has_class(word, class) && count_of(word) < self.layout.shape(class).chunks
    }

    /// Adds `wanted` to the count of a slab; the permits that this yields, and the word before.
    /// The caller takes back what it has added beyond those.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`, `class` at most `layout.last_class`, and `wanted` from 1
    /// to 32.
    #[inline(always)]
    pub(super) unsafe fn raise(&self, slab: u32, class: u32, wanted: u32) -> (Taken, u64) {
        // SAFETY: the caller's promise.
        // Acquire: as many bits are clear as chunks are free, since each was cleared before it
        // was counted, also those of the slab's former class.
        let before = unsafe { self.word(slab).fetch_add(permits(wanted), Acquire) };
        let (chunks, count) = (self.layout.shape(class).chunks, count_of(before));
        let mut got = 0;
        if has_class(before, class) && count < chunks {
            let left = chunks - count;
            got = if left < wanted { left } else { wanted };
        }
        (Taken::of(slab, got, before), before)
    }

    /// Up to `wanted` chunks of a slab, if it looks as if it had some.
    ///
    /// # Safety
    ///
    /// As for [`Self::raise`].
    pub(super) unsafe fn try_slab(&self, slab: u32, class: u32, wanted: u32) -> Taken {
        let layout = self.layout.to_bits();
        // SAFETY: the caller's promise.
        Taken::from_bits(unsafe { tasks::try_slab(self.tables, layout, slab, class, wanted) })
    }

    /// [`Self::try_slab`] itself.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    pub(super) unsafe fn take_if_free(&self, slab: u32, class: u32, wanted: u32) -> Taken {
        // SAFETY: the caller's promise; what was added beyond what was got is ours.
        unsafe {
            // Relaxed: a hint.
            let word = self.word(slab).load(Relaxed);
            if !self.has_room(word, class) {
                return Taken::NOTHING;
            }
            let (taken, _) = self.raise(slab, class, wanted);
            if taken.count < wanted {
                let rest = wanted - taken.count;
                let word = self.lower(slab, rest);
                self.settle(slab, word, rest);
            }
            taken
        }
    }

    /// Lowers the count of a slab by `count`; the word before. The caller goes on with
    /// [`Self::settle`].
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`, and the caller gives up so many permits or chunks of it,
    /// whose bits are clear.
    #[inline(always)]
    pub(super) unsafe fn lower(&self, slab: u32, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        // Release: our accesses to the chunks, and their clear bits, come before.
        unsafe {
            self.word(slab)
                .fetch_add(u64::from(count).wrapping_neg(), Release)
        }
    }

    /// Whether a slab belongs elsewhere when `count` chunks were given back, before which its
    /// word was `before`.
    #[inline(always)]
    pub(super) fn changes_set(&self, before: u64, count: u32) -> bool {
        let class = class_in(before);
        if is_head(before) || class == u32::MAX {
            return false;
        }
        let shape = self.layout.shape(class);
        let (old, new) = (count_of(before), count_of(before).wrapping_sub(count));
        new == 0
            || (new < shape.chunks && (old >= shape.chunks || shape.level(old) != shape.level(new)))
    }

    /// Puts a slab where it belongs after `count` chunks were given back, before which its word
    /// was `before`: among the free slabs, or into a set of its class.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`.
    #[inline(always)]
    pub(super) unsafe fn settle(&self, slab: u32, before: u64, count: u32) {
        if self.changes_set(before, count) {
            // SAFETY: the caller's promise; the class is one of the heap, which the word had.
            unsafe { self.list(slab, before - u64::from(count)) };
        }
    }

    /// Puts a slab that is no head, with this word, where it belongs.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`, and the word has a class.
    unsafe fn list(&self, slab: u32, word: u64) {
        // SAFETY: the caller's promise.
        unsafe { tasks::list(self.tables, self.layout.to_bits(), slab, word) }
    }

    /// [`Self::list`] itself.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    pub(super) unsafe fn put_in(&self, slab: u32, word: u64) {
        let (class, count) = (class_in(word), count_of(word));
        let shape = self.layout.shape(class);
        // SAFETY: the caller's promise.
        unsafe {
            if count == 0 {
                // If it fails, another thread has raised the count, and lists the slab when it
                // has lowered it again.
                self.retire(slab, word);
            } else if count < shape.chunks {
                let level = shape.level(count);
                self.insert(Set::Of(class, level), slab);
                self.forget_above(level, class, slab);
            }
        }
    }

    /// Takes a slab out of the sets of its class in which more chunks are taken than at `level`.
    ///
    /// # Safety
    ///
    /// As for [`Self::list`], of the class of its word.
    unsafe fn forget_above(&self, level: Level, class: u32, slab: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            if level == Level::Sparse {
                self.forget(Set::Of(class, Level::Roomy), slab);
            }
            if level != Level::Busy {
                self.forget(Set::Of(class, Level::Busy), slab);
            }
        }
    }

    /// Makes a slab free if its word is still `word`, with count 0.
    ///
    /// # Safety
    ///
    /// As for [`Self::list`].
    unsafe fn retire(&self, slab: u32, word: u64) {
        let class = class_in(word);
        // SAFETY: the caller's promise; after the exchange the slab is ours.
        unsafe {
            if self.disband(slab, word) {
                self.forget(Set::Of(class, Level::Sparse), slab);
                self.forget_above(Level::Sparse, class, slab);
                self.insert(Set::Free, slab);
            }
        }
    }

    /// Takes the class of a slab away if its word is still `word`, with count 0; whether it was.
    /// Then the slab is the caller's.
    ///
    /// # Safety
    ///
    /// As for [`Self::list`].
    pub(super) unsafe fn disband(&self, slab: u32, word: u64) -> bool {
        // SAFETY: the caller's promise.
        // Acquire: all that was done to chunks, and to their bits, comes before what the next
        // owner of the slab does, to whom `insert` releases it.
        unsafe {
            self.word(slab)
                .compare_exchange(word, word & TICKETS, Acquire)
                == word
        }
    }

    /// Gives a slab a class, and takes up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// The caller owns the slab, which it gives up but for those chunks; `class` is at most
    /// `layout.last_class`, `wanted` at most 32, and `flag` 0 or [`HEAD`].
    pub(super) unsafe fn install(&self, slab: u32, class: u32, wanted: u32, flag: u64) -> Taken {
        let chunks = self.layout.shape(class).chunks;
        let count = if wanted < chunks { wanted } else { chunks };
        let class_bits = u64::from(class + 1) << CLASS_SHIFT;
        // SAFETY: the caller's promise.
        // Relaxed: the addition passes on the releases of those that lowered the count before,
        // and nothing was done to the slab since. An addition, since others may have raised the
        // count for a moment.
        let before = unsafe {
            self.word(slab)
                .fetch_add(permits(count) | flag | class_bits, Relaxed)
        };
        Taken::of(slab, count, before)
    }

    /// Makes a slab a head if it has the class, is none, and has fewer than `most` chunks in
    /// use; takes up to `wanted` of it.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`, `class` at most `layout.last_class`, `wanted` at most 32,
    /// and `most` at most the chunks of a slab.
    pub(super) unsafe fn promote(&self, slab: u32, class: u32, wanted: u32, most: u32) -> Taken {
        // SAFETY: the caller's promise.
        let state = unsafe { self.word(slab) };
        let chunks = self.layout.shape(class).chunks;
        // Relaxed: a hint; the exchange decides.
        let mut seen = state.load(Relaxed);
        // Who loses so many times tries another slab, so that the time is bounded.
        for _ in 0..TRIES {
            let count = count_of(seen);
            if !has_class(seen, class) || is_head(seen) || count >= most {
                break;
            }
            let left = chunks - count;
            let got = if left < wanted { left } else { wanted };
            // Acquire: as in `raise`.
            let held = state.compare_exchange(seen, (seen | HEAD) + permits(got), Acquire);
            if held == seen {
                return Taken::of(slab, got, seen);
            }
            seen = held;
        }
        Taken::NOTHING
    }

    /// Makes a slab that was a head an ordinary one.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`.
    pub(super) unsafe fn demote(&self, slab: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: a hint. If the slab is no head any more, or one of another class, it is
            // listed once more.
            let before = self.word(slab).fetch_and(!HEAD, Relaxed);
            if class_in(before) != u32::MAX {
                self.list(slab, before & !HEAD);
            }
        }
    }
}

/// Exchanges that are lost at a slab before another one is tried.
const TRIES: u32 = 16;
