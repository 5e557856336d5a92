//! Vertices and edges of a store, and the memory that they take.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::graph::store::linked::row::Directory;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;
use crate::simt::rows::Rows;

/// Words of a measurement, by number.
pub mod word {
    /// Entries: the sum of degrees.
    pub const ENTRIES: usize = 0;
    /// Bytes of the blocks.
    pub const BYTES: usize = 1;
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
            /// Neighbours that a linked page has room for, or any four where a row is one block.
            page: u32,
            /// Bytes of such a page, or of four neighbours.
            page_bytes: u32,
        }
    }
}

impl MeasureArguments {
    /// Bytes of the blocks of a vertex.
    ///
    /// # Safety
    ///
    /// The record is one of the store.
    #[inline(always)]
    unsafe fn bytes(&self, record: &Vertex) -> u64 {
        // All capacities are those of whole pages. A page has room; the compiler does not know it.
        let pages = |chain: &Vertex| u64::from(chain.capacity / self.page.max(1));
        // SAFETY: such a record; sections below the number of those of the directory.
        unsafe {
            let Some(directory) = Directory::of(record) else {
                return pages(record) * u64::from(self.page_bytes);
            };
            let sections = directory.sections();
            let (mut all, mut section) = (0, 0);
            while section < sections {
                all += pages(&directory.chain(section));
                section += 1;
            }
            Directory::bytes(sections) + all * u64::from(self.page_bytes)
        }
    }
}

/// Adds up a store.
pub struct Measure;

impl PlainKernel for Measure {
    type Arguments = MeasureArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, measure: MeasureArguments) {
        let (mut entries, mut bytes, mut blocks, mut highest) = (0_u64, 0_u64, 0_u64, 0);
        let rows = Rows::new(warp, measure.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records.
            let record = unsafe { *measure.records.add(vertex as usize) };
            if !record.is_absent() && record.capacity > 0 {
                entries += u64::from(record.degree);
                // SAFETY: a record of the store.
                bytes += unsafe { measure.bytes(&record) };
                blocks += 1;
                highest = if record.degree > highest {
                    record.degree
                } else {
                    highest
                };
            }
            vertex += rows.step;
        }
        let sums = [entries, bytes, blocks].map(|sum| all_sum64(warp, sum));
        let highest = warp.all_max(highest);
        if warp.lane() == 0 && sums[2] > 0 {
            // SAFETY: the arguments' contract.
            let word = |index: usize| unsafe { &*measure.words.add(index).cast::<AtomicU64>() };
            // Relaxed: sums that the host reads after the launch.
            word(word::ENTRIES).fetch_add(sums[0], Relaxed);
            word(word::BYTES).fetch_add(sums[1], Relaxed);
            word(word::BLOCKS).fetch_add(sums[2], Relaxed);
            word(word::DEGREE).fetch_max(u64::from(highest), Relaxed);
        }
    }
}
