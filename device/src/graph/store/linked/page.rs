//! Pages, and walking along a chain of them.
//!
//! A page of a weighted graph is as long as two others. Its second half has the weights, each at the
//! place that its neighbour has in the first half.

use crate::device_heap::Blocks;
use crate::graph::store::Vertex;

/// Bytes of a page of a graph without weights.
pub const PAGE_BYTES: u64 = 64;

/// Bytes of a page of a graph with weights or without.
#[inline(always)]
pub fn page_bytes(is_weighted: bool) -> u64 {
    PAGE_BYTES << u32::from(is_weighted)
}

/// Where the weight of a neighbour lies that lies at `entry`.
#[inline(always)]
pub fn weight_at(entry: *mut u32) -> *mut u32 {
    entry.wrapping_byte_add(PAGE_BYTES as usize)
}

/// Neighbours that a page has room for beside a handle of so many bytes.
#[inline(always)]
pub const fn capacity_beside(handle_bytes: usize) -> u32 {
    (PAGE_BYTES as u32 - handle_bytes as u32) / 4
}

/// Neighbours that a page has room for.
#[inline(always)]
pub fn capacity<A: Blocks + ?Sized>() -> u32 {
    const { capacity_beside(size_of::<A::Handle>()) }
}

/// Pages that a vertex of this degree has.
#[inline(always)]
pub fn pages<A: Blocks + ?Sized>(degree: u32) -> u32 {
    degree.div_ceil(capacity::<A>())
}

/// Where a page keeps the handle of the next one, null in the last.
#[inline(always)]
pub fn link<A: Blocks + ?Sized>(page: *mut u8) -> *mut A::Handle {
    page.cast()
}

/// The neighbours of a page.
#[inline(always)]
pub fn entries<A: Blocks + ?Sized>(page: *mut u8) -> *mut u32 {
    page.wrapping_add(size_of::<A::Handle>()).cast()
}

/// The first page of a vertex that has neighbours.
#[inline(always)]
pub fn first(record: &Vertex) -> *mut u8 {
    record.entries().cast()
}

/// The page behind one that has a next.
///
/// # Safety
///
/// The page is one of a chain, and not its last.
#[inline(always)]
pub unsafe fn after<A: Blocks + ?Sized>(heap: &A, page: *mut u8) -> *mut u8 {
    // SAFETY: a page of a chain begins with the handle of the next, which it has.
    heap.address(unsafe { *link::<A>(page) })
}

/// The page `count` pages behind another.
///
/// # Safety
///
/// The chain is that long.
#[inline(always)]
pub unsafe fn skip<A: Blocks + ?Sized>(heap: &A, mut page: *mut u8, count: u32) -> *mut u8 {
    let mut passed = 0;
    while passed < count {
        // SAFETY: so far fewer pages are passed than the chain has behind the first.
        page = unsafe { after(heap, page) };
        passed += 1;
    }
    page
}

/// A position in a chain.
pub struct Cursor<'a, A: ?Sized> {
    heap: &'a A,
    page: *mut u8,
    position: u32,
}

// Not derived: the heap need not be `Copy` for that.
impl<A: ?Sized> Clone for Cursor<'_, A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: ?Sized> Copy for Cursor<'_, A> {}

impl<'a, A: Blocks + ?Sized> Cursor<'a, A> {
    /// Neighbour `index` of a chain.
    ///
    /// # Safety
    ///
    /// The chain that `page` begins has so many neighbours; one behind the last
    /// is allowed where that is not read.
    #[inline(always)]
    pub unsafe fn new(heap: &'a A, page: *mut u8, index: u32) -> Self {
        let skipped = index / capacity::<A>();
        let position = index - skipped * capacity::<A>();
        // A chain whose last page is full ends before the page of an index
        // behind it; `page` of such a cursor is never used.
        let last = if position == 0 && skipped > 0 {
            skipped - 1
        } else {
            skipped
        };
        // SAFETY: a neighbour in front of the index is `last` pages behind.
        let page = unsafe { skip(heap, page, last) };
        Self {
            heap,
            page,
            position: position + (skipped - last) * capacity::<A>(),
        }
    }

    /// The next neighbour, where it lies.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    pub unsafe fn next(&mut self) -> *mut u32 {
        if self.position == capacity::<A>() {
            // SAFETY: the page is full, and there is another neighbour, which is in a next one.
            self.page = unsafe { after(self.heap, self.page) };
            self.position = 0;
        }
        let entry = entries::<A>(self.page).wrapping_add(self.position as usize);
        self.position += 1;
        entry
    }
}
