//! A search for a long run, which reads a small part of the map.
//!
//! A run of `wanted` units covers [`stride`] words of the map in a row at least, so that one
//! word in so many tells whether there may be one: most are not full, and the words between
//! need not be read. For a block of a region of 4096 units that is one word in 127.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::{Index, ROW_UNITS};
use crate::allocators::circular::runs::{NONE, Runs};

/// The least units of a long run, which covers as many words as a row has: one word a row is
/// read at most. Shorter runs are found by reading rows.
pub(super) const LONG: u32 = ROW_UNITS + 31;

/// Words that every run of so many units covers.
#[inline(always)]
fn stride(wanted: u32) -> u32 {
    (wanted - 31) / 32
}

/// The runs found in a part of the map, from its start to its end.
struct Search {
    wanted: u32,
    near: u32,
    longest: u32,
    found: u32,
}

impl Search {
    /// A run behind all that were added before.
    #[inline(always)]
    fn add(&mut self, start: u32, end: u32) {
        let length = end - start;
        if length > self.longest {
            self.longest = length;
        }
        if length >= self.wanted && (self.found == NONE || self.found < self.near) {
            self.found = start;
        }
    }
}

impl Index {
    /// As [`Index::look`], for a run of [`LONG`] units or more. The longest run may be one of
    /// `wanted - 1` units even if it is shorter.
    ///
    /// # Safety
    ///
    /// `from` is below `to`, which is at most `units()`, and `wanted` is at least [`LONG`].
    #[inline(always)]
    pub(super) unsafe fn look_for_long(
        &self,
        from: u32,
        to: u32,
        wanted: u32,
        near: u32,
    ) -> (Runs, u32) {
        // SAFETY: all units are from `from` to `to`, and words that are read lie in front of the
        // one that holds `last`, which is at most `to`.
        unsafe {
            let mut search = Search {
                wanted,
                near,
                longest: wanted - 1,
                found: NONE,
            };
            let first = self.end_of_run(from, to);
            search.add(from, first);
            let last = self.start_of_run(to, first);
            // The units at `first` and in front of `last` were not free. A run between them
            // that stays free all the time is passed by no step: it covers as many words as
            // a step, and its first is behind that of `first`.
            let (step, end) = (stride(wanted), last / 32);
            let mut word = first / 32 + step;
            while word < end {
                let ahead = [word + step, word + 2 * step, word + 3 * step];
                if ahead[2] < end {
                    // All at once: none waits for another.
                    let [a, b, c, d] = [word, ahead[0], ahead[1], ahead[2]]
                        .map(|word| self.word(word).load(Relaxed) == u32::MAX);
                    if !(a | b | c | d) {
                        word = ahead[2] + step;
                        continue;
                    }
                }
                if self.word(word).load(Relaxed) == u32::MAX {
                    let start = self.start_of_run(word * 32, first);
                    let stop = self.end_of_run(word * 32 + 32, last);
                    search.add(start, stop);
                    word = stop / 32;
                }
                word += step;
            }
            if first < to {
                search.add(last, to);
            }
            let runs = Runs {
                prefix: first - from,
                longest: search.longest,
                suffix: if first < to { to - last } else { to - from },
            };
            (runs, search.found)
        }
    }

    /// Whether all units of a row are free.
    ///
    /// # Safety
    ///
    /// `row` is below `rows()`.
    #[inline(always)]
    unsafe fn is_row_free(&self, row: u32) -> bool {
        // SAFETY: it is one of the rows.
        let [a, b, c, d] = unsafe { atomic::load_row(self.row(row)) };
        let all = |four: [u32; 4]| four[0] & four[1] & four[2] & four[3];
        all(a) & all(b) & all(c) & all(d) == u32::MAX
    }

    /// The end of the run that starts at `unit`, at most `to`: `unit` if it is not free.
    ///
    /// # Safety
    ///
    /// `to` is at most `units()`.
    #[inline(always)]
    unsafe fn end_of_run(&self, mut unit: u32, to: u32) -> u32 {
        // SAFETY: rows and words are those of units below `to`.
        unsafe {
            while unit < to {
                let is_row = unit.is_multiple_of(ROW_UNITS) && to - unit >= ROW_UNITS;
                if is_row && self.is_row_free(unit / ROW_UNITS) {
                    unit += ROW_UNITS;
                    continue;
                }
                let low = unit % 32;
                let ones = (self.word(unit / 32).load(Relaxed) >> low).trailing_ones();
                if ones < 32 - low || ones > to - unit {
                    return if ones < to - unit { unit + ones } else { to };
                }
                unit += ones;
            }
            unit
        }
    }

