//! Where a request looks when the head of its class has nothing and no other slab becomes one:
//! at all slabs of its class.
//!
//! These are other heads, and slabs that no head replacement would take, since they are nearly
//! full. Then come a free slab, or one that is a head of some class but has no chunk in use. All
//! of that is looked at twice, since other threads hold some for a moment: a slab that is being
//! given back, or that a thread has taken out of a set and not yet put into another one. Chunks of
//! larger classes it leaves alone: when requests for 16 bytes took 3 KiB, what the blocks of a full
//! heap had asked for was a quarter of the pool, and not four fifths.

use core::sync::atomic::Ordering::Relaxed;

use super::Slabs;
use super::heads::ChunkRequest;
use super::level::{Level, Set};
use super::word::{NONE, Permits, count_of, has_class, is_head};

impl Slabs {
    /// Chunks of any slab that serves the request.
    ///
    /// # Safety
    ///
    /// As for [`Slabs::find`], of the request.
    pub(super) unsafe fn search(&self, request: ChunkRequest) -> Permits {
        // SAFETY: the caller's promise.
        unsafe {
            let taken = self.look_everywhere(request);
            if taken.count != 0 {
                return taken;
            }
            self.look_everywhere(request)
        }
    }

    /// One look of [`Self::search`].
    ///
    /// # Safety
    ///
    /// As for that.
    unsafe fn look_everywhere(&self, request: ChunkRequest) -> Permits {
        let (class, wanted) = (request.class, request.wanted);
        // SAFETY: the caller's promise; entries have slabs or none, members are slabs, and a slab
        // that was claimed is ours.
        unsafe {
            let mut head = 0;
            while head < self.layout.heads() {
                let slab = self.slab_of_head(class, head);
                if slab != NONE {
                    let taken = self.try_slab(slab, class, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
                head += 1;
            }
            let mut level = 0;
            while level < 3 {
                let set = Set::Of(class, Level::from_fullest(level));
                let taken = self.search_set(set, class, wanted);
                if taken.count != 0 {
                    return taken;
                }
                level += 1;
            }
            let mut slab = self.claim(0);
            if slab == self.layout.slabs {
                slab = self.empty_head();
            }
            if slab == self.layout.slabs {
                return Permits::NOTHING;
            }
            let taken = self.install(slab, class, wanted, 0);
            self.insert(Set::Of(class, Level::AtMostHalf), slab);
            taken
        }
    }

    /// Chunks of a slab of a set.
    ///
    /// # Safety
    ///
    /// As for [`Slabs::try_slab`], of the class of `set`.
    unsafe fn search_set(&self, set: Set, class: u32, wanted: u32) -> Permits {
        let mut at = 0;
        loop {
            // SAFETY: the caller's promise; members are slabs.
            unsafe {
                let slab = self.next_member(set, at);
                if slab == self.layout.slabs {
                    return Permits::NOTHING;
                }
                let taken = self.try_slab(slab, class, wanted);
                if taken.count != 0 {
                    return taken;
                }
                self.remove(set, slab);
                at = slab + 1;
            }
        }
    }

    /// A slab that was a head and had no chunk in use, which is the caller's now and has no
    /// class; or `layout.slabs`.
    ///
    /// # Safety
    ///
    /// The slabs are those of a heap.
    unsafe fn empty_head(&self) -> u32 {
        let mut class = 0;
        while class <= self.layout.last_class {
            let mut head = 0;
            while head < self.layout.heads() {
                // SAFETY: an entry has a slab or none.
                unsafe {
                    let slab = self.slab_of_head(class, head);
                    if slab != NONE {
                        // Relaxed: a hint; the exchange decides.
                        let word = self.word(slab).load(Relaxed);
                        let is_empty = count_of(word) == 0 && is_head(word);
                        if has_class(word, class) && is_empty && self.disband(slab, word) {
                            // Relaxed: a hint. If a thread replaces the head, it may demote
                            // the slab once more, which does no harm.
                            self.head(class, head).compare_exchange(slab, NONE, Relaxed);
                            return slab;
                        }
                    }
                }
                head += 1;
            }
            class += 1;
        }
        self.layout.slabs
    }
}
