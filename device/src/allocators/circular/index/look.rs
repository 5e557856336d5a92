//! Reads of the index by a search: notes about spans and, where none counts, their bits.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use cuda_std::atomic;

use super::long::LONG;
use super::{Index, ROW_UNITS, Span, Word};
use crate::allocators::circular::runs::{Runs, Scan};

/// Bits of a note for a length; the others hold the version. A span's version takes
/// hours to come around to one that an old note has: 2^43 frees at one address, and a
/// GPU does 5 in 10 ns.
const LENGTH_BITS: u32 = 21;

impl Index {
    /// Upper bounds of the runs in a span, if it has notes that count.
    #[inline(always)]
    pub fn noted(&self, span: Span) -> Option<Runs> {
        // Relaxed: a note was written by a thread that has acquired its version. Which
        // of the words is read first does not matter, each note has its own version.
        let version = self.of_span(span, Word::Version).load(Relaxed);
        let prefix = self.of_span(span, Word::Prefix).load(Relaxed);
        let longest = self.of_span(span, Word::Longest).load(Relaxed);
        let suffix = self.of_span(span, Word::Suffix).load(Relaxed);
        if version & 1 == 1 {
            return Some(Runs::EMPTY);
        }
        let none = version << LENGTH_BITS;
        let differ = (prefix ^ none) | (longest ^ none) | (suffix ^ none);
        if differ >> LENGTH_BITS != 0 {
            return None;
        }
        Some(Runs {
            prefix: (prefix ^ none) as u32,
            longest: (longest ^ none) as u32,
            suffix: (suffix ^ none) as u32,
        })
    }

    /// The version of a span, to be read before its bits are.
    #[inline(always)]
    pub fn version(&self, span: Span) -> u64 {
        // Acquire: the bits of all units whose free has changed the version so far.
        // Pairs with the fence between `give` and `renew`; later frees, which change
        // the version by read-modify-writes, continue the release sequence.
        self.of_span(span, Word::Version).load(Acquire)
    }

    /// Notes the runs that a scan of a span has found after `version` was read.
    #[inline(always)]
    pub fn note(&self, span: Span, version: u64, runs: Runs) {
        let none = version << LENGTH_BITS;
        // Relaxed: they are good for this version alone, whenever they are read.
        let note = |word, length| {
            let note = none | u64::from(length);
            self.of_span(span, word).store(note, Relaxed);
        };
        note(Word::Prefix, runs.prefix);
        note(Word::Longest, runs.longest);
        note(Word::Suffix, runs.suffix);
    }

    /// The runs among the units from `from` to `to`, and where one of `wanted` units
    /// starts, if it can at or behind `near`: [`Scan::new`]. The longest run is an upper bound.
    ///
    /// # Safety
    ///
    /// `from` is below `to`, which is at most `units()`.
    #[inline(always)]
    pub unsafe fn look(&self, from: u32, to: u32, wanted: u32, near: u32) -> (Runs, u32) {
        // SAFETY: `to` is at most `units()`, and rows are read that begin below it.
        unsafe {
            if wanted >= LONG {
                return self.look_for_long(from, to, wanted, near);
            }
            let mut scan = Scan::new(from, to, wanted, near);
            let mut at = from / ROW_UNITS * ROW_UNITS;
            while at < to {
                let [mut a, mut b, mut c, d] = atomic::load_row(self.row(at / ROW_UNITS));
                // Most rows are in one block, or in one free chunk: a sixteenth of the work.
                let any = |four: [u32; 4]| four[0] | four[1] | four[2] | four[3];
                let all = |four: [u32; 4]| four[0] & four[1] & four[2] & four[3];
                if any(a) | any(b) | any(c) | any(d) == 0 {
                    scan.add_none(at);
                    at += ROW_UNITS;
                    continue;
                }
                if all(a) & all(b) & all(c) & all(d) == u32::MAX {
                    scan.add_all(at, at + ROW_UNITS);
                    at += ROW_UNITS;
                    continue;
                }
                let is_whole = from <= at && at + ROW_UNITS <= to;
                let mut four = 0;
                while four < 4 {
                    if !is_whole {
                        scan.add(a[0], at);
                        scan.add(a[1], at + 32);
                        scan.add(a[2], at + 64);
                        scan.add(a[3], at + 96);
                    } else if any(a) == 0 {
                        scan.add_none(at);
                    } else {
                        scan.add_whole(a[0], at);
                        scan.add_whole(a[1], at + 32);
                        scan.add_whole(a[2], at + 64);
                        scan.add_whole(a[3], at + 96);
                    }
                    (a, b, c) = (b, c, d);
                    at += 128;
                    four += 1;
                }
            }
            scan.finish()
        }
    }
}
