//! The heads: of each class the slabs from which its requests are served.
//!
//! A head is an entry with the number of a slab, and a flag while a thread replaces it. Which
//! slab is in an entry is a hint, that the slab's word confirms. So all accesses to entries are
//! relaxed, and all that the flag does is to keep many threads from replacing the same head. Who
//! has waited in vain for another one to do it takes chunks elsewhere ([`search`](super::search)).
//!
//! Who fills a head beyond the threshold replaces it, while others go on with what is left.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::Slabs;
use super::layout::WORD_BYTES;
use super::sets::{Level, Set};
use super::slabs::{HEAD, NONE, Taken, count_of, has_class, is_head};
use super::tasks;
use crate::simt::{Backoff, Warp};

/// Set in an entry while a thread replaces the head.
const REPLACED: u32 = 1 << 31;
/// Looks at an entry whose head is full before a thread takes chunks elsewhere: of the pauses
/// between them the last are 4 microseconds long on a GPU.
const PATIENCE: u32 = 16;

/// What a thread wants of a class.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The class.
    pub class: u32,
    /// Which of its heads.
    pub head: u32,
    /// How many chunks, at most 32; 0 if it has what it wants, and filled the head with it.
    pub wanted: u32,
    /// Permits that it has added to the head's count and not got.
    pub surplus: u32,
}

impl Wish {
    /// The wish in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.surplus << 16 | self.wanted << 8 | self.head << 4 | self.class
    }

    /// The wish of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u32) -> Self {
        Self {
            class: bits & 0xf,
            head: bits >> 4 & 0xf,
            wanted: bits >> 8 & 0xff,
            surplus: bits >> 16,
        }
    }
}

impl Slabs {
    /// An entry with a head of a class.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `head` below `layout.heads()`.
    #[inline(always)]
    pub(super) unsafe fn head(&self, class: u32, head: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { self.head_at(class << self.layout.head_bits | head) }
    }

    /// An entry, with its number among those of all classes.
    ///
    /// # Safety
    ///
    /// There are so many: `layout.heads()` for each class.
    #[inline(always)]
    pub(super) unsafe fn head_at(&self, index: u32) -> &AtomicU32 {
        let offset = self.layout.first_head() + u64::from(index) * WORD_BYTES;
        // SAFETY: the tables have a word for each head there, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// The slab of an entry, or [`NONE`].
    ///
    /// # Safety
    ///
    /// As for [`Self::head`].
    #[inline(always)]
    pub(super) unsafe fn slab_of_head(&self, class: u32, head: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.head(class, head).load(Relaxed) & !REPLACED }
    }

