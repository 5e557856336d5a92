//! The search of last resort: a request that the walk has not served is served or
//! refused by the [index](super::index).
//!
//! A pass goes over all spans. The notes exclude most of them; where they do not, it
//! scans the bits, and where these have a run that is long enough, it takes the run's
//! first chunk and merges it with those behind it, across regions as well. A run of
//! free units starts with a chunk, since the unit before it belongs to a block. Of
//! several runs each thread tries for one near a random unit: all would meet at the first.
//!
//! Null takes a pass in which no run was long enough. Where there was one but it could
//! not be taken, some other thread was faster, or holds a chunk of it for a moment, or
//! has freed units meanwhile: the request backs off and searches that span once more. If
//! that does not help for a while it goes on, and makes another pass. A step that another
//! thread makes in `malloc` or `free` causes every such repetition, so
//! some thread always makes progress; and the request waits only for threads that hold a
//! chunk, or have begun to mark a block: those wait for no thread, and run on eventually. While
//! no other thread is inside a call, the bits are exact, and one pass decides.
//!
//! The cost of a pass: a few accesses a span, and spans are at most 2^10 or so,
//! and one for 512 units of each span whose notes are out of date. Chunks are merged
//! only after the bits have shown that they suffice. So 2^17 accesses are enough for
//! about 2^26 units even if no note counts; larger pools (1 GiB in units of 16 bytes,
//! 2 GiB in units of 32) exceed that in the first refusal after frees everywhere.

use super::index::{Index, Span};
use super::links::{ABSORBED, FREE, LOCKED, Links, Unit};
use super::runs::{NONE, Runs};
use crate::simt::Warp;

/// Runs of one span that a look at it tries to take. Those behind have to wait for the
/// next look, which a failure makes necessary anyway.
const TRIES: u32 = 2;
/// Looks at a span, beside the first, before a pass goes on without evidence about it:
/// the map is exact again when the threads that have been faster return, long before a pass
/// over all the other spans has ended.
const MORE_LOOKS: u32 = 8;

/// Tries to take `wanted` units from `unit` on, in as many chunks as that takes. Returns
/// the end of what it has taken, or [`NONE`].
///
/// # Safety
///
/// `links` has `units` units, and `unit` is below that.
#[inline(always)]
unsafe fn try_run<L: Links>(links: L, units: u32, unit: u32, wanted: u32) -> u32 {
    // SAFETY: `unit` is of the table, and so is `end` by the loop's condition. The chunk that is put
    // back was taken here, and merged up to `end`.
    unsafe {
        let link = links.peek(Unit::new(unit));
        if link.state != FREE {
            return NONE;
        }
        let Some(mut end) = links.take(Unit::new(unit), link, LOCKED) else {
            return NONE;
        };
        while end - unit < wanted && end < units {
            let link = links.peek(Unit::new(end));
            if link.state != FREE {
                break;
            }
            match links.take(Unit::new(end), link, ABSORBED) {
                Some(next) => end = next,
                None => break,
            }
        }
        if end - unit >= wanted {
            return end;
        }
        // No block had it meanwhile, so that its bits are set as before.
        links.put(Unit::new(unit), end, FREE);
        NONE
    }
}

/// A pass over the spans.
struct Pass {
    /// The span to look at next.
    span: u32,
    /// Units in front of that span that are free by the notes and bits read so far.
    run: u32,
    /// Whether the bits of these units were read in this pass.
    is_fresh: bool,
    /// Spans below this one are scanned whatever their notes.
    scan_to: u32,
    /// Whether the start of the run is known: not if the pass began inside of it.
    is_anchored: bool,
    /// The last span of the run that the pass began inside of.
    until: u32,
    /// Whether nothing was found that could not be taken.
    is_sure: bool,
    /// Looks at the span that are left, when a run in it could not be taken.
    looks: u32,
    /// A random number.
    chance: u32,
}

/// A chunk of at least `wanted` units, its first unit and its end; the end is 0 if
/// there is none. The passes begin at span `first`.
///
/// # Safety
///
/// `links` and `index` are of one heap, and `wanted` is not 0.
#[inline(always)]
unsafe fn search<W: Warp, L: Links>(
    warp: W,
    links: L,
    index: Index,
    wanted: u32,
    first: Span,
) -> (u32, u32) {
    let first = first.number();
    // SAFETY: the pass is at a span of the index each time: it begins with one, and goes back to 0
    // behind the last.
    unsafe {
        let mut chance = warp.thread().wrapping_mul(0x9e37_79b1);
        loop {
            let mut pass = Pass {
                span: first,
                run: 0,
                is_fresh: true,
                scan_to: 0,
                is_anchored: first == 0,
                until: first,
                is_sure: true,
                looks: MORE_LOOKS,
                chance,
            };
            let mut is_second = first == 0;
            loop {
                let found = pass.step(warp, links, index, wanted, Span::new(pass.span));
                if found.1 != 0 {
                    return found;
                }
                // The second half ends with the run that the pass began inside of, as long
                // as that run was in the first half, which has not tried any part of it.
                if is_second && first != 0 && pass.span > pass.until {
                    break;
                }
                if pass.span >= index.spans() {
                    if is_second {
                        break;
                    }
                    is_second = true;
                    pass.span = 0;
                    pass.run = 0;
                    pass.is_fresh = true;
                    pass.scan_to = 0;
                    pass.is_anchored = true;
                }
            }
            if pass.is_sure {
                return (NONE, 0);
            }
            chance = pass.chance;
            warp.back_off();
        }
    }
}

