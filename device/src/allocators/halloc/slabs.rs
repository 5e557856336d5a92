//! Changes of the word of a slab, whose bits [`word`](super::word) has.
//!
//! | operation | order | why |
//! |---|---|---|
//! | count raised, `acquire_permits` | acquire | pairs with lowered counts, also before the class was given: their bits are clear |
//! | count lowered, `release_permits` | release | our bit is clear before the count says so |
//! | class taken away, `disband` | acquire | all whose chunks were counted free are done |
//! | class given, `install` | relaxed | passes on the releases of lowered counts |
//! | a slab made a head, `promote` | acquire | as `acquire_permits`, for the permits that come with it |
//! | flag of a head taken away | relaxed | a hint: who gets a chunk is decided by the others |
//!
//! A word changes by read-modify-writes only, which continue each other's release sequences:
//! whoever acquires one acquires all before it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::Slabs;
use super::layout::{Shape, WORD_BYTES};
use super::level::{Class, Level, Set};
use super::word::{
    CLASS_SHIFT, HEAD, Permits, Slab, TICKETS, Wanted, class_in, count_of, has_class, is_head,
    permit_bits,
};

/// Exchanges that are lost at a slab before another one is tried.
const TRIES: u32 = 16;

impl Slabs {
    /// How a slab is divided into chunks of a class.
    #[inline(always)]
    pub(super) fn shape(&self, class: Class) -> Shape {
        self.layout.shape(class.number())
    }

    /// The word of a slab.
    #[inline(always)]
    pub(super) fn word(&self, slab: Slab) -> &AtomicU64 {
        let offset = self.layout.words() + u64::from(slab.number()) * WORD_BYTES;
        // SAFETY: the tables have an aligned word for each slab there, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// Whether a slab with this word has a free chunk of the class.
    #[inline(always)]
    pub(super) fn has_room(&self, word: u64, class: Class) -> bool {
        has_class(word, class) && count_of(word) < self.shape(class).chunks
    }

    /// Adds `wanted` to the count of a slab; the permits that this yields, and the word before.
    /// The caller takes back what it has added beyond those.
    #[inline(always)]
    pub(super) fn acquire_permits(
        &self,
        slab: Slab,
        class: Class,
        wanted: Wanted,
    ) -> (Permits, u64) {
        let wanted = wanted.count();
        // Acquire: as many bits are clear as chunks are free, since each was cleared before it
        // was counted, also those of the slab's former class.
        let before = self.word(slab).fetch_add(permit_bits(wanted), Acquire);
        let (chunks, count) = (self.shape(class).chunks, count_of(before));
        let mut got = 0;
        if has_class(before, class) && count < chunks {
            let left = chunks - count;
            got = if left < wanted { left } else { wanted };
        }
        (Permits::of(slab, got, before), before)
    }

    /// Up to `wanted` chunks of a slab, if it looks as if it had some.
    pub(super) fn try_slab(&self, slab: Slab, class: Class, wanted: Wanted) -> Permits {
        let layout = self.layout.to_bits();
        // SAFETY: the tables of this heap.
        Permits::from_bits(unsafe { outlined_try(self.tables, layout, slab, class, wanted) })
    }

    /// [`Self::try_slab`] itself.
    #[inline(always)]
    fn try_slab_inline(&self, slab: Slab, class: Class, wanted: Wanted) -> Permits {
        // Relaxed: a hint.
        let word = self.word(slab).load(Relaxed);
        if !self.has_room(word, class) {
            return Permits::NOTHING;
        }
        let (taken, _) = self.acquire_permits(slab, class, wanted);
        if taken.count < wanted.count() {
            // SAFETY: what was added beyond what was got is ours.
            unsafe { self.release_permits(slab, wanted.count() - taken.count) }
        }
        taken
    }

    /// Lowers the count of a slab by `count`, and puts the slab where it then belongs: among the
    /// free slabs, or into a set of its class.
    ///
    /// # Safety
    ///
    /// The caller gives up so many permits or chunks of the slab, whose bits are clear.
    #[inline(always)]
    pub(super) unsafe fn release_permits(&self, slab: Slab, count: u32) {
        // Release: our accesses to the chunks, and their clear bits, come before.
        let change = u64::from(count).wrapping_neg();
        let before = self.word(slab).fetch_add(change, Release);
        if self.changes_set(before, count) {
            // SAFETY: the word that the slab then had, with a class.
            unsafe { self.update_set(slab, before - u64::from(count)) };
        }
    }

    /// Whether a slab belongs elsewhere when `count` chunks were given back, before which its
    /// word was `before`.
    #[inline(always)]
    fn changes_set(&self, before: u64, count: u32) -> bool {
        let class = class_in(before);
        if is_head(before) || class == u32::MAX {
            return false;
        }
        let shape = self.layout.shape(class);
        let (old, new) = (count_of(before), count_of(before).wrapping_sub(count));
        new == 0
            || (new < shape.chunks && (old >= shape.chunks || shape.level(old) != shape.level(new)))
    }

    /// Puts a slab that is no head, with this word, where it belongs.
    ///
    /// # Safety
    ///
    /// The slab had this word, which has a class.
    unsafe fn update_set(&self, slab: Slab, word: u64) {
        // SAFETY: the tables of this heap, and a word that the slab had.
        unsafe { outlined_update_set(self.tables, self.layout.to_bits(), slab, word) }
    }

    /// [`Self::update_set`] itself.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn update_set_inline(&self, slab: Slab, word: u64) {
        let count = count_of(word);
        // SAFETY: words have classes of the heap.
        let class = unsafe { Class::new(class_in(word)) };
        let shape = self.shape(class);
        if count == 0 {
            // If it fails, another thread has raised the count, and lists the slab when it has
            // lowered it again.
            // SAFETY: no chunk is in use.
            unsafe { self.retire(slab, class, word) }
        } else if count < shape.chunks {
            let level = shape.level(count);
            // SAFETY: the set is not that of free slabs.
            unsafe { self.insert(Set::Of(class, level), slab) }
            self.remove_above(level, class, slab);
        }
    }