    /// The start of the run that ends in front of `unit`, at least `from`: `unit` if the
    /// one in front of it is not free.
    ///
    /// # Safety
    ///
    /// `unit` is at most `units()`.
    #[inline(always)]
    unsafe fn start_of_run(&self, mut unit: u32, from: u32) -> u32 {
        // SAFETY: rows and words are those of units below the first `unit`.
        unsafe {
            while unit > from {
                let is_row = unit.is_multiple_of(ROW_UNITS) && unit - from >= ROW_UNITS;
                if is_row && self.is_row_free(unit / ROW_UNITS - 1) {
                    unit -= ROW_UNITS;
                    continue;
                }
                let above = 31 - (unit - 1) % 32;
                let word = self.word((unit - 1) / 32).load(Relaxed);
                let ones = (word << above).leading_ones();
                if ones < 32 - above || ones > unit - from {
                    return if ones < unit - from {
                        unit - ones
                    } else {
                        from
                    };
                }
                unit -= ones;
            }
            unit
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, LONG};
    use crate::allocators::circular::runs::Scan;

    /// Units of the maps; not a multiple of a row.
    const UNITS: u32 = 8 * 512 + 77;

    /// A map as the index has it, and the index.
    struct Map {
        words: Vec<u128>,
    }

    impl Map {
        /// The map in which `is_free` holds of the free units.
        fn new(is_free: impl Fn(u32) -> bool) -> Self {
            // Four rows more than there are, so that one begins where it must.
            let bytes = Index::bytes(u64::from(UNITS), 10) as usize + 256;
            let mut map = Self {
                words: vec![0; bytes / 16],
            };
            let base = map.base().cast::<u32>();
            for unit in (0..UNITS).filter(|&unit| is_free(unit)) {
                // SAFETY: the map has a bit for each unit.
                unsafe { *base.add(unit as usize / 32) |= 1 << (unit % 32) };
            }
            map
        }

        fn base(&mut self) -> *mut u8 {
            let start = self.words.as_mut_ptr().cast::<u8>();
            start.wrapping_add(start.align_offset(64))
        }

        fn index(&mut self) -> Index {
            // SAFETY: as many bytes as it has, and no other thread uses them.
            unsafe { Index::new(self.base(), UNITS, 10) }
        }

        fn word(&mut self, word: u32) -> u32 {
            // SAFETY: a word of the map.
            unsafe { *self.base().cast::<u32>().add(word as usize) }
        }
    }

    /// A scan of all words finds the same as a search that reads few, but for runs that
    /// are too short.
    fn check(is_free: impl Fn(u32) -> bool, from: u32, to: u32, wanted: u32, near: u32) {
        let mut map = Map::new(&is_free);
        let mut scan = Scan::new(from, to, wanted, near);
        for word in from / 32..to.div_ceil(32) {
            scan.add(map.word(word), word * 32);
        }
        let (all, expected) = scan.finish();
        // SAFETY: the part is not empty and in the map, and a long run is wanted.
        let (runs, found) = unsafe { map.index().look_for_long(from, to, wanted, near) };
        let case = format!("{wanted} units from {from} to {to}, near {near}");
        assert_eq!(
            (runs.prefix, runs.suffix),
            (all.prefix, all.suffix),
            "{case}"
        );
        assert_eq!(runs.longest, all.longest.max(wanted - 1), "{case}");
        assert_eq!(found, expected, "{case}");
    }

    #[test]
    fn one_run_is_found_wherever_it_lies() {
        for start in (0..2 * 512).step_by(7) {
            for length in [LONG - 1, LONG, LONG + 1, 1000, 2048] {
                let end = start + length;
                check(|unit| (start..end).contains(&unit), 0, UNITS, LONG, 0);
                check(
                    |unit| (start..end).contains(&unit),
                    100,
                    UNITS - 9,
                    LONG,
                    512,
                );
                check(|unit| (start..end).contains(&unit), 0, end, length, 0);
            }
        }
    }

    #[test]
    fn runs_between_blocks_are_those_of_a_whole_scan() {
        let mut state = 1_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            ((u64::from(state) * u64::from(below)) >> 32) as u32
        };
        for _ in 0..2000 {
            let used: Vec<u32> = (0..1 + random(12)).map(|_| random(UNITS)).collect();
            let from = random(600);
            let to = UNITS - random(600);
            check(
                |unit| !used.contains(&unit),
                from,
                to,
                LONG + random(1500),
                random(UNITS),
            );
        }
    }

    #[test]
    fn a_free_and_a_used_map_are_one_run_and_none() {
        check(|_| true, 0, UNITS, LONG, 0);
        check(|_| true, 0, UNITS, UNITS, 0);
        check(|_| true, 33, UNITS - 33, UNITS, 0);
        check(|_| false, 0, UNITS, LONG, 0);
    }
}