impl Pass {
    /// A unit of those from `start` to `end`.
    #[inline(always)]
    fn draw(&mut self, start: u32, end: u32) -> u32 {
        self.chance = self
            .chance
            .wrapping_mul(0x0019_660d)
            .wrapping_add(0x3c6e_f35f);
        start + ((u64::from(self.chance) * u64::from(end - start)) >> u32::BITS) as u32
    }

    /// Searches `span`, the next one, or decides to search this or earlier ones once more. Returns
    /// what it has taken; its end is 0 if nothing.
    ///
    /// # Safety
    ///
    /// `links` and `index` are of one heap, and `wanted` is not 0.
    #[inline(always)]
    unsafe fn step<W: Warp, L: Links>(
        &mut self,
        warp: W,
        links: L,
        index: Index,
        wanted: u32,
        span: Span,
    ) -> (u32, u32) {
        // SAFETY: the span is one of the index, so that its units are of the heap. A run that was found has a unit at least, and starts before the end of the
        // span; `self.run` units lie before its start.
        unsafe {
            let units = index.units();
            let (start, end) = (index.start(span), index.end(span));
            let noted = if span.number() < self.scan_to {
                None
            } else {
                index.noted(span)
            };
            if let Some(runs) = noted
                && runs.prefix >= wanted
            {
                // Most likely so: without a look at the bits.
                let taken = try_run(links, units, start, wanted);
                if taken != NONE {
                    return (start, taken);
                }
            }
            let mut is_fresh = noted.is_none();
            let mut runs = noted.unwrap_or(Runs::EMPTY);
            let mut at = start;
            let mut tries = TRIES;
            let mut has_failed = false;
            loop {
                let mut first = NONE;
                if is_fresh {
                    let version = index.version(span);
                    let mut seen = Runs::EMPTY;
                    if version & 1 == 0 {
                        (seen, first) = index.look(at, end, wanted, self.draw(at, end));
                        if at == start {
                            index.note(span, version, seen);
                        }
                    }
                    if at == start {
                        runs = seen;
                    }
                }
                if at == start {
                    let across =
                        self.run != 0 && self.is_anchored && self.run + runs.prefix >= wanted;
                    if across && !self.is_fresh {
                        // Notes are upper bounds. The bits decide where the run really begins,
                        // and whether it is still there.
                        self.scan_to = span.number() + 1;
                        self.span = index.span_of(Unit::new(start - self.run)).number();
                        self.run = 0;
                        self.is_fresh = true;
                        return (NONE, 0);
                    }
                    if !is_fresh {
                        if !across && runs.longest < wanted {
                            break;
                        }
                        is_fresh = true;
                        continue;
                    }
                    if across {
                        let unit = start - self.run;
                        let taken = try_run(links, units, unit, wanted);
                        if taken != NONE {
                            return (unit, taken);
                        }
                        has_failed = true;
                    }
                    if first == start && (self.run != 0 || !self.is_anchored) {
                        // Its first part is in an earlier span: it was tried, or will be.
                        at = start + runs.prefix;
                        if at == end {
                            break;
                        }
                        continue;
                    }
                }
                if first == NONE || tries == 0 {
                    break;
                }
                tries -= 1;
                let taken = try_run(links, units, first, wanted);
                if taken != NONE {
                    return (first, taken);
                }
                has_failed = true;
                at = first + wanted;
                if at >= end {
                    break;
                }
            }
            if has_failed && self.looks != 0 {
                self.looks -= 1;
                warp.back_off();
                return (NONE, 0);
            }
            self.looks = MORE_LOOKS;
            self.is_sure &= !has_failed;
            if !self.is_anchored {
                self.until = span.number();
            }
            if runs.prefix == end - start {
                self.run += runs.prefix;
                self.is_fresh &= is_fresh;
            } else {
                self.run = runs.suffix;
                self.is_fresh = is_fresh;
                self.is_anchored = true;
            }
            self.span = span.number() + 1;
            (NONE, 0)
        }
    }
}

/// Takes everything apart and puts it together again: a structure that is passed to a
/// function goes through slow local memory.
///
/// # Safety
///
/// `base`, `units` and `span_bits` are the parts of an index, and `first` is one of its spans;
/// otherwise as for [`search`].
#[inline(never)]
unsafe fn outlined<W: Warp, L: Links>(
    warp: W,
    links: L,
    base: *mut u8,
    units: u32,
    span_bits: u32,
    wanted: u32,
    first: u32,
) -> u64 {
    // SAFETY: these are parts of an index and one of its spans, with the contract of `search`.
    unsafe {
        let index = Index::new(base, units, span_bits);
        let (unit, end) = search(warp, links, index, wanted, Span::new(first));
        u64::from(end) << 32 | u64::from(unit)
    }
}

/// [`search`], out of line: it is rare, and would be most of every kernel.
///
/// # Safety
///
/// As for [`search`].
#[inline(always)]
pub unsafe fn call<W: Warp, L: Links>(
    warp: W,
    links: L,
    index: Index,
    wanted: u32,
    first: Span,
) -> (u32, u32) {
    let (base, units, span_bits) = index.parts();
    let first = first.number();
    // SAFETY: the parts and the span are of the index, and the contract of `search` holds.
    let found = unsafe { outlined(warp, links, base, units, span_bits, wanted, first) };
    (found as u32, (found >> 32) as u32)
}