    /// Up to `wanted` chunks of a class.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `wanted` from 1 to 32.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        let head = warp.processor() & (self.layout.heads() - 1);
        let mut wish = Wish {
            class,
            head,
            wanted,
            surplus: 0,
        };
        // SAFETY: the caller's promise; an entry has a slab or none.
        unsafe {
            let slab = self.slab_of_head(class, head);
            let mut taken = Taken::NOTHING;
            if slab != NONE {
                let before;
                (taken, before) = self.raise(slab, class, wanted);
                wish.surplus = wanted - taken.count;
                if taken.count != 0 {
                    if wish.surplus == 0 && !self.crosses(class, before, wanted) {
                        return taken;
                    }
                    wish.wanted = 0;
                }
            }
            let layout = self.layout.to_bits();
            let more = tasks::refill(warp, self.tables, layout, wish.to_bits(), slab);
            if taken.count == 0 {
                taken = Taken::from_bits(more);
            }
            taken
        }
    }

    /// Whether `count` more chunks fill a slab with this word beyond the threshold.
    #[inline(always)]
    fn crosses(&self, class: u32, before: u64, count: u32) -> bool {
        let threshold = self.layout.shape(class).threshold();
        let taken = count_of(before);
        taken < threshold && taken + count >= threshold
    }

    /// Whether the slab of an entry should be replaced.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs` or [`NONE`].
    unsafe fn is_worn(&self, slab: u32, class: u32) -> bool {
        if slab == NONE {
            return true;
        }
        // SAFETY: the caller's promise.
        // Relaxed: a hint.
        let word = unsafe { self.word(slab).load(Relaxed) };
        !has_class(word, class) || count_of(word) >= self.layout.shape(class).threshold()
    }

    /// What is left of [`Self::find`] if `slab`, the head, has not served all of the wish, or is
    /// filled by it: gives back the surplus, sees to another head, and takes chunks of it.
    ///
    /// # Safety
    ///
    /// As for `find`, of the wish; `slab` is below `layout.slabs` or [`NONE`], and its count
    /// contains the surplus.
    pub(super) unsafe fn refill<W: Warp>(&self, warp: W, wish: Wish, slab: u32) -> Taken {
        let (class, mut wanted) = (wish.class, wish.wanted);
        let mut taken = Taken::NOTHING;
        let mut pause = Backoff::new();
        // SAFETY: the caller's promise: entries have slabs or none.
        unsafe {
            if wish.surplus != 0 {
                let before = self.lower(slab, wish.surplus);
                self.settle(slab, before, wish.surplus);
            }
            let entry = self.head(class, wish.head);
            for _ in 0..PATIENCE {
                let held = entry.load(Relaxed);
                let slab = held & !REPLACED;
                if wanted != 0 && slab != NONE {
                    taken = self.try_slab(slab, class, wanted);
                    if taken.count != 0 {
                        wanted = 0;
                    }
                }
                if wanted == 0 && (held & REPLACED != 0 || !self.is_worn(slab, class)) {
                    return taken;
                }
                if held & REPLACED != 0 {
                    pause.pause(warp);
                    continue;
                }
                if entry.compare_exchange(held, held | REPLACED, Relaxed) != held {
                    continue;
                }
                let new = self.obtain(class, wanted, slab);
                if new.slab == NONE {
                    entry.store(slab, Relaxed);
                    break;
                }
                entry.store(new.slab, Relaxed);
                if slab != NONE {
                    self.demote(slab);
                }
                if wanted != 0 {
                    taken = new;
                }
                if taken.count != 0 {
                    return taken;
                }
            }
            if wanted != 0 {
                taken = self.search(wish);
            }
            taken
        }
    }

    /// A slab for a head in place of `old`: a sparse one, a free one, or a roomy one; and
    /// up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `wanted` at most 32.
    unsafe fn obtain(&self, class: u32, wanted: u32, old: u32) -> Taken {
        // SAFETY: the caller's promise; a slab that was claimed is ours.
        unsafe {
            let promoted = self.promoted(class, Level::Sparse, wanted);
            if promoted.slab != NONE {
                return promoted;
            }
            let from = if old < self.layout.slabs { old } else { 0 };
            let slab = self.claim(from);
            if slab != self.layout.slabs {
                return self.install(slab, class, wanted, HEAD);
            }
            self.promoted(class, Level::Roomy, wanted)
        }
    }

    /// A slab of a set of the class that was made a head, with up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `wanted` at most 32.
    unsafe fn promoted(&self, class: u32, level: Level, wanted: u32) -> Taken {
        let layout = self.layout.to_bits();
        // SAFETY: the caller's promise.
        Taken::from_bits(unsafe { tasks::promoted(self.tables, layout, class, level, wanted) })
    }

    /// [`Self::promoted`] itself.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    pub(super) unsafe fn promote_member(&self, class: u32, level: Level, wanted: u32) -> Taken {
        let threshold = self.layout.shape(class).threshold();
        let set = Set::Of(class, level);
        let mut at = 0;
        loop {
            // SAFETY: the caller's promise; members are slabs.
            unsafe {
                let slab = self.next_member(set, at);
                if slab == self.layout.slabs {
                    return Taken::NOTHING;
                }
                let taken = self.promote(slab, class, wanted, threshold);
                // Relaxed: a hint.
                let word = self.word(slab).load(Relaxed);
                if is_head(word) || !self.has_room(word, class) {
                    self.forget(set, slab);
                }
                if taken.slab != NONE {
                    return taken;
                }
                at = slab + 1;
            }
        }
    }
}
