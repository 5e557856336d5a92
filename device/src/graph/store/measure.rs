//! Vertices and edges of a store, and the memory that they take.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::graph::store::linked::page::PAGE_BYTES;
use crate::graph::store::linked::row::Directory;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;
use crate::simt::rows::Rows;

/// Words of a measurement, by number.
pub mod word {
    /// Entries: the sum of degrees.
    pub const ENTRIES: usize = 0;
    /// Entries that the blocks have room for.
    pub const CAPACITY: usize = 1;
    /// Vertices with a block.
    pub const BLOCKS: usize = 2;
    /// The highest degree.
    pub const DEGREE: usize = 3;
    /// Number of words.
    pub const COUNT: usize = 4;
}

arguments! {
    /// A store.
    pub struct MeasureArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// `word::COUNT` words, 0 before the launch.
            words: u64,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Entries that a linked page has room for.
            page: u32,
        }
    }
}

/// Entries that the blocks of a vertex have room for; a directory counts as pages would of its size.
///
/// # Safety
///
/// The record is one of a store whose pages have room for `page` entries, if it is linked.
#[inline(always)]
unsafe fn room(record: &Vertex, page: u32) -> u64 {
    // SAFETY: such a record; sections below the number of those of the directory.
    unsafe {
        let Some(directory) = Directory::of(record) else {
            return record.capacity.into();
        };
        let sections = directory.sections();
        let mut room = Directory::bytes(sections) / PAGE_BYTES * u64::from(page);
        let mut section = 0;
        while section < sections {
            room += u64::from(directory.chain(section).capacity);
            section += 1;
        }
        room
    }
}

/// Adds up a store.
pub struct Measure;

impl PlainKernel for Measure {
    type Arguments = MeasureArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, measure: MeasureArguments) {
        let (mut entries, mut capacity, mut blocks, mut highest) = (0_u64, 0_u64, 0_u64, 0);
        let rows = Rows::new(warp, measure.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records.
            let record = unsafe { *measure.records.add(vertex as usize) };
            if !record.is_absent() && record.capacity > 0 {
                entries += u64::from(record.degree);
                // SAFETY: a record of the store.
                capacity += unsafe { room(&record, measure.page) };
                blocks += 1;
                highest = if record.degree > highest {
                    record.degree
                } else {
                    highest
                };
            }
            vertex += rows.step;
        }
        let sums = [entries, capacity, blocks].map(|sum| all_sum64(warp, sum));
        let highest = warp.all_max(highest);
        if warp.lane() == 0 && sums[2] > 0 {
            // SAFETY: the arguments' contract.
            let word = |index: usize| unsafe { &*measure.words.add(index).cast::<AtomicU64>() };
            // Relaxed: sums that the host reads after the launch.
            word(word::ENTRIES).fetch_add(sums[0], Relaxed);
            word(word::CAPACITY).fetch_add(sums[1], Relaxed);
            word(word::BLOCKS).fetch_add(sums[2], Relaxed);
            word(word::DEGREE).fetch_max(u64::from(highest), Relaxed);
        }
    }
}
