//! Runs of set bits: how long the longest one in a part of a map is, how long those
//! at its two ends are, and where one lies that is long enough.

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
pub fn starts(mut bits: u32, length: u32) -> u32 {
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
    near: u32,
    /// Length of the run that the units so far end with.
    run: u32,
    prefix: u32,
    longest: u32,
    found: u32,
}

impl Scan {
    /// A scan of the units from `from` to `to` for a run of `wanted`: the first one that
    /// starts at or behind `near`, or else one in front of it. Of those within a word it
    /// is always the first.
    #[inline(always)]
    pub fn new(from: u32, to: u32, wanted: u32, near: u32) -> Self {
        Self {
            from,
            to,
            wanted,
            near,
            run: 0,
            prefix: NONE,
            longest: 0,
            found: NONE,
        }
    }

    /// Whether a run that lies further on would be a better find.
    #[inline(always)]
    fn seeks(&self) -> bool {
        self.found == NONE || self.found < self.near
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
        if self.run >= self.wanted && self.seeks() {
            self.found = end - self.run;
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
        self.add_some(word >> low, high - low, at + low);
    }

    /// Scans the word of the units from `at` on, which all belong to the part.
    #[inline(always)]
    pub fn add_whole(&mut self, word: u32, at: u32) {
        self.add_some(word, 32, at);
    }

    /// Scans the lowest `count` bits of a word, those of the units from `at` on.
    #[inline(always)]
    fn add_some(&mut self, word: u32, count: u32, at: u32) {
        let mask = u32::MAX >> (32 - count);
        let bits = word & mask;
        if bits == mask {
            self.run += count;
            return;
        }
        let ones = (!bits).trailing_zeros();
        self.run += ones;
        self.close(at + ones);
        let rest = bits >> ones;
        // Most words of a heap that is nearly full have too few bits for any of this.
        let set = rest.count_ones();
        while self.longest < set && starts(rest, self.longest + 1) != 0 {
            self.longest += 1;
        }
        if self.wanted <= set && self.wanted <= self.longest && self.seeks() {
            let found = starts(rest, self.wanted);
            if found != 0 {
                self.found = at + ones + found.trailing_zeros();
            }
        }
        self.run = (bits << (32 - count)).leading_ones();
    }

    /// Scans units from `at` on: none is set, and some belong to the part.
    #[inline(always)]
    pub fn add_none(&mut self, at: u32) {
        self.close(if at > self.from { at } else { self.from });
        self.run = 0;
    }

    /// Scans the units from `at` to `end`: all are set, and some belong to the part.
    #[inline(always)]
    pub fn add_all(&mut self, at: u32, end: u32) {
        let from = if at > self.from { at } else { self.from };
        let to = if end < self.to { end } else { self.to };
        self.run += to - from;
    }

    /// The runs, and the first unit of the one that was found, or [`NONE`].
    #[inline(always)]
    pub fn finish(mut self) -> (Runs, u32) {
        self.close(self.to);
        let runs = Runs {
            prefix: self.prefix,
            longest: self.longest,
            suffix: self.run,
        };
        (runs, self.found)
    }
}
