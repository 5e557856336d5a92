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
use super::level::{Class, Level, Set};
use super::word::{NONE, Permits, Wanted, count_of, has_class, is_head};

impl Slabs {
    /// Chunks of any slab that serves the request.
    pub(super) fn search(&self, request: ChunkRequest) -> Permits {
        let taken = self.look_everywhere(request);
        if taken.count != 0 {
            return taken;
        }
        self.look_everywhere(request)
    }

    /// One look of [`Self::search`].
    fn look_everywhere(&self, request: ChunkRequest) -> Permits {
        let (class, wanted) = (request.class, request.wanted);
        let mut head = 0;
        while head < self.layout.heads() {
            // SAFETY: one of the heads of the class.
            if let Some(slab) = unsafe { self.slab_of_head(class, head) } {
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
        // SAFETY: a slab that was claimed or disbanded is ours; the set is not that of free ones.
        unsafe {
            let Some(slab) = self.slab_or_none(slab) else {
                return Permits::NOTHING;
            };
            let taken = self.install(slab, class, wanted, 0);
            self.insert(Set::Of(class, Level::AtMostHalf), slab);
            taken
        }
    }

    /// Chunks of a slab of a set.
    fn search_set(&self, set: Set, class: Class, wanted: Wanted) -> Permits {
        let mut at = 0;
        loop {
            let Some(slab) = self.next_member(set, at) else {
                return Permits::NOTHING;
            };
            let taken = self.try_slab(slab, class, wanted);
            if taken.count != 0 {
                return taken;
            }
            self.remove(set, slab);
            at = slab.number() + 1;
        }
    }

    /// A slab that was a head and had no chunk in use, which is the caller's now and has no
    /// class: its number, or `layout.slabs`.
    fn empty_head(&self) -> u32 {
        let mut number = 0;
        while number <= self.layout.last_class {
            let mut head = 0;
            while head < self.layout.heads() {
                // SAFETY: a class of the heap, one of its heads, and a slab whose count is 0.
                unsafe {
                    let class = Class::new(number);
                    if let Some(slab) = self.slab_of_head(class, head) {
                        // Relaxed: a hint; the exchange decides.
                        let word = self.word(slab).load(Relaxed);
                        let is_empty = count_of(word) == 0 && is_head(word);
                        if has_class(word, class) && is_empty && self.disband(slab, word) {
                            // Relaxed: a hint. If a thread replaces the head, it may demote
                            // the slab once more, which does no harm.
                            let entry = self.head(class, head);
                            entry.compare_exchange(slab.number(), NONE, Relaxed);
                            return slab.number();
                        }
                    }
                }
                head += 1;
            }
            number += 1;
        }
        self.layout.slabs
    }
}
