//! The index of free memory: it makes a refusal evidence, and bounds its accesses.
//!
//! The links alone decide what is free, but to be sure that nothing is, a request would
//! follow all of them. The index answers from a map with one bit a unit, and from
//! notes about parts of the map:
//!
//! - The bit of every unit that no block has is set, also in a chunk that some thread
//!   holds for a moment to read its size, to split or to merge it. `malloc` clears the
//!   bits of what it keeps before it returns; `free` sets them before it gives the
//!   chunk up. So the map is one-sided: it never denies a unit that is free, and
//!   claims one that is not only while a thread inside `malloc` takes it.
//! - The pool is divided into *spans*. Each has a version, which every `free` of units
//!   in it changes before it returns, and notes with the runs that a scan of its bits
//!   found. A note counts as long as its version is that of the span: since then units
//!   were taken, but none came free, so that its runs are upper bounds.
//! - A block that covers a whole span makes the span's version odd instead of clearing
//!   its bits: large blocks are marked in few accesses.
//!
//! Only the owner of a unit changes its bit, and the exchange by which a block changes hands
//! orders one owner's changes before the next one's. So all accesses to bits are relaxed.
//! Bits are ordered before versions: a thread that acquires a version sees the bits of all
//! that came free before. A thread that is refused needs no more than coherence: frees
//! that happened before its call show in the versions that it reads.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{self, AtomicU32, AtomicU64};

use super::links::Unit;
use crate::simt::Warp;

/// Units of a row, the words of the map that are read at once.
const ROW_UNITS: u32 = 512;
const ROW_BYTES: u64 = 64;
/// Bytes of a span's words: its version and three notes, in a sector of their own.
const WORDS_BYTES: u64 = 32;
/// Bytes of a cursor, the span where searches begin: as many cursors as spans.
const CURSOR_BYTES: u64 = 4;
/// Bytes that the index has for each span beside its bits.
pub const SPAN_BYTES: u64 = WORDS_BYTES + CURSOR_BYTES;
/// Spans that a pool has at most, however it is divided into regions, unless these had more
/// units than a span may have.
pub const MAX_SPANS_BITS: u32 = 10;

/// The words of a span.
#[derive(Clone, Copy)]
enum Word {
    Version = 0,
    Prefix = 1,
    Longest = 2,
    Suffix = 3,
}

/// A span, or its cursor: there is one for each.
///
/// Invariant: it is below the number of spans of the index that it is used with, as whoever made it
/// has argued.
#[derive(Clone, Copy)]
pub struct Span(u32);

impl Span {
    /// The first span.
    pub const FIRST: Self = Self(0);

    /// The span of this number.
    ///
    /// # Safety
    ///
    /// It is below [`Index::spans`] of each index that it is used with. So is a number that was read
    /// from a cursor.
    #[inline(always)]
    pub unsafe fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The index of a heap.
#[derive(Clone, Copy)]
pub struct Index {
    base: *mut u8,
    units: u32,
    span_bits: u32,
}

impl Index {
    /// The index at `base`, 64-byte aligned, of so many units; a span has
    /// `1 << span_bits` of them.
    ///
    /// # Safety
    ///
    /// There is a unit at least. The memory there has [`Self::bytes`] bytes, is valid as
    /// long as the value is used, and is accessed through indices only.
    #[inline(always)]
    pub unsafe fn new(base: *mut u8, units: u32, span_bits: u32) -> Self {
        Self {
            base,
            units,
            span_bits,
        }
    }

    /// Bytes of the index of so many units, at most.
    pub fn bytes(units: u64, span_bits: u32) -> u64 {
        let rows = units.div_ceil(u64::from(ROW_UNITS));
        let spans = units.div_ceil(1 << span_bits);
        rows * ROW_BYTES + spans * SPAN_BYTES
    }

    /// The parts from which `new` puts the index together.
    #[inline(always)]
    pub fn parts(&self) -> (*mut u8, u32, u32) {
        (self.base, self.units, self.span_bits)
    }

    /// Units of the heap.
    #[inline(always)]
    pub fn units(&self) -> u32 {
        self.units
    }

    #[inline(always)]
    fn rows(&self) -> u32 {
        self.units.div_ceil(ROW_UNITS)
    }

    /// Spans, the last perhaps shorter than the others.
    #[inline(always)]
    pub fn spans(&self) -> u32 {
        (self.units + (1 << self.span_bits) - 1) >> self.span_bits
    }

