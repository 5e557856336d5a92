//! The bitfield of a slab: a bit for each chunk, set while the chunk has an owner, in words at the
//! front of the slab.
//!
//! A thread reads or changes these words only while it may take a chunk of the slab, owns one, or
//! holds the slab. So they are never another block's data by then.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic::{AtomicU32, store_four};

use super::LlvmLibc;
use crate::allocators::bits::{lowest, take_bit};
use crate::simt::Warp;

impl LlvmLibc {
    /// The address of a word of a slab's bitfield.
    #[inline(always)]
    fn word_address(&self, slab: u32, word: u32) -> *mut u8 {
        let offset = (u64::from(slab) << self.layout.slab_shift) + 4 * u64::from(word);
        self.blocks.wrapping_add(offset as usize)
    }

    /// A word of a slab's bitfield.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`, and `word` one of its bitfield. The caller holds the slab, or
    /// may take or owns a chunk of it.
    #[inline(always)]
    unsafe fn word(&self, slab: u32, word: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: the words lie in front of all chunks, and are atomic as
        // long as the slab is so divided.
        unsafe { &*self.word_address(slab, word).cast() }
    }

    /// Clears one of `parts` of the bits of `capacity` chunks.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs` and has as many chunks. The caller, or the lane for which it
    /// acts, holds the slab. `part` is below `parts`.
    #[inline(always)]
    pub(super) unsafe fn clear_field(&self, slab: u32, capacity: u32, part: u32, parts: u32) {
        let mut word = 4 * part;
        while 32 * word < capacity {
            // SAFETY: the caller's promise; bitfields are multiples of four words.
            // Relaxed: the addition that puts the slab into its slot releases them.
            unsafe { store_four(&*self.word_address(slab, word).cast(), 0) };
            word += 4 * parts;
        }
    }

    /// Sets the bits of the first `count` chunks, 32 at most, whose word is clear.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs` and has as many chunks. The caller holds it.
    #[inline(always)]
    pub(super) unsafe fn set_first(&self, slab: u32, count: u32) {
        // SAFETY: the caller's promise.
        // Relaxed: the addition that puts the slab into its slot releases it.
        unsafe { self.word(slab, 0).store(lowest(count), Relaxed) };
    }

    /// Takes a chunk of a slab, that of number `first` if it is free.
    ///
    /// # Safety
    ///
    /// The caller has entered the slab, which has `capacity` chunks, and may take one. `first` is
    /// below `capacity`.
    #[inline(always)]
    pub(super) unsafe fn take_chunk<W: Warp>(
        &self,
        warp: W,
        slab: u32,
        capacity: u32,
        first: u32,
    ) -> u32 {
        let words = capacity.div_ceil(32);
        let mut word = first / 32;
        // Threads that find it full go on at words spread over the bitfield.
        let random = (warp.thread() ^ first << 8).wrapping_mul(0x9e37_79b9);
        let mut next = ((u64::from(random) * u64::from(words)) >> 32) as u32;
        // There is a clear bit for each thread that may take a chunk. A pass that finds none was
        // overtaken by threads that took theirs: they made progress.
        loop {
            for _ in 0..words + 1 {
                let bits = lowest(capacity - 32 * word);
                // SAFETY: the caller's promise; the words are of the bitfield.
                let free = unsafe { self.word(slab, word) };
                if let Some(taken) = take_bit(free, bits, first % 32) {
                    return 32 * word + taken.bit;
                }
                word = next;
                next += 1;
                if next == words {
                    next = 0;
                }
            }
            warp.back_off();
        }
    }

    /// Clears the bit of a chunk.
    ///
    /// # Safety
    ///
    /// The caller owns the chunk and gives it up.
    #[inline(always)]
    pub(super) unsafe fn clear_bit(&self, slab: u32, chunk: u32) {
        // SAFETY: the caller's promise.
        // Release: our accesses to the chunk come before its next owner's.
        unsafe {
            self.word(slab, chunk / 32)
                .fetch_and(!(1 << (chunk % 32)), Release);
        }
    }
}
