//! The bits of a slab's chunks, set while a chunk has an owner.
//!
//! A ticket names a chunk. If that is taken, its word tells which of 31 others are free, and if
//! none is, rows of 16 words are looked at, one after the other ([`outlined_another`]).
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit set, `take_bit` | acquire | what the chunk's former owner did comes before what we do |
//! | bit cleared, `clear_bit` | release | our accesses to the chunk come before its next owner's |
//! | rows | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{self, AtomicU32};

use super::Slabs;
use super::layout::Shape;
use super::level::Class;
use super::word::{Permits, Slab};
use crate::simt::Warp;

/// A set bit of `bits`, which has one: the first from bit `from` on, around the end.
#[inline(always)]
fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

impl Slabs {
    /// Where a word of the bitmap of a slab is.
    #[inline(always)]
    fn bits_at(&self, slab: Slab, word: u32) -> *const AtomicU32 {
        // The tables begin with the bitmaps of all slabs.
        let offset = self.layout.bitmap(slab.number()) + 4 * u64::from(word);
        self.tables.wrapping_add(offset as usize).cast()
    }

    /// A word of the bitmap of a slab.
    ///
    /// # Safety
    ///
    /// `word` is one of the slab's bitmap.
    #[inline(always)]
    unsafe fn bits(&self, slab: Slab, word: u32) -> &AtomicU32 {
        // SAFETY: the bitmap has the word, which is aligned, and always atomic.
        unsafe { &*self.bits_at(slab, word) }
    }

    /// Clears the bits of a word, of a heap that no thread uses.
    ///
    /// # Safety
    ///
    /// As for [`Self::bits`].
    #[inline(always)]
    pub(super) unsafe fn reset_bits(&self, slab: Slab, word: u32) {
        // SAFETY: a word of the bitmap.
        // Relaxed: the heap is used by later launches only.
        unsafe { self.bits(slab, word).store(0, Relaxed) };
    }

    /// The chunk of a slab for the permit with number `index` of `taken`.
    ///
    /// # Safety
    ///
    /// `taken` are permits for chunks of `class`, and the caller has this one of them.
    #[inline(always)]
    pub(super) unsafe fn take_bit<W: Warp>(
        &self,
        warp: W,
        class: Class,
        taken: Permits,
        index: u32,
    ) -> u32 {
        // SAFETY: permits are for chunks of a slab.
        let slab = unsafe { Slab::new(taken.slab) };
        let shape = self.shape(class);
        let ticket = taken.ticket.wrapping_add(index);
        let chunk = ticket.checked_rem(shape.chunks).unwrap_or(0);
        let (word, bit) = shape.place(chunk);
        // SAFETY: a chunk of the slab has a bit there.
        let seen = unsafe { self.set_bit(slab, word, bit) };
        if seen >> bit & 1 == 0 {
            return chunk;
        }
        let layout = self.layout.to_bits();
        // SAFETY: the slab is one of the heap, and the caller has a permit for a chunk of it.
        unsafe { outlined_another(warp, self.tables, layout, slab, class, chunk, seen) }
    }

    /// Sets a bit of a slab's bitmap; the word before. The chunk is the caller's if the bit was
    /// clear.
    ///
    /// # Safety
    ///
    /// As for [`Self::bits`], of a bit that a chunk has, and the caller has a permit.
    #[inline(always)]
    unsafe fn set_bit(&self, slab: Slab, word: u32, bit: u32) -> u32 {
        // SAFETY: a word of the bitmap.
        // Acquire: what the former owner of the chunk did before it cleared the bit comes
        // before what we do. Others change other bits by read-modify-writes.
        unsafe { self.bits(slab, word).fetch_or(1 << bit, Acquire) }
    }