    /// Where this warp begins a search among the spans from `least` on: its
    /// cursor, in which the span is noted where it, or another one that shares the word, has
    /// found memory last. Warps that search at the same time would otherwise all try for the
    /// same chunks, and each search would pass all the spans that are used up. The lanes of a
    /// warp begin together, so that they read the same words at the same time: a 32nd of the
    /// accesses.
    #[inline(always)]
    pub fn cursor<W: Warp>(&self, warp: W, least: Span) -> Span {
        // Fibonacci hashing: neighbours begin far from each other.
        let hash = warp.warp().wrapping_mul(0x9e37_79b1);
        let ahead = (u64::from(hash) * u64::from(self.spans() - least.0)) >> u32::BITS;
        Span(least.0 + ahead as u32)
    }

    /// The word of a cursor.
    #[inline(always)]
    pub fn cursor_at(&self, cursor: Span) -> &AtomicU32 {
        let words = u64::from(self.rows()) * ROW_BYTES + u64::from(self.spans()) * WORDS_BYTES;
        let offset = words + u64::from(cursor.0) * CURSOR_BYTES;
        // SAFETY: the cursors lie behind the spans' words, one for each span.
        unsafe { &*self.base.add(offset as usize).cast() }
    }

    /// The span of a unit.
    #[inline(always)]
    pub fn span_of(&self, unit: Unit) -> Span {
        Span(unit.number() >> self.span_bits)
    }

    /// The first unit of a span.
    #[inline(always)]
    pub fn start(&self, span: Span) -> u32 {
        span.0 << self.span_bits
    }

    /// The end of a span.
    #[inline(always)]
    pub fn end(&self, span: Span) -> u32 {
        let end = (span.0 + 1) << self.span_bits;
        if end < self.units { end } else { self.units }
    }

    /// A row of the map.
    ///
    /// # Safety
    ///
    /// `row` is below `rows()`.
    #[inline(always)]
    unsafe fn row(&self, row: u32) -> &[AtomicU32; 16] {
        // SAFETY: the map has 16 aligned words for each row, and this is one of the rows.
        unsafe { &*self.base.add((u64::from(row) * ROW_BYTES) as usize).cast() }
    }

    /// A word of the map.
    ///
    /// # Safety
    ///
    /// `word` is below 16 times `rows()`.
    #[inline(always)]
    unsafe fn word(&self, word: u32) -> &AtomicU32 {
        // SAFETY: the map has 16 words for each row.
        unsafe { &*self.base.add(word as usize * 4).cast() }
    }

    /// Four words from `word` on, which is a multiple of four.
    ///
    /// # Safety
    ///
    /// As for `word`, and `word` is a multiple of four.
    #[inline(always)]
    unsafe fn four(&self, word: u32) -> &[AtomicU32; 4] {
        // SAFETY: rows are 16 words, so that the four are in the map, and aligned.
        unsafe { &*self.base.add(word as usize * 4).cast() }
    }

    /// A word of a span.
    #[inline(always)]
    fn of_span(&self, span: Span, word: Word) -> &AtomicU64 {
        let offset = u64::from(self.rows()) * ROW_BYTES + u64::from(span.0) * WORDS_BYTES;
        // SAFETY: the spans' words lie behind the map, aligned as the base is, one set for each
        // span.
        unsafe { &*self.base.add(offset as usize + word as usize * 8).cast() }
    }

    /// Where free units from `from` to `to` are best cut in two: at the start of the span
    /// in their middle, where a search finds the second part without the first; at `to`
    /// if they are less than two spans.
    #[inline(always)]
    pub fn cut(&self, from: u32, to: u32) -> u32 {
        if to - from < 2 << self.span_bits {
            return to;
        }
        (from + (to - from) / 2) >> self.span_bits << self.span_bits
    }

    /// Makes all units free; called by all threads of a launch.
    pub fn init<W: Warp>(&self, warp: W) {
        let mut word = warp.thread();
        while word < self.rows() * 16 {
            let first = word * 32;
            let left = self.units.saturating_sub(first);
            let bits = if left < 32 { (1 << left) - 1 } else { u32::MAX };
            // SAFETY: the word is below those of all rows.
            unsafe { self.word(word) }.store(bits, Relaxed);
            word += warp.threads();
        }
        let mut number = warp.thread();
        while number < self.spans() {
            let span = Span(number);
            // Even, and not the version of the notes.
            self.of_span(span, Word::Version).store(2, Relaxed);
            self.of_span(span, Word::Prefix).store(0, Relaxed);
            self.of_span(span, Word::Longest).store(0, Relaxed);
            self.of_span(span, Word::Suffix).store(0, Relaxed);
            self.cursor_at(span).store(number, Relaxed);
            number += warp.threads();
        }
    }

