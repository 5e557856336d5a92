//! The heads: of each class the slabs from which its requests are served.
//!
//! A head is an entry with the number of a slab, and a flag while a thread replaces it. Which
//! slab is in an entry is a hint, that the slab's word confirms. So all accesses to entries are
//! relaxed, and all that the flag does is to keep many threads from replacing the same head.
//! A thread that has waited in vain for another one to do it takes chunks elsewhere
//! ([`search`](super::search)).
//!
//! A thread that fills a head beyond the threshold replaces it, while others go on with what is
//! left.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::Slabs;
use super::layout::WORD_BYTES;
use super::level::{Level, Set};
use super::word::{HEAD, NONE, Permits, count_of, has_class, is_head};
use crate::simt::{Backoff, Warp};

/// Set in an entry while a thread replaces the head.
const REPLACED: u32 = 1 << 31;
/// Looks at an entry whose head is full before a thread takes chunks elsewhere: of the pauses
/// between them the last are 4 microseconds long on a GPU.
const PATIENCE: u32 = 16;

/// A request for chunks of a class.
#[derive(Clone, Copy)]
pub struct ChunkRequest {
    /// The class.
    pub class: u32,
    /// Which of its heads.
    pub head: u32,
    /// How many chunks, at most 32; 0 if it has what it wants, and filled the head with it.
    pub wanted: u32,
    /// Permits that it has added to the head's count and not got.
    pub surplus: u32,
}

impl ChunkRequest {
    /// The request in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.surplus << 16 | self.wanted << 8 | self.head << 4 | self.class
    }

    /// The request of these bits.
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
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Permits {
        let head = warp.processor() & (self.layout.heads() - 1);
        let mut request = ChunkRequest {
            class,
            head,
            wanted,
            surplus: 0,
        };
        // SAFETY: the caller's promise; an entry has a slab or none.
        unsafe {
            let slab = self.slab_of_head(class, head);
            let mut taken = Permits::NOTHING;
            if slab != NONE {
                let before;
                (taken, before) = self.acquire_permits(slab, class, wanted);
                request.surplus = wanted - taken.count;
                if taken.count != 0 {
                    if request.surplus == 0 && !self.crosses(class, before, wanted) {
                        return taken;
                    }
                    request.wanted = 0;
                }
            }
            let layout = self.layout.to_bits();
            let more = outlined_refill(warp, self.tables, layout, request.to_bits(), slab);
            if taken.count == 0 {
                taken = Permits::from_bits(more);
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
    unsafe fn needs_replacement(&self, slab: u32, class: u32) -> bool {
        if slab == NONE {
            return true;
        }
        // SAFETY: the caller's promise.
        // Relaxed: a hint.
        let word = unsafe { self.word(slab).load(Relaxed) };
        !has_class(word, class) || count_of(word) >= self.layout.shape(class).threshold()
    }

    /// The rest of [`Self::find`] if `slab`, the head, has not served all of the request, or is
    /// filled by it: gives back the surplus, sees to another head, and takes chunks of it.
    ///
    /// # Safety
    ///
    /// As for `find`, of the request; `slab` is below `layout.slabs` or [`NONE`], and its count
    /// contains the surplus.
    pub(super) unsafe fn refill<W: Warp>(
        &self,
        warp: W,
        request: ChunkRequest,
        slab: u32,
    ) -> Permits {
        let (class, mut wanted) = (request.class, request.wanted);
        let mut taken = Permits::NOTHING;
        let mut pause = Backoff::new();
        // SAFETY: the caller's promise: entries have slabs or none.
        unsafe {
            if request.surplus != 0 {
                let before = self.release_permits(slab, request.surplus);
                self.update_set_after(slab, before, request.surplus);
            }
            let entry = self.head(class, request.head);
            for _ in 0..PATIENCE {
                let held = entry.load(Relaxed);
                let slab = held & !REPLACED;
                if wanted != 0 && slab != NONE {
                    taken = self.try_slab(slab, class, wanted);
                    if taken.count != 0 {
                        wanted = 0;
                    }
                }
                if wanted == 0 && (held & REPLACED != 0 || !self.needs_replacement(slab, class)) {
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
                taken = self.search(request);
            }
            taken
        }
    }

    /// A slab for a head in place of `old`: one with at most half of its chunks
    /// taken, a free one, or one below the threshold; and
    /// up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `wanted` at most 32.
    unsafe fn obtain(&self, class: u32, wanted: u32, old: u32) -> Permits {
        // SAFETY: the caller's promise; a slab that was claimed is ours.
        unsafe {
            let promoted = self.promote_member(class, Level::AtMostHalf, wanted);
            if promoted.slab != NONE {
                return promoted;
            }
            let from = if old < self.layout.slabs { old } else { 0 };
            let slab = self.claim(from);
            if slab != self.layout.slabs {
                return self.install(slab, class, wanted, HEAD);
            }
            self.promote_member(class, Level::BelowThreshold, wanted)
        }
    }

    /// A slab of a set of the class that was made a head, with up to `wanted` chunks of it.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.last_class`, and `wanted` at most 32.
    unsafe fn promote_member(&self, class: u32, level: Level, wanted: u32) -> Permits {
        let layout = self.layout.to_bits();
        // SAFETY: the caller's promise.
        Permits::from_bits(unsafe { outlined_promote(self.tables, layout, class, level, wanted) })
    }

    /// [`Self::promote_member`] itself.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    pub(super) unsafe fn promote_inline(&self, class: u32, level: Level, wanted: u32) -> Permits {
        let threshold = self.layout.shape(class).threshold();
        let set = Set::Of(class, level);
        let mut at = 0;
        loop {
            // SAFETY: the caller's promise; members are slabs.
            unsafe {
                let slab = self.next_member(set, at);
                if slab == self.layout.slabs {
                    return Permits::NOTHING;
                }
                let taken = self.promote(slab, class, wanted, threshold);
                // Relaxed: a hint.
                let word = self.word(slab).load(Relaxed);
                if is_head(word) || !self.has_room(word, class) {
                    self.remove(set, slab);
                }
                if taken.slab != NONE {
                    return taken;
                }
                at = slab + 1;
            }
        }
    }
}

/// [`Slabs::refill`], out of line, with the bits of a [`ChunkRequest`]; those of what was taken.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined_refill<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    request: u32,
    slab: u32,
) -> u64 {
    let slabs = Slabs::without_blocks(tables, layout);
    // SAFETY: the caller's promise.
    unsafe { slabs.refill(warp, ChunkRequest::from_bits(request), slab) }.to_bits()
}

/// [`Slabs::promote_member`], out of line; the bits of what was taken.
///
/// # Safety
///
/// As for [`outlined_refill`] and that.
#[inline(never)]
unsafe fn outlined_promote(
    tables: *mut u8,
    layout: u64,
    class: u32,
    level: Level,
    wanted: u32,
) -> u64 {
    let slabs = Slabs::without_blocks(tables, layout);
    // SAFETY: the caller's promise.
    unsafe { slabs.promote_inline(class, level, wanted) }.to_bits()
}
