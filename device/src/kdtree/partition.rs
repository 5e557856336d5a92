//! The rule by which a partition among bins sends references to the children.

/// Which references go below and which above, by the bins in which they start and end;
/// and which bins those are. One word, since it stays in a register for long.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Partition(u32);

impl Partition {
    /// No partition yet: only which bin is refined.
    #[inline(always)]
    pub fn none(refined: u32) -> Self {
        Self(refined << 16)
    }

    /// References that start in bins of `list` before `bin` go below. Those that end in
    /// `bin` or behind it go above. With `planar_below`, those that end behind `bin` go
    /// above, and a reference that goes neither way, as it lies in the plane, goes below
    /// (true) or above (false).
    #[inline(always)]
    pub fn new(refined: u32, list: u32, bin: u32, planar_below: Option<bool>) -> Self {
        let planar = match planar_below {
            None => 0,
            Some(false) => 1,
            Some(true) => 3,
        };
        Self(refined << 16 | list << 12 | planar << 8 | bin)
    }

    /// The bin that is refined, as in [`Bins`](super::bins::Bins).
    #[inline(always)]
    pub fn refined(self) -> u32 {
        self.0 >> 16
    }

    /// The list of bins.
    #[inline(always)]
    pub fn list(self) -> u32 {
        self.0 >> 12 & 3
    }

    /// The first bin from which on no reference that starts there goes below.
    #[inline(always)]
    pub fn bin(self) -> u32 {
        self.0 & 0xff
    }

    /// The first bin from which on every reference that ends there goes above.
    #[inline(always)]
    pub fn bin_above(self) -> u32 {
        self.bin() + (self.0 >> 8 & 1)
    }

    /// Whether planar references, if there are any, go below.
    #[inline(always)]
    pub fn planar_below(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    /// Whether a reference that starts and ends in these bins goes below, and whether it
    /// goes above.
    #[inline(always)]
    pub fn sides(self, start: u32, end: u32) -> (bool, bool) {
        let (below, above) = (start < self.bin(), end >= self.bin_above());
        let planar = !below && !above;
        (
            below || (planar && self.planar_below()),
            above || (planar && !self.planar_below()),
        )
    }
}
