//! The word of a slab: its class, its taken chunks and the next ticket.
//!
//! A word is `ticket << 32 | head << 28 | (class + 1) << 24 | count`; a free slab has no class.
//! The count is of permits: chunks with an owner, or about to have one. It is too high while a
//! thread that expected another class, or found the slab full, has not yet taken its addition
//! back. There are fewer threads than the count has numbers, so that it carries into nothing.

use super::level::Class;
use crate::allocators::number::numbers;

numbers! {
    /// The number of a slab of the heap.
    Slab: "below `layout.slabs`";
}

/// How many chunks a request wants, at most 32: the count of a slab does not carry over into its
/// class.
#[derive(Clone, Copy)]
pub struct Wanted(u32);

impl Wanted {
    /// No chunk.
    pub const NONE: Self = Self(0);

    /// A chunk for each lane of a mask.
    #[inline(always)]
    pub fn by(lanes: u32) -> Self {
        Self(lanes.count_ones())
    }

    /// So many.
    ///
    /// # Safety
    ///
    /// `count` is at most 32.
    #[inline(always)]
    pub unsafe fn new(count: u32) -> Self {
        Self(count)
    }

    /// How many.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0
    }
}

/// The slab that is none: the number of no slab, in 22 bits.
pub const NONE: u32 = (1 << 22) - 1;
/// Where the class is in a word.
pub const CLASS_SHIFT: u32 = 24;
const COUNT_MASK: u64 = (1 << CLASS_SHIFT) - 1;
/// Set while the slab is a head, or about to be one: it is in no set, and keeps its class even
/// if it has no chunk in use.
pub const HEAD: u64 = 1 << 28;
/// The bits of the ticket.
pub const TICKETS: u64 = u64::MAX << 32;

/// The chunks that are taken of the slab with this word.
#[inline(always)]
pub fn count_of(word: u64) -> u32 {
    (word & COUNT_MASK) as u32
}

/// Whether the slab with this word is divided into chunks of the class.
#[inline(always)]
pub fn has_class(word: u64, class: Class) -> bool {
    word as u32 >> CLASS_SHIFT & 0xf == class.number() + 1
}

/// The class of the slab with this word, if it has one; `u32::MAX` otherwise.
#[inline(always)]
pub fn class_in(word: u64) -> u32 {
    (word as u32 >> CLASS_SHIFT & 0xf).wrapping_sub(1)
}

/// Whether the slab with this word is a head.
#[inline(always)]
pub fn is_head(word: u64) -> bool {
    word & HEAD != 0
}

/// The bits that `count` permits add to a word.
#[inline(always)]
pub fn permit_bits(count: u32) -> u64 {
    u64::from(count) << 32 | u64::from(count)
}

/// Permits for chunks of a slab.
#[derive(Clone, Copy)]
pub struct Permits {
    /// The slab, or [`NONE`].
    pub slab: u32,
    /// How many chunks: at most 32.
    pub count: u32,
    /// The first ticket.
    pub ticket: u32,
}

impl Permits {
    /// None.
    pub const NOTHING: Self = Self {
        slab: NONE,
        count: 0,
        ticket: 0,
    };

    /// As many of `wanted` chunks of a slab as it had, before whose word was `before`.
    #[inline(always)]
    pub fn of(slab: Slab, count: u32, before: u64) -> Self {
        Self {
            slab: slab.0,
            count,
            ticket: (before >> 32) as u32,
        }
    }

    /// The permits in a word, for a shuffle or a call. A slab has 22 bits.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        let high = self.slab << 10 | self.count;
        u64::from(high) << 32 | u64::from(self.ticket)
    }

    /// The permits of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        Self {
            slab: high >> 10,
            count: high & 0x3f,
            ticket: bits as u32,
        }
    }
}