    /// Sets or clears the bits of units that the caller owns.
    ///
    /// # Safety
    ///
    /// `to` is at most `units()`.
    #[inline(always)]
    unsafe fn mark(&self, from: u32, to: u32, free: bool) {
        // SAFETY: each unit is below `to`, so that it is of the heap, and its word in the map.
        unsafe {
            let mut unit = from;
            while unit < to {
                let word = unit / 32;
                if unit.is_multiple_of(128) && to - unit >= 128 {
                    // All 128 units are the caller's, so no other thread writes these words.
                    let bits = if free { u32::MAX } else { 0 };
                    atomic::store_four(self.four(word), bits);
                    unit += 128;
                } else {
                    let end = (word + 1) * 32;
                    let end = if end < to { end } else { to };
                    let mask = (u32::MAX >> (32 - (end - unit))) << (unit % 32);
                    if free {
                        self.word(word).fetch_or(mask, Relaxed);
                    } else {
                        self.word(word).fetch_and(!mask, Relaxed);
                    }
                    unit = end;
                }
            }
        }
    }

    /// The span of `unit`, the end of what lies in it of the units up to `to`, and whether
    /// that is the whole span.
    #[inline(always)]
    fn part(&self, unit: Unit, to: u32) -> (Span, u32, bool) {
        let span = self.span_of(unit);
        let end = self.end(span);
        let whole = unit.number() == self.start(span) && to >= end;
        (span, if to < end { to } else { end }, whole)
    }

    /// Marks the units from `unit` to `end` as owned by the caller, which frees them as one
    /// block if they are `undivided`.
    ///
    /// # Safety
    ///
    /// `end` is at most `units()`.
    #[inline(always)]
    pub unsafe fn keep(&self, mut unit: u32, end: u32, undivided: bool) {
        // SAFETY: each unit is below `end`, so that it is of the heap; the part of its span up to
        // `stop` ends at `end` or before.
        unsafe {
            while unit < end {
                let (span, stop, whole) = self.part(Unit::new(unit), end);
                if whole && undivided {
                    // Relaxed: only the owner makes it even again.
                    self.of_span(span, Word::Version).fetch_add(1, Relaxed);
                } else {
                    self.mark(unit, stop, false);
                }
                unit = stop;
            }
        }
    }

    /// Whether the span lies in one block of the caller, which `keep` has marked by its version.
    #[inline(always)]
    fn is_odd(&self, span: Span) -> bool {
        // Relaxed: it is the caller's to change.
        self.of_span(span, Word::Version).load(Relaxed) & 1 == 1
    }

    /// Marks units as free, which the caller is about to free. A release fence, and
    /// then [`Self::renew`], must follow.
    ///
    /// # Safety
    ///
    /// `end` is at most `units()`.
    #[inline(always)]
    pub unsafe fn give(&self, mut unit: u32, end: u32) {
        // SAFETY: as for `keep`.
        unsafe {
            while unit < end {
                let (span, stop, whole) = self.part(Unit::new(unit), end);
                if whole && self.is_odd(span) {
                    // Relaxed: the fence orders it before what a thread does that takes the
                    // units, and may make the version odd again. The bits are set.
                    self.of_span(span, Word::Version).fetch_add(1, Relaxed);
                } else {
                    self.mark(unit, stop, true);
                }
                unit = stop;
            }
        }
    }

    /// Ends what `give` has begun: notes about the units no longer count. The units may
    /// have an owner again, since the version stays as odd or even as it is.
    ///
    /// # Safety
    ///
    /// `unit` is below `end`, which is at most `units()`.
    #[inline(always)]
    pub unsafe fn renew(&self, unit: u32, end: u32) {
        let last = (end - 1) >> self.span_bits;
        let mut number = unit >> self.span_bits;
        while number <= last {
            // SAFETY: the last unit is of the heap, and its span is not behind that of the unit.
            let span = unsafe { Span::new(number) };
            // Relaxed: the fence in between orders the bits before it.
            self.of_span(span, Word::Version).fetch_add(2, Relaxed);
            number += 1;
        }
    }
}

mod long;
// Reads of a search.
mod look;
