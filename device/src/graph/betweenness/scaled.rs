//! Numbers of any size: the shortest paths between two corners of a grid of 1,000 by 1,000 vertices
//! are some 10^600, which no `f64` can hold.

/// A number from 0 on: a value times 2 to the power of 512 times a scale.
///
/// Most graphs have counts that an `f64` can hold; their scales are 0, and no step here does more than
/// the operation on `f64`, rounded once. Between normal numbers, a value is from 2^-256 up to 2^256.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scaled {
    value: f64,
    scale: i64,
}

/// A power of two.
const fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

const UP: f64 = power(512);
const DOWN: f64 = power(-512);
const LARGE: f64 = power(256);
const SMALL: f64 = power(-256);

impl Scaled {
    /// 0.
    pub const ZERO: Self = Self {
        value: 0.0,
        scale: 0,
    };
    /// 1.
    pub const ONE: Self = Self {
        value: 1.0,
        scale: 0,
    };

    /// A value times 2 to the power of 512 times a scale.
    #[inline(always)]
    pub fn new(value: f64, scale: i64) -> Self {
        Self { value, scale }
    }

    /// The value.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.value
    }

    /// The scale.
    #[inline(always)]
    pub fn scale(self) -> i64 {
        self.scale
    }

    /// The same number as a normal one. The value is below 2^768, and 0 or above 2^-768.
    #[inline(always)]
    pub fn normal(self) -> Self {
        let Self { value, scale } = self;
        if value >= LARGE {
            Self {
                value: value * DOWN,
                scale: scale + 1,
            }
        } else if value < SMALL && value > 0.0 {
            Self {
                value: value * UP,
                scale: scale - 1,
            }
        } else {
            self
        }
    }

    /// The sum. Up to 2^32 normal numbers may be added before the sum is made normal again.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        if self.scale == other.scale || other.value == 0.0 {
            return Self {
                value: self.value + other.value,
                scale: self.scale,
            };
        }
        if self.value == 0.0 {
            return other;
        }
        let (large, small) = if self.scale > other.scale {
            (self, other)
        } else {
            (other, self)
        };
        // With two scales between them, the lesser is lost in rounding.
        let small = if large.scale - small.scale == 1 {
            small.value * DOWN
        } else {
            0.0
        };
        Self {
            value: large.value + small,
            scale: large.scale,
        }
    }

    /// A number below 2^32 over this one, which is normal and not 0.
    #[inline(always)]
    pub fn divides(self, number: f64) -> Self {
        let quotient = Self {
            value: number / self.value,
            scale: -self.scale,
        };
        quotient.normal()
    }

    /// The product of two normal numbers, which an `f64` must be able to hold.
    #[inline(always)]
    pub fn times(self, other: Self) -> f64 {
        let product = self.value * other.value;
        match self.scale + other.scale {
            0 => product,
            1 => product * UP,
            -1 => product * DOWN,
            // Smaller than any number that it is added to.
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 to the power of an exponent, by doubling.
    fn doubled(times: u32) -> Scaled {
        (0..times).fold(Scaled::ONE, |number, _| number.plus(number).normal())
    }

    #[test]
    fn powers_of_any_size_have_exact_quotients() {
        for exponent in [0, 1, 255, 256, 511, 512, 513, 767, 768, 1023, 1024, 5000] {
            let number = doubled(exponent);
            assert_eq!(number.times(number.divides(1.0)), 1.0, "{exponent}");
            assert_eq!(number.times(number.divides(3e9)), 3e9, "{exponent}");
            let twice = number.plus(number).normal();
            assert_eq!(twice.times(number.divides(1.0)), 2.0, "{exponent}");
            assert_eq!(number.times(twice.divides(1.0)), 0.5, "{exponent}");
        }
    }

    #[test]
    fn sums_do_not_depend_on_scales() {
        let (large, small) = (doubled(300), doubled(250));
        assert_eq!((large.scale, small.scale), (1, 0));
        for sum in [large.plus(small), small.plus(large)] {
            let factor = sum.normal().times(small.divides(1.0));
            assert_eq!(factor, (1_u64 << 50) as f64 + 1.0);
        }
        let huge = doubled(3000);
        assert_eq!(huge.plus(large), huge);
        assert_eq!(large.plus(huge), huge);
        for number in [huge, small] {
            assert_eq!(number.plus(Scaled::ZERO), number);
            assert_eq!(Scaled::ZERO.plus(number), number);
        }
    }

    #[test]
    fn a_vanishing_product_is_0() {
        assert_eq!(doubled(300).times(doubled(3000).divides(1.0)), 0.0);
    }
}
