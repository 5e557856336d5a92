//! Rows of linked adjacency: a chain of pages, or sections of one.
//!
//! A lane follows a chain page by page, so that the row of a hub, thousands of pages, would
//! take longer than all others together. A row of more than [`MAX_PAGES`] pages is *divided*:
//! each of its *sections* has the neighbours of a range and a chain of its own, and a
//! *directory*, a block from the allocator, lists the sections. Lanes take sections side by
//! side, and a change touches the chain of its section alone.
//!
//! The ranges of a directory stay as they are. A section that an insertion makes longer than a
//! chain may be has its row divided anew; one whose neighbours were deleted remains, empty in the
//! end. So a row wastes a page at most for each section that it ever needed.

use super::page::{
    Cursor, PAGE_BYTES, capacity, capacity_beside, entries, first, pages, weight_at,
};
use crate::allocator::Handle;
use crate::device_heap::Blocks;
use crate::graph::store::changes::{Change, Changes};
use crate::graph::store::{Vertex, lower_bound};
use crate::simt::{Warp, leader};

/// Pages of the longest chain.
pub const MAX_PAGES: u32 = 16;

/// Pages of the chains that a division makes.
const NEW_PAGES: u32 = 8;

/// The `capacity` of a vertex whose row is divided: its address is that of a directory.
const DIVIDED: u32 = 1 << 31;

/// Bits of a [`Place`] for the position in a section.
const POSITION_BITS: u32 = 8;

/// Sections that a row may have.
pub const MAX_SECTIONS: u32 = (1 << (u32::BITS - POSITION_BITS)) - 1;

/// Neighbours that no chain has more of, whatever the handles: a place has room for no more.
pub const MAX_DEGREE: u32 = (1 << POSITION_BITS) - 1;

// Handles have four bytes at least.
const _: () = assert!(MAX_PAGES * capacity_beside(4) <= MAX_DEGREE);

/// A place in a row: a section, 0 of a row that is one chain, and a position in its chain.
/// Places ascend as the neighbours do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// The place of this position in a section.
    #[inline(always)]
    pub fn new(section: u32, position: u32) -> Self {
        Self(section << POSITION_BITS | position)
    }

    /// The place that a change belongs to.
    #[inline(always)]
    pub fn of(changes: &Changes, change: Change) -> Self {
        Self(changes.position(change))
    }

    /// The first place of a section.
    #[inline(always)]
    pub fn first_of(section: u32) -> Self {
        Self::new(section, 0)
    }

    /// The place that a word stands for.
    #[inline(always)]
    pub fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// As the word that stands for the position of a change.
    #[inline(always)]
    pub fn word(self) -> u32 {
        self.0
    }

    /// The section.
    #[inline(always)]
    pub fn section(self) -> u32 {
        self.0 >> POSITION_BITS
    }

    /// The position in the chain of the section.
    #[inline(always)]
    pub fn position(self) -> u32 {
        self.0 & MAX_DEGREE
    }
}

/// Neighbours of the longest chain.
#[inline(always)]
pub fn max_degree<A: Blocks + ?Sized>() -> u32 {
    MAX_PAGES * capacity::<A>()
}

/// Neighbours of a section that a division makes; the last one may have fewer.
#[inline(always)]
pub fn new_degree<A: Blocks + ?Sized>() -> u32 {
    NEW_PAGES * capacity::<A>()
}

/// The record of a chain of so many neighbours whose first page has this address.
#[inline(always)]
pub fn chain_record<A: Blocks + ?Sized>(address: u64, degree: u32) -> Vertex {
    Vertex {
        address,
        degree,
        capacity: pages::<A>(degree) * capacity::<A>(),
    }
}

/// A section of a divided row.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Section {
    /// The record of its chain.
    pub chain: Vertex,
    /// The bits of the handle of its first page, or of null.
    pub handle: u64,
    /// Its neighbours are not below this, and those of the sections before are.
    pub bound: u32,
    /// Not 0 if the batch that made the directory made the chain.
    pub is_new: u32,
}

impl Section {
    /// The handle of its first page, or null.
    #[inline(always)]
    pub fn handle<H: Handle>(&self) -> H {
        H::from_bits(self.handle)
    }
}

/// Bytes of a section, and of what stands before the first one.
const SECTION_BYTES: u64 = size_of::<Section>() as u64;

/// The directory of a row.
///
/// Invariant: the address is that of a block with the number of sections in its first word and,
/// behind `SECTION_BYTES`, so many sections, at least one, whose bounds ascend from 0. A section's
/// chain has as many neighbours as its record says, at most [`max_degree`].
#[derive(Clone, Copy)]
pub struct Directory(*mut u8);

