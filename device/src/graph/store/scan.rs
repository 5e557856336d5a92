//! Prefix sums: of degrees, which gives the offsets of a CSR form, and of the
//! few sums of tiles that other kernels leave.
//!
//! A tile is a segment of items that one warp takes. Sums of tiles are scanned
//! by everybody who needs one: a warp adds up those before its own, which for
//! the some thousand tiles of a launch costs less than another launch.
//!
//! Two launches move 16 bytes a vertex twice and 4 bytes once.

use crate::arguments;
use crate::graph::store::{Vertex, lower_bound};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// The sum of `sums[..tile]`. All lanes call this with the same tile.
///
/// # Safety
///
/// The sums up to `tile` can be read and no lane of any warp writes to them.
#[inline(always)]
pub unsafe fn sum_before<W: Warp>(warp: W, sums: *const u32, tile: u32) -> u32 {
    let mut sum = 0_u32;
    let mut at = warp.lane();
    while at < tile {
        // Requested together, so that their latencies overlap.
        let parts: [u32; 4] = core::array::from_fn(|part| {
            let at = at + part as u32 * W::LANES;
            if at < tile {
                // SAFETY: below `tile`.
                unsafe { *sums.add(at as usize) }
            } else {
                0
            }
        });
        let [one, two, three, four] = parts;
        sum = sum.wrapping_add(one.wrapping_add(two));
        sum = sum.wrapping_add(three.wrapping_add(four));
        at += 4 * W::LANES;
    }
    warp.all_sum(sum)
}

/// The last of the vertices `from..to` whose entries begin at `entry` or before.
///
/// # Safety
///
/// `from..to` are vertices with these offsets, and the entries of `from` begin at `entry` or
/// before.
#[inline(always)]
pub unsafe fn owner(offsets: *const u32, from: u32, to: u32, entry: u32) -> u32 {
    // SAFETY: the caller's promise; offsets ascend.
    unsafe { lower_bound(offsets, from, to, entry + 1) - 1 }
}

arguments! {
    /// Degrees to offsets.
    pub struct ScanArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// A word for each tile.
            sums: u32,
            /// `vertices` and one word: the sum of degrees before each vertex,
            /// and of all.
            offsets: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Vertices of a tile, a multiple of the lanes of a warp.
            tile: u32,
            /// Tiles.
            tiles: u32,
        }
    }
}

impl ScanArguments {
    /// The degree of `vertex`, 0 beyond the last.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    unsafe fn degree(&self, vertex: u32) -> u32 {
        // SAFETY: the caller's promise; below the number of records.
        unsafe {
            if vertex < self.vertices {
                (*self.records.add(vertex as usize)).degree
            } else {
                0
            }
        }
    }
}

/// Sums the degrees of each tile.
pub struct ScanSums;

impl PlainKernel for ScanSums {
    type Arguments = ScanArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, scan: ScanArguments) {
        // SAFETY: the kernel's contract; there is a word for each tile.
        unsafe {
            let mut tile = warp.warp();
            while tile < scan.tiles {
                let mut sum = 0_u32;
                let mut row = 0;
                while row < scan.tile {
                    sum = sum.wrapping_add(scan.degree(tile * scan.tile + row + warp.lane()));
                    row += W::LANES;
                }
                let sum = warp.all_sum(sum);
                if warp.lane() == 0 {
                    scan.sums.add(tile as usize).write(sum);
                }
                tile += warp.warps();
            }
        }
    }
}

/// Writes the offsets.
pub struct ScanOffsets;

impl PlainKernel for ScanOffsets {
    type Arguments = ScanArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, scan: ScanArguments) {
        // SAFETY: the kernel's contract; the launch before has written the sums, and there is
        // a word for each vertex and one more.
        unsafe {
            let mut tile = warp.warp();
            while tile < scan.tiles {
                let mut sum = sum_before(warp, scan.sums, tile);
                let mut row = 0;
                while row < scan.tile {
                    let vertex = tile * scan.tile + row + warp.lane();
                    let degree = scan.degree(vertex);
                    let end = sum.wrapping_add(warp.all_inclusive_sum(degree));
                    // Of the vertices beyond the last, the first gets the total.
                    if vertex <= scan.vertices {
                        scan.offsets
                            .add(vertex as usize)
                            .write(end.wrapping_sub(degree));
                    }
                    sum = warp.shuffle(W::FULL, end, W::LANES - 1);
                    row += W::LANES;
                }
                tile += warp.warps();
            }
        }
    }
}