    /// Another chunk than `chunk`, which was taken when its word was `seen`: of the same word,
    /// or of the first that has a clear bit.
    ///
    /// There is a clear bit for each permit. A pass over all words that finds none was overtaken
    /// by threads that took theirs: they made progress, and the caller's is left.
    ///
    /// # Safety
    ///
    /// The caller has a permit for a chunk of the slab, of this class, and `chunk` is one.
    #[inline(always)]
    unsafe fn take_another<W: Warp>(
        &self,
        warp: W,
        slab: Slab,
        class: Class,
        chunk: u32,
        seen: u32,
    ) -> u32 {
        let shape = self.shape(class);
        let (mut word, mut bit) = shape.place(chunk);
        let mut free = !seen & shape.mask(word);
        loop {
            while free != 0 {
                bit = pick(free, bit);
                // SAFETY: a chunk of the slab has a bit there, and the caller's permit.
                let seen = unsafe { self.set_bit(slab, word, bit) };
                if seen >> bit & 1 == 0 {
                    return shape.chunk(word, bit);
                }
                // Another thread got a chunk meanwhile.
                free = !seen & shape.mask(word);
            }
            // SAFETY: the shape and a word of the slab, where we have a permit.
            word = unsafe { self.next_word(warp, slab, shape, word) };
            // SAFETY: one of the words of the bitmap.
            // Relaxed: a hint.
            free = !unsafe { self.bits(slab, word).load(Relaxed) } & shape.mask(word);
        }
    }

    /// A word in the rows behind that of word `from`, around the end, that had a clear bit.
    ///
    /// # Safety
    ///
    /// As for [`Self::take_another`], of chunks of this shape; `from` is one of the words of the
    /// bitmap.
    #[inline(always)]
    unsafe fn next_word<W: Warp>(&self, warp: W, slab: Slab, shape: Shape, from: u32) -> u32 {
        let words = 1 << shape.word_bits;
        // The first words have a bit more than the others.
        let (common, longer) = (shape.chunks >> shape.word_bits, shape.chunks & (words - 1));
        let few = (1_u64 << common) as u32;
        let few = few.wrapping_sub(1);
        let many = few << 1 | 1;
        let mut word = from;
        loop {
            word = (word & !15) + 16;
            if word >= words {
                word = 0;
                warp.back_off();
            }
            // SAFETY: a bitmap has a multiple of 16 words, and these are 16 of them.
            let row = unsafe { &*self.bits_at(slab, word).cast() };
            let [a, b, c, d] = atomic::load_row(row);
            let mut free = 0;
            for (first, four) in [(0, a), (4, b), (8, c), (12, d)] {
                for (offset, seen) in [(0, four[0]), (1, four[1]), (2, four[2]), (3, four[3])] {
                    let mask = if word + first + offset < longer {
                        many
                    } else {
                        few
                    };
                    free |= u32::from(!seen & mask != 0) << (first + offset);
                }
            }
            // A bitmap may have fewer words than a row.
            let here = if words < 16 { words } else { 16 };
            free &= (1 << here) - 1;
            if free != 0 {
                return word + free.trailing_zeros();
            }
        }
    }

    /// Clears the bit of a chunk.
    ///
    /// # Safety
    ///
    /// The caller owns the chunk, one of the slab, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn clear_bit(&self, slab: Slab, class: Class, chunk: u32) {
        let (word, bit) = self.shape(class).place(chunk);
        // SAFETY: the bitmap has a bit for the chunk.
        // Release: our accesses to the chunk come before its next owner's.
        unsafe { self.bits(slab, word).fetch_and(!(1 << bit), Release) };
    }
}

/// [`Slabs::take_another`], out of line: it would make up most of every kernel.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined_another<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    slab: Slab,
    class: Class,
    chunk: u32,
    seen: u32,
) -> u32 {
    // SAFETY: the tables of a heap, and a permit for a chunk of the slab.
    unsafe {
        let slabs = Slabs::without_blocks(tables, layout);
        slabs.take_another(warp, slab, class, chunk, seen)
    }
}
