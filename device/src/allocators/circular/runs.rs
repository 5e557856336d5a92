//! Runs of set bits: how long the longest one in a part of a map is, how long those
//! at its two ends are, and where the first one lies that is long enough.

/// No unit.
pub const NONE: u32 = u32::MAX;

/// The runs in a part of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Length of the run that starts with the part.
    pub prefix: u32,
    /// Length of the longest run.
    pub longest: u32,
    /// Length of the run that ends with the part.
    pub suffix: u32,
}

impl Runs {
    /// No bit is set.
    pub const EMPTY: Self = Self {
        prefix: 0,
        longest: 0,
        suffix: 0,
    };
}

/// The bits of `bits` at which `length` set bits in a row start, for 1 to 32.
#[inline(always)]
fn starts(mut bits: u32, length: u32) -> u32 {
    let mut known = 1;
    while known < length && bits != 0 {
        let more = length - known;
        let step = if more < known { more } else { known };
        bits &= bits >> step;
        known += step;
    }
    bits
}

/// A scan over a part of a map, word by word.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    from: u32,
    to: u32,
    wanted: u32,
    /// Length of the run that the units so far end with.
    run: u32,
    prefix: u32,
    longest: u32,
    first: u32,
}

impl Scan {
    /// A scan of the units from `from` to `to` for a run of `wanted`.
    #[inline(always)]
    pub fn new(from: u32, to: u32, wanted: u32) -> Self {
        Self {
            from,
            to,
            wanted,
            run: 0,
            prefix: NONE,
            longest: 0,
            first: NONE,
        }
    }

    /// The run so far ends in front of unit `end`.
    #[inline(always)]
    fn close(&mut self, end: u32) {
        if self.prefix == NONE {
            self.prefix = self.run;
        }
        if self.run > self.longest {
            self.longest = self.run;
        }
        if self.first == NONE && self.run >= self.wanted {
            self.first = end - self.run;
        }
    }

    /// Scans the word of the units from `at` on, as far as they belong to the part.
    #[inline(always)]
    pub fn add(&mut self, word: u32, at: u32) {
        let low = self.from.saturating_sub(at);
        let high = if self.to < at + 32 {
            self.to.saturating_sub(at)
        } else {
            32
        };
        if low >= high {
            return;
        }
        let count = high - low;
        let mask = u32::MAX >> (32 - count);
        let bits = (word >> low) & mask;
        if bits == mask {
            self.run += count;
            return;
        }
        let ones = (!bits).trailing_zeros();
        self.run += ones;
        self.close(at + low + ones);
        let rest = bits >> ones;
        while self.longest < 31 && starts(rest, self.longest + 1) != 0 {
            self.longest += 1;
        }
        if self.first == NONE && self.wanted <= self.longest {
            // The run that ended here is not long enough: one behind it is.
            let found = starts(rest, self.wanted);
            if found != 0 {
                self.first = at + low + ones + found.trailing_zeros();
            }
        }
        self.run = (bits << (32 - count)).leading_ones();
    }

    /// The runs, and the first unit of the first one that is long enough, or [`NONE`].
    #[inline(always)]
    pub fn finish(mut self) -> (Runs, u32) {
        self.close(self.to);
        let runs = Runs {
            prefix: self.prefix,
            longest: self.longest,
            suffix: self.run,
        };
        (runs, self.first)
    }
}
