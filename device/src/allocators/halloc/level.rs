//! How many chunks of a slab are taken, and the set of slabs that it belongs to.

use super::layout::{CLASSES, Shape};
use crate::allocators::number::numbers;

numbers! {
    /// A class of chunks that the slabs of the heap may have.
    Class: "at most `layout.last_class`";
}

/// How many chunks of a slab are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// At most half.
    AtMostHalf,
    /// More, but not beyond the threshold at which a head is replaced.
    BelowThreshold,
    /// More.
    AboveThreshold,
}

impl Level {
    /// The level with this number, the fullest being 0.
    #[inline(always)]
    pub fn from_fullest(number: u32) -> Self {
        match number {
            0 => Self::AboveThreshold,
            1 => Self::BelowThreshold,
            _ => Self::AtMostHalf,
        }
    }
}

/// A set of slabs.
#[derive(Clone, Copy)]
pub enum Set {
    /// Those without a class.
    Free,
    /// Those of a class at this level.
    Of(Class, Level),
}

impl Set {
    /// Where its rows are among those of all sets.
    #[inline(always)]
    pub fn index(self) -> u32 {
        match self {
            Self::Free => 0,
            Self::Of(class, level) => 1 + level as u32 * CLASSES + class.0,
        }
    }
}

impl Shape {
    /// How many chunks are taken of a slab that has so many in use, and a free one.
    #[inline(always)]
    pub fn level(&self, count: u32) -> Level {
        if count <= self.chunks / 2 {
            Level::AtMostHalf
        } else if count < self.threshold() {
            Level::BelowThreshold
        } else {
            Level::AboveThreshold
        }
    }
}
