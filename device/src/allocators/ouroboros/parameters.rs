//! The parts of an Ouroboros heap, as constants of a type.

use crate::allocators::number::numbers;

numbers! {
    /// A class of pages.
    Class: "below `P::CLASSES`, and goes to functions of the instances, kinds and queues alone that \
            the heap was planned for";
}

/// Bytes of a chunk's entry in the table of metadata: the paper pads a chunk's
/// metadata to multiples of 128 B (section 3.2).
pub const METADATA_BYTES: u64 = 128;
/// Words of an entry before the bits of its pages.
pub(super) const FIRST_BITS: u32 = 8;
/// Most pages of a chunk: what an entry has bits for, in whole powers of two.
pub(super) const MAX_PAGES_BITS: u32 = 9;

/// The constants of a heap. Those of [`Paper`] are the defaults.
///
/// # Safety
///
/// A heap is planned by some of the constants and accessed by others. An implementation sets at
/// most the first five, with a page no larger than 2 GiB, and leaves all others as
/// they follow from these.
pub unsafe trait Parameters: Copy + 'static {
    /// The logarithm of a chunk's bytes.
    const CHUNK_BITS: u32 = 13;
    /// The logarithm of the smallest page's bytes, at least 4.
    const PAGE_BITS: u32 = 4;
    /// The logarithm of the maximum number of entries that a static queue has. The paper gives each
    /// of its queues 2,000,000, for 2 GiB; this is for as many in each 2 GiB of 64.
    const CAPACITY_BITS: u32 = 26;

    /// Chunks of a heap from which on each virtualized queue has one of them from the
    /// beginning (section 5.1): without it the first requests of a class wait for
    /// it. In a small heap these would be much of the memory; there, queues get
    /// their first chunk when they need it.
    const FIRST_CHUNKS_FROM: u32 = 1 << 13;

    /// Instances that are stacked on the first for larger pages (`stacked`).
    /// Without any, runs of chunks serve what is larger than a chunk.
    const STACKED: u32 = 0;
    /// Whether there are any: what only these need is then not compiled for others.
    const IS_STACKED: bool = Self::STACKED > 0;

    /// The class of the first instance that has one page a chunk.
    const CHUNK_CLASS: u32 = {
        assert!(Self::PAGE_BITS >= 4 && Self::CHUNK_BITS >= Self::PAGE_BITS);
        assert!(Self::CHUNK_BITS - Self::PAGE_BITS <= MAX_PAGES_BITS);
        // Entries of a queue take a quarter of the smallest page, so that the
        // pages of a chunk fit into one chunk of a virtualized queue.
        Self::CHUNK_BITS - Self::PAGE_BITS
    };
    /// Classes of pages: each has pages twice as large as the one before.
    const CLASSES: u32 = Self::CHUNK_CLASS + 1 + Self::STACKED;
    /// Bits of a class where it shares a word with something else. The last value is no
    /// class.
    const CLASS_BITS: u32 = if Self::IS_STACKED { 5 } else { 4 };
    /// Bytes of the largest page.
    const MAX_PAGE_BYTES: u64 = 1 << (Self::PAGE_BITS + Self::CLASSES - 1);
    /// Bytes of a chunk.
    const CHUNK_BYTES: u64 = 1 << Self::CHUNK_BITS;
    /// The logarithm of a chunk's length in units of 16 bytes.
    const UNIT_BITS: u32 = Self::CHUNK_BITS - 4;
    /// The logarithm of the entries of a queue that fit into a chunk.
    const ENTRY_BITS: u32 = Self::CHUNK_BITS - 2;
}

/// The constants of the paper (section 6): chunks of 8 KiB, pages of 16 B to
/// 8 KiB in ten classes, queues of some 2,000,000 entries.
#[derive(Clone, Copy, Debug)]
pub struct Paper;

// SAFETY: it sets none of them.
unsafe impl Parameters for Paper {}

/// Those of [`Paper`], and instances stacked for pages of up to 2 GiB.
#[derive(Clone, Copy, Debug)]
pub struct Stacked;

// SAFETY: it sets two of those that it may; the largest page has 2 GiB.
unsafe impl Parameters for Stacked {
    const CAPACITY_BITS: u32 = 21;
    const STACKED: u32 = 18;
}

/// The logarithm of the pages of a chunk of `class`.
#[inline(always)]
pub(super) fn pages_bits<P: Parameters>(class: Class) -> u32 {
    if P::IS_STACKED && class.number() > P::CHUNK_CLASS {
        return 0;
    }
    P::CHUNK_CLASS - class.number()
}

/// Pages of a chunk of `class`.
#[inline(always)]
pub(super) fn pages<P: Parameters>(class: Class) -> u32 {
    1 << pages_bits::<P>(class)
}

/// Bytes of a page of `class`.
#[inline(always)]
pub(super) fn page_bytes<P: Parameters>(class: Class) -> u64 {
    1 << (P::PAGE_BITS + class.number())
}

/// The class of the smallest pages that hold `bytes`.
///
/// # Safety
///
/// `bytes` is at most [`Parameters::MAX_PAGE_BYTES`], and the class goes where [`Class::new`] says.
#[inline(always)]
pub(super) unsafe fn class_of<P: Parameters>(bytes: u64) -> Class {
    let last = (bytes as u32).saturating_sub(1) >> P::PAGE_BITS;
    // SAFETY: the last class has pages of that size.
    unsafe { Class::new(u32::BITS - last.leading_zeros()) }
}