    /// Takes a slab out of the sets of its class in which more chunks are taken than at `level`.
    fn remove_above(&self, level: Level, class: Class, slab: Slab) {
        if level == Level::AtMostHalf {
            self.remove(Set::Of(class, Level::BelowThreshold), slab);
        }
        if level != Level::AboveThreshold {
            self.remove(Set::Of(class, Level::AboveThreshold), slab);
        }
    }

    /// Makes a slab of a class free if its word is still `word`.
    ///
    /// # Safety
    ///
    /// As for [`Self::disband`].
    unsafe fn retire(&self, slab: Slab, class: Class, word: u64) {
        // SAFETY: no chunk is in use; after the exchange the slab is ours.
        unsafe {
            if self.disband(slab, word) {
                self.remove(Set::Of(class, Level::AtMostHalf), slab);
                self.remove_above(Level::AtMostHalf, class, slab);
                self.insert(Set::Free, slab);
            }
        }
    }

    /// Takes the class of a slab away if its word is still `word`; whether it was. Then the slab
    /// is the caller's.
    ///
    /// # Safety
    ///
    /// The word has a class and count 0.
    pub(super) unsafe fn disband(&self, slab: Slab, word: u64) -> bool {
        // Acquire: all that was done to chunks, and to their bits, comes before what the next
        // owner of the slab does, to whom `insert` releases it.
        self.word(slab)
            .compare_exchange(word, word & TICKETS, Acquire)
            == word
    }

    /// Gives a slab a class, and takes up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// The caller owns the slab, which it gives up but for those chunks; `flag` is 0 or [`HEAD`].
    pub(super) unsafe fn install(
        &self,
        slab: Slab,
        class: Class,
        wanted: Wanted,
        flag: u64,
    ) -> Permits {
        let (chunks, wanted) = (self.shape(class).chunks, wanted.count());
        let count = if wanted < chunks { wanted } else { chunks };
        let class_bits = u64::from(class.number() + 1) << CLASS_SHIFT;
        // Relaxed: the addition passes on the releases of those that lowered the count before,
        // and nothing was done to the slab since. An addition, since others may have raised the
        // count for a moment.
        let added = permit_bits(count) | flag | class_bits;
        let before = self.word(slab).fetch_add(added, Relaxed);
        Permits::of(slab, count, before)
    }

    /// Makes a slab a head if it has the class, is none, and has fewer than `most` chunks in
    /// use; takes up to `wanted` of it.
    ///
    /// # Safety
    ///
    /// `most` is at most the chunks of a slab of the class.
    pub(super) unsafe fn promote(
        &self,
        slab: Slab,
        class: Class,
        wanted: Wanted,
        most: u32,
    ) -> Permits {
        let state = self.word(slab);
        let (chunks, wanted) = (self.shape(class).chunks, wanted.count());
        // Relaxed: a hint; the exchange decides.
        let mut seen = state.load(Relaxed);
        // A thread that loses so many times tries another slab, so that the time is bounded.
        for _ in 0..TRIES {
            let count = count_of(seen);
            if !has_class(seen, class) || is_head(seen) || count >= most {
                break;
            }
            let left = chunks - count;
            let got = if left < wanted { left } else { wanted };
            // Acquire: as in `acquire_permits`.
            let held = state.compare_exchange(seen, (seen | HEAD) + permit_bits(got), Acquire);
            if held == seen {
                return Permits::of(slab, got, seen);
            }
            seen = held;
        }
        Permits::NOTHING
    }

    /// Makes a slab that was a head an ordinary one.
    pub(super) fn demote(&self, slab: Slab) {
        // Relaxed: a hint. If the slab is no head any more, or one of another class, it is listed
        // once more.
        let before = self.word(slab).fetch_and(!HEAD, Relaxed);
        if class_in(before) != u32::MAX {
            // SAFETY: the word that the slab then had, with a class.
            unsafe { self.update_set(slab, before & !HEAD) };
        }
    }
}

/// [`Slabs::try_slab`], out of line; the bits of what was taken.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap, and so are slab and class.
#[inline(never)]
unsafe fn outlined_try(
    tables: *mut u8,
    layout: u64,
    slab: Slab,
    class: Class,
    wanted: Wanted,
) -> u64 {
    // SAFETY: the tables of a heap.
    let slabs = unsafe { Slabs::without_blocks(tables, layout) };
    slabs.try_slab_inline(slab, class, wanted).to_bits()
}

/// [`Slabs::update_set`], out of line.
///
/// # Safety
///
/// As for [`outlined_try`] and that.
#[inline(never)]
unsafe fn outlined_update_set(tables: *mut u8, layout: u64, slab: Slab, word: u64) {
    // SAFETY: the tables of a heap, and a word that the slab had.
    unsafe { Slabs::without_blocks(tables, layout).update_set_inline(slab, word) }
}
