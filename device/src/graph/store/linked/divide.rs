//! Dividing a row whose chain, or one of its sections, would be too long with the insertions of a
//! batch: a new directory, with new sections in place of those that change.

use core::sync::atomic::Ordering::Relaxed;

use super::chain::{Merge, address_of, make_chains};
use super::page::{Cursor, first};
use super::row::{Directory, MAX_SECTIONS, Section, chain_record, new_degree};
use super::sections::SectionRuns;
use crate::allocator::Handle;
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::{Vertex, obtain};
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// The flag in the word of a run whose row is divided anew: the word is the address of the new
/// directory with this flag, which addresses of blocks do not have; 0 in place of a directory that
/// was refused.
pub const DIVIDES: u64 = 1;

/// A section of the old row, the changes that belong to it, and the new sections in its place.
#[derive(Clone, Copy)]
struct Source {
    section: Section,
    /// The numbers of its changes.
    changes: (u32, u32),
    /// New sections.
    parts: u32,
}

impl Source {
    /// Section `index` of a row, if it has so many; else one that no new section takes the place
    /// of. A row that is not divided has one section.
    ///
    /// # Safety
    ///
    /// The directory is that of the row of `record`, if there is one.
    #[inline(always)]
    unsafe fn new<A: Blocks + ?Sized>(record: &Vertex, runs: SectionRuns, index: u32) -> Self {
        // SAFETY: such a directory, and a section that it has.
        unsafe {
            let mut source = Self {
                section: Section {
                    chain: *record,
                    handle: 0,
                    bound: 0,
                    is_new: 0,
                },
                changes: (0, 0),
                parts: 0,
            };
            if index < sections(record) {
                if let Some(directory) = Directory::of(record) {
                    source.section = *directory.section(index);
                }
                source.section.is_new = 0;
                source.changes = runs.of_section(index);
                source.parts = if source.is_changed() {
                    source.degree().div_ceil(new_degree::<A>())
                } else {
                    1
                };
            }
            source
        }
    }

    #[inline(always)]
    fn is_changed(&self) -> bool {
        self.changes.0 < self.changes.1
    }

    /// Neighbours with the changes.
    #[inline(always)]
    fn degree(&self) -> u32 {
        self.section.chain.degree + (self.changes.1 - self.changes.0)
    }

    /// That of another lane. All lanes of the warp call this.
    #[inline(always)]
    fn of_lane<W: Warp>(&self, warp: W, lane: u32) -> Self {
        let Section {
            chain,
            handle,
            bound,
            ..
        } = self.section;
        Self {
            section: Section {
                chain: Vertex {
                    address: warp.shuffle64(W::FULL, chain.address, lane),
                    degree: warp.shuffle(W::FULL, chain.degree, lane),
                    capacity: warp.shuffle(W::FULL, chain.capacity, lane),
                },
                handle: warp.shuffle64(W::FULL, handle, lane),
                bound: warp.shuffle(W::FULL, bound, lane),
                is_new: 0,
            },
            changes: (
                warp.shuffle(W::FULL, self.changes.0, lane),
                warp.shuffle(W::FULL, self.changes.1, lane),
            ),
            parts: warp.shuffle(W::FULL, self.parts, lane),
        }
    }

    /// The merge that makes part `part`.
    ///
    /// # Safety
    ///
    /// The section is changed, by the changes of these numbers, and has so many parts.
    #[inline(always)]
    unsafe fn merge<A: Blocks + ?Sized>(&self, changes: &Changes, part: u32) -> Merge {
        let start = part * new_degree::<A>();
        let left = self.degree() - start;
        let length = if left < new_degree::<A>() {
            left
        } else {
            new_degree::<A>()
        };
        // SAFETY: the parts are those of the merged sequence.
        unsafe { Merge::part(changes, self.section.chain, self.changes, (start, length)) }
    }
}

/// The sections of a row: that of a chain is one.
///
/// # Safety
///
/// The record is one of a linked store.
#[inline(always)]
unsafe fn sections(record: &Vertex) -> u32 {
    // SAFETY: such a record.
    unsafe { Directory::of(record) }.map_or(1, Directory::sections)
}

/// Divides the row of a run anew, and writes the new directory down as the run's. The old row
/// stays as it is.
///
/// # Safety
///
/// All lanes of the warp make the call, with the same run, which is this warp's and one of an
/// insertion, and the record of its vertex. No thread writes to the row meanwhile.
#[inline(always)]
pub unsafe fn divide<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    changes: &Changes,
    (record, run): (Vertex, Run),
    fresh_bytes: &mut u64,
) {
    let runs = SectionRuns::new(changes, run);
    // SAFETY: sections below the number of those of the row; new sections below the number that the
    // directory was requested for, each one lane's.
    unsafe {
        let old = sections(&record);
        let (mut count, mut group) = (0, 0);
        while group < old {
            let source = Source::new::<A>(&record, runs, group + warp.lane());
            count += warp.all_sum(source.parts);
            group += W::LANES;
        }
        let mut address = 0;
        if warp.lane() == 0 {
            let bytes = Directory::bytes(count);
            let mut block = A::Handle::NULL;
            if count <= MAX_SECTIONS {
                block = obtain(warp, heap, bytes);
            }
            if block.is_null() {
                // Relaxed: read by later launches.
                changes.refused().fetch_max(bytes, Relaxed);
            } else {
                address = address_of(heap, block);
                Directory::new(address).set_sections(count);
                *fresh_bytes += bytes;
            }
            changes.fresh::<A::Handle>(run.first()).write(block);
            changes.moved(run.first()).write(address | DIVIDES);
        }
        address = warp.shuffle64(W::FULL, address, 0);
        if address == 0 {
            return;
        }
        let directory = Directory::new(address);
        let (mut next, mut group) = (0, 0);
        while group < old {
            let source = Source::new::<A>(&record, runs, group + warp.lane());
            let parts = Segments::new(warp, source.parts);
            let mut item = 0;
            while item < parts.total {
                let (owner, part) = parts.locate(warp, item + warp.lane());
                let source = source.of_lane(warp, owner);
                let is_there = item + warp.lane() < parts.total;
                let mut section = source.section;
                let mut merge = Merge::NONE;
                if is_there && source.is_changed() {
                    merge = source.merge::<A>(changes, part);
                    section.chain = chain_record::<A>(0, merge.length());
                    section.is_new = 1;
                }
                let head = make_chains(warp, heap, changes, merge, fresh_bytes);
                if is_there {
                    if section.is_new != 0 {
                        section.handle = head.to_bits();
                        section.chain.address = address_of(heap, head);
                        if part > 0 && !head.is_null() {
                            section.bound = *Cursor::new(heap, first(&section.chain), 0).next();
                        }
                    }
                    directory.section(next + item + warp.lane()).write(section);
                }
                item += W::LANES;
            }
            next += parts.total;
            group += W::LANES;
        }
    }
}
