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
use super::level::{Class, Level, Set};
use super::word::{HEAD, NONE, Permits, Slab, Wanted, count_of, has_class, is_head};
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
    pub class: Class,
    /// Which of its heads: below `layout.heads()`.
    head: u32,
    /// How many chunks; none if it has what it wants, and filled the head with it.
    pub wanted: Wanted,
    /// Permits that it has added to the head's count and not got.
    surplus: u32,
}

impl ChunkRequest {
    /// The request in a word.
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.surplus << 16 | self.wanted.count() << 8 | self.head << 4 | self.class.number()
    }

    /// The request of these bits.
    ///
    /// # Safety
    ///
    /// They are those of a request.
    #[inline(always)]
    unsafe fn from_bits(bits: u32) -> Self {
        // SAFETY: the class and the chunks of a request.
        let (class, wanted) = unsafe { (Class::new(bits & 0xf), Wanted::new(bits >> 8 & 0xff)) };
        Self {
            class,
            head: bits >> 4 & 0xf,
            wanted,
            surplus: bits >> 16,
        }
    }
}

impl Slabs {
    /// An entry with a head of a class.
    ///
    /// # Safety
    ///
    /// `head` is below `layout.heads()`.
    #[inline(always)]
    pub(super) unsafe fn head(&self, class: Class, head: u32) -> &AtomicU32 {
        // SAFETY: the class has so many entries.
        unsafe { self.head_at(class.number() << self.layout.head_bits | head) }
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

    /// The slab of an entry with these bits, if it has one.
    ///
    /// # Safety
    ///
    /// An entry of the heap had these bits.
    #[inline(always)]
    unsafe fn slab_in(held: u32) -> Option<Slab> {
        let slab = held & !REPLACED;
        // SAFETY: entries have slabs of the heap or none.
        (slab != NONE).then(|| unsafe { Slab::new(slab) })
    }

    /// The slab of an entry, if it has one.
    ///
    /// # Safety
    ///
    /// As for [`Self::head`].
    #[inline(always)]
    pub(super) unsafe fn slab_of_head(&self, class: Class, head: u32) -> Option<Slab> {
        // SAFETY: one of the entries of the class.
        unsafe { Self::slab_in(self.head(class, head).load(Relaxed)) }
    }

    /// Up to `wanted` chunks of a class, one at least.
    #[inline(always)]
    pub(super) fn find<W: Warp>(&self, warp: W, class: Class, wanted: Wanted) -> Permits {
        let head = warp.processor() & (self.layout.heads() - 1);
        let mut request = ChunkRequest {
            class,
            head,
            wanted,
            surplus: 0,
        };
        // SAFETY: one of the heads of the class; the surplus was added to its count.
        unsafe {
            let slab = self.slab_of_head(class, head);
            let mut taken = Permits::NOTHING;
            if let Some(slab) = slab {
                let before;
                (taken, before) = self.acquire_permits(slab, class, wanted);
                request.surplus = wanted.count() - taken.count;
                if taken.count != 0 {
                    if request.surplus == 0 && !self.crosses(class, before, wanted.count()) {
                        return taken;
                    }
                    request.wanted = Wanted::NONE;
                }
            }
            let layout = self.layout.to_bits();
            let slab = slab.map_or(NONE, Slab::number);
            let more = outlined_refill(warp, self.tables, layout, request.to_bits(), slab);
            if taken.count == 0 {
                taken = Permits::from_bits(more);
            }
            taken
        }
    }

    /// Whether `count` more chunks fill a slab with this word beyond the threshold.
    #[inline(always)]
    fn crosses(&self, class: Class, before: u64, count: u32) -> bool {
        let threshold = self.shape(class).threshold();
        let taken = count_of(before);
        taken < threshold && taken + count >= threshold
    }

    /// Whether the slab of an entry should be replaced, if it has one.
    fn needs_replacement(&self, slab: Option<Slab>, class: Class) -> bool {
        let Some(slab) = slab else {
            return true;
        };
        // Relaxed: a hint.
        let word = self.word(slab).load(Relaxed);
        !has_class(word, class) || count_of(word) >= self.shape(class).threshold()
    }

    /// The rest of [`Self::find`] if `slab`, the head, has not served all of the request, or is
    /// filled by it: gives back the surplus, sees to another head, and takes chunks of it.
    ///
    /// # Safety
    ///
    /// If there is a surplus, `slab` is one of the heap, and its count contains that.
    unsafe fn refill<W: Warp>(&self, warp: W, request: ChunkRequest, slab: u32) -> Permits {
        let (class, mut wanted) = (request.class, request.wanted);
        let mut taken = Permits::NOTHING;
        let mut pause = Backoff::new();
        // SAFETY: the surplus is ours; a request names one of the heads of its class.
        let entry = unsafe {
            if request.surplus != 0 {
                self.release_permits(Slab::new(slab), request.surplus);
            }
            self.head(class, request.head)
        };
        for _ in 0..PATIENCE {
            let held = entry.load(Relaxed);
            // SAFETY: the entry had these bits.
            let slab = || unsafe { Self::slab_in(held) };
            if wanted.count() != 0
                && let Some(slab) = slab()
            {
                taken = self.try_slab(slab, class, wanted);
                if taken.count != 0 {
                    wanted = Wanted::NONE;
                }
            }
            if wanted.count() == 0
                && (held & REPLACED != 0 || !self.needs_replacement(slab(), class))
            {
                return taken;
            }
            if held & REPLACED != 0 {
                pause.pause(warp);
                continue;
            }
            if entry.compare_exchange(held, held | REPLACED, Relaxed) != held {
                continue;
            }
            let new = self.obtain(class, wanted, held & !REPLACED);
            if new.slab == NONE {
                entry.store(held & !REPLACED, Relaxed);
                break;
            }
            entry.store(new.slab, Relaxed);
            if let Some(slab) = slab() {
                self.demote(slab);
            }
            if wanted.count() != 0 {
                taken = new;
            }
            if taken.count != 0 {
                return taken;
            }
        }
        if wanted.count() != 0 {
            taken = self.search(request);
        }
        taken
    }

    /// A slab for a head in place of number `old`: one with at most half of its chunks
    /// taken, a free one, or one below the threshold; and
    /// up to `wanted` chunks of it.
    fn obtain(&self, class: Class, wanted: Wanted, old: u32) -> Permits {
        let promoted = self.promote_member(class, Level::AtMostHalf, wanted);
        if promoted.slab != NONE {
            return promoted;
        }
        let from = if old < self.layout.slabs { old } else { 0 };
        // SAFETY: a slab that was claimed is ours.
        unsafe {
            if let Some(slab) = self.slab_or_none(self.claim(from)) {
                return self.install(slab, class, wanted, HEAD);
            }
        }
        self.promote_member(class, Level::BelowThreshold, wanted)
    }

    /// A slab of a set of the class that was made a head, with up to `wanted` chunks of it.
    fn promote_member(&self, class: Class, level: Level, wanted: Wanted) -> Permits {
        let layout = self.layout.to_bits();
        // SAFETY: the tables of this heap.
        Permits::from_bits(unsafe { outlined_promote(self.tables, layout, class, level, wanted) })
    }

    /// [`Self::promote_member`] itself.
    #[inline(always)]
    fn promote_inline(&self, class: Class, level: Level, wanted: Wanted) -> Permits {
        let threshold = self.shape(class).threshold();
        let set = Set::Of(class, level);
        let mut at = 0;
        loop {
            let Some(slab) = self.next_member(set, at) else {
                return Permits::NOTHING;
            };
            // SAFETY: the threshold is a part of the chunks.
            let taken = unsafe { self.promote(slab, class, wanted, threshold) };
            // Relaxed: a hint.
            let word = self.word(slab).load(Relaxed);
            if is_head(word) || !self.has_room(word, class) {
                self.remove(set, slab);
            }
            if taken.slab != NONE {
                return taken;
            }
            at = slab.number() + 1;
        }
    }
}

/// [`Slabs::refill`], out of line, with the bits of a [`ChunkRequest`]; those of what was taken.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap; otherwise as for that, of the entry's
/// slab or [`NONE`].
#[inline(never)]
unsafe fn outlined_refill<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    request: u32,
    slab: u32,
) -> u64 {
    // SAFETY: the tables of a heap, a request to it, and the slab with the surplus.
    unsafe {
        let slabs = Slabs::without_blocks(tables, layout);
        let request = ChunkRequest::from_bits(request);
        slabs.refill(warp, request, slab).to_bits()
    }
}

/// [`Slabs::promote_member`], out of line; the bits of what was taken.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap, and so is the class.
#[inline(never)]
unsafe fn outlined_promote(
    tables: *mut u8,
    layout: u64,
    class: Class,
    level: Level,
    wanted: Wanted,
) -> u64 {
    // SAFETY: the tables of a heap.
    let slabs = unsafe { Slabs::without_blocks(tables, layout) };
    slabs.promote_inline(class, level, wanted).to_bits()
}
