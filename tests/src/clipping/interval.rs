//! Intervals of doubles, rounded outwards, that do not grow where a result is exact.

use std::ops::{Add, Div, Mul, Sub};

/// Numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Interval {
    /// A single number.
    pub fn of(x: f32) -> Self {
        Self::exactly(f64::from(x))
    }

    fn exactly(x: f64) -> Self {
        Self { low: x, high: x }
    }

    /// The numbers within the error of a rounded result. The sign of the error is known.
    fn rounded(x: f64, error: f64) -> Self {
        Self {
            low: if error < 0.0 { x.next_down() } else { x },
            high: if error > 0.0 { x.next_up() } else { x },
        }
    }

    fn is_single(self) -> bool {
        self.low == self.high
    }

    /// Whether 0 is among the numbers.
    pub fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Whether it is 0 and nothing else.
    pub fn is_zero(self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    fn hull(parts: [Self; 4]) -> Self {
        parts[1..].iter().fold(parts[0], |hull, part| Self {
            low: hull.low.min(part.low),
            high: hull.high.max(part.high),
        })
    }
}

fn sum(a: f64, b: f64) -> Interval {
    let sum = a + b;
    let added = sum - a;
    Interval::rounded(sum, (a - (sum - added)) + (b - added))
}

fn product(a: f64, b: f64) -> Interval {
    let product = a * b;
    Interval::rounded(product, a.mul_add(b, -product))
}

fn quotient(a: f64, b: f64) -> Interval {
    let quotient = a / b;
    // Of a - quotient * b, the sign is that of the error times b.
    let rest = (-quotient).mul_add(b, a);
    Interval::rounded(quotient, if b < 0.0 { -rest } else { rest })
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            low: sum(self.low, other.low).low,
            high: sum(self.high, other.high).high,
        }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            low: sum(self.low, -other.high).low,
            high: sum(self.high, -other.low).high,
        }
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.is_single() && other.is_single() {
            return product(self.low, other.low);
        }
        Self::hull([
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ])
    }
}

impl Div for Interval {
    type Output = Self;

    /// By an interval without 0.
    fn div(self, other: Self) -> Self {
        if self.is_single() && other.is_single() {
            return quotient(self.low, other.low);
        }
        Self::hull([
            quotient(self.low, other.low),
            quotient(self.low, other.high),
            quotient(self.high, other.low),
            quotient(self.high, other.high),
        ])
    }
}