impl Directory {
    /// Bytes of a directory of so many sections: whole pages.
    #[inline(always)]
    pub fn bytes(sections: u32) -> u64 {
        (SECTION_BYTES * (u64::from(sections) + 1)).next_multiple_of(PAGE_BYTES)
    }

    /// The directory at an address.
    ///
    /// # Safety
    ///
    /// The invariant holds, or the caller makes it hold before it reads sections.
    #[inline(always)]
    pub unsafe fn new(address: u64) -> Self {
        Self(core::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// The directory of a row, if the row is divided.
    ///
    /// # Safety
    ///
    /// The record is one of a linked store.
    #[inline(always)]
    pub unsafe fn of(record: &Vertex) -> Option<Self> {
        // SAFETY: the address of a divided row is that of its directory.
        is_divided(record).then(|| unsafe { Self::new(record.address) })
    }

    /// The record of a row of `degree` neighbours that this directory is of.
    #[inline(always)]
    pub fn record(self, degree: u32) -> Vertex {
        Vertex {
            address: self.0.expose_provenance() as u64,
            degree,
            capacity: DIVIDED,
        }
    }

    /// Writes the number of sections.
    ///
    /// # Safety
    ///
    /// The block is this lane's and has room for them.
    #[inline(always)]
    pub unsafe fn set_sections(self, sections: u32) {
        // SAFETY: the first word of the block.
        unsafe { self.0.cast::<u32>().write(sections) };
    }

    /// The number of sections.
    #[inline(always)]
    pub fn sections(self) -> u32 {
        // SAFETY: the first word of the block.
        unsafe { *self.0.cast::<u32>() }
    }

    /// Where a section is.
    ///
    /// # Safety
    ///
    /// `index` is below the number of sections.
    #[inline(always)]
    pub unsafe fn section(self, index: u32) -> *mut Section {
        let at = SECTION_BYTES as usize * (index as usize + 1);
        // SAFETY: the block has room for this section.
        unsafe { self.0.add(at).cast() }
    }

    /// The record of the chain of a section.
    ///
    /// # Safety
    ///
    /// As for [`Directory::section`].
    #[inline(always)]
    pub unsafe fn chain(self, index: u32) -> Vertex {
        // SAFETY: the section is there.
        unsafe { (*self.section(index)).chain }
    }

    /// The section whose range has `target`.
    #[inline(always)]
    fn find(self, target: u32) -> u32 {
        let (mut low, mut high) = (0, self.sections());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            // SAFETY: below the number of sections.
            if unsafe { (*self.section(middle)).bound } <= target {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Whether a row is divided.
#[inline(always)]
pub fn is_divided(record: &Vertex) -> bool {
    record.capacity == DIVIDED
}

/// Where `target` belongs in a chain, and whether it is there.
///
/// # Safety
///
/// The chain of the record has `degree` neighbours, and no thread writes to it meanwhile.
#[inline(always)]
unsafe fn search_chain<A: Blocks + ?Sized>(heap: &A, chain: &Vertex, target: u32) -> (u32, bool) {
    let mut cursor_page = first(chain);
    let (mut before, mut left) = (0, chain.degree);
    while left > 0 {
        let here = if left < capacity::<A>() {
            left
        } else {
            capacity::<A>()
        };
        let page = entries::<A>(cursor_page);
        // SAFETY: the page has so many neighbours, and there is a next page if there are more.
        unsafe {
            if left == here || *page.add(here as usize - 1) >= target {
                let position = lower_bound(page, 0, here, target);
                let found = position < here && *page.add(position as usize) == target;
                return (before + position, found);
            }
            cursor_page = super::page::after(heap, cursor_page);
        }
        before += here;
        left -= here;
    }
    (0, false)
}

/// Where `target` belongs in the row of a vertex, and whether it is there.
///
/// # Safety
///
/// The record is one of a linked store, and no thread writes to its row meanwhile.
#[inline(always)]
pub unsafe fn search<A: Blocks + ?Sized>(heap: &A, record: &Vertex, target: u32) -> (Place, bool) {
    // SAFETY: such a record; the section found is one of the directory.
    unsafe {
        let (mut section, mut chain) = (0, *record);
        if let Some(directory) = Directory::of(record) {
            section = directory.find(target);
            chain = directory.chain(section);
        }
        let (position, found) = search_chain(heap, &chain, target);
        (Place::new(section, position), found)
    }
}

/// How many neighbours of a row are below `bound`.
///
/// # Safety
///
/// As for [`search`].
#[inline(always)]
pub unsafe fn rank<A: Blocks + ?Sized>(heap: &A, record: &Vertex, bound: u32) -> u32 {
    // SAFETY: as for `search`; sections below one of the directory.
    unsafe {
        let (place, _) = search(heap, record, bound);
        let mut below = place.position();
        if let Some(directory) = Directory::of(record) {
            let mut section = 0;
            while section < place.section() {
                below += directory.chain(section).degree;
                section += 1;
            }
        }
        below
    }
}

/// The neighbour at a position of a row.
///
/// # Safety
///
/// As for [`search`], and the position is below the degree.
#[inline(always)]
pub unsafe fn neighbour<A: Blocks + ?Sized>(heap: &A, record: &Vertex, mut position: u32) -> u32 {
    // SAFETY: the sections have as many neighbours as the row.
    unsafe {
        let mut chain = *record;
        if let Some(directory) = Directory::of(record) {
            let mut section = 0;
            chain = directory.chain(section);
            while position >= chain.degree {
                position -= chain.degree;
                section += 1;
                chain = directory.chain(section);
            }
        }
        *Cursor::new(heap, first(&chain), position).next()
    }
}

/// The weight at a place of a row.
///
/// # Safety
///
/// As for [`search`]; the row has a neighbour there, and the graph weights.
#[inline(always)]
pub unsafe fn weight<A: Blocks + ?Sized>(heap: &A, record: &Vertex, place: Place) -> *mut u32 {
    // SAFETY: such a record and such a place.
    unsafe {
        let mut chain = *record;
        if let Some(directory) = Directory::of(record) {
            chain = directory.chain(place.section());
        }
        weight_at(Cursor::new(heap, first(&chain), place.position()).next())
    }
}

/// Calls `visit` with each position in a chain and where the neighbour lies.
///
/// # Safety
///
/// As for [`search_chain`].
#[inline(always)]
unsafe fn for_each_of_chain<A: Blocks + ?Sized>(
    heap: &A,
    chain: &Vertex,
    mut visit: impl FnMut(u32, *mut u32),
) {
    if chain.degree == 0 {
        return;
    }
    // SAFETY: the chain has `degree` neighbours.
    unsafe {
        let mut cursor = Cursor::new(heap, first(chain), 0);
        let mut position = 0;
        while position < chain.degree {
            visit(position, cursor.next());
            position += 1;
        }
    }
}

/// Calls `visit` with each neighbour of a row in order. Not collective.
///
/// # Safety
///
/// As for [`search`].
#[inline(always)]
pub unsafe fn for_each_alone<A: Blocks + ?Sized>(
    heap: &A,
    record: &Vertex,
    mut visit: impl FnMut(u32),
) {
    // SAFETY: such a record; sections below the number of those of the directory.
    unsafe {
        let Some(directory) = Directory::of(record) else {
            for_each_of_chain(heap, record, |_, entry| visit(*entry));
            return;
        };
        let mut section = 0;
        while section < directory.sections() {
            for_each_of_chain(heap, &directory.chain(section), |_, entry| visit(*entry));
            section += 1;
        }
    }
}

/// Calls `visit` with each position in the row of a lane and where the neighbour lies: a lane for
/// a chain, all lanes of the warp for the sections of a divided row. `visit` gets the word `row` of the
/// lane whose row it is. All lanes of the warp call this, those without a row with one that is empty.
///
/// # Safety
///
/// As for [`search`], for the record of each lane.
#[inline(always)]
pub unsafe fn for_each<W: Warp, A: Blocks + ?Sized>(
    warp: W,
    heap: &A,
    record: Vertex,
    row: u64,
    mut visit: impl FnMut(u64, u32, *mut u32),
) {
    let is_divided = is_divided(&record);
    // SAFETY: such records; sections below the number of those of a directory.
    unsafe {
        if !is_divided {
            for_each_of_chain(heap, &record, |position, entry| visit(row, position, entry));
        }
        let mut divided = warp.ballot(W::FULL, is_divided);
        while divided != 0 {
            let owner = leader(divided);
            divided &= divided - 1;
            let directory = Directory::new(warp.shuffle64(W::FULL, record.address, owner));
            let row = warp.shuffle64(W::FULL, row, owner);
            let (mut before, mut group) = (0, 0);
            while group < directory.sections() {
                let mut chain = Vertex::default();
                if group + warp.lane() < directory.sections() {
                    chain = directory.chain(group + warp.lane());
                }
                let end = warp.all_inclusive_sum(chain.degree);
                let start = before + (end - chain.degree);
                for_each_of_chain(heap, &chain, |position, entry| {
                    visit(row, start + position, entry);
                });
                before += warp.shuffle(W::FULL, end, W::LANES - 1);
                group += W::LANES;
            }
        }
    }
}
