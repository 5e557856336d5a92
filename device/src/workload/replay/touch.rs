//! The content of blocks, which shows whether anything else has written there.

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::Warp;

/// The word at this offset of a block.
#[inline(always)]
fn word(block: u32, offset: u64) -> u32 {
    // The golden ratio times 2^32: no two blocks have the same words.
    block.wrapping_mul(0x9e37_79b9) ^ offset as u32
}

/// Bytes between words that are touched: those of a sector, the unit that memory moves.
const SECTOR_BYTES: u64 = 32;

/// Writes a word in each sector of a lane's block. A null block has none.
///
/// # Safety
///
/// The handle is null, or of a block of so many bytes that belongs to the lane.
#[inline(always)]
pub unsafe fn write<W: Warp, A: DeviceHeap<W> + ?Sized>(
    heap: &A,
    handle: A::Handle,
    bytes: u64,
    block: u32,
) {
    if handle.is_null() {
        return;
    }
    let start = heap.address(handle);
    let mut offset = 0;
    while offset + 4 <= bytes {
        // SAFETY: a word within the caller's block, whose address is a multiple of 16.
        unsafe {
            start
                .add(offset as usize)
                .cast::<u32>()
                .write(word(block, offset))
        };
        offset += SECTOR_BYTES;
    }
}

/// Counts the words among these of a lane's block that are not those that were written.
///
/// # Safety
///
/// As for [`write()`], which has written it before.
#[inline(always)]
pub unsafe fn damaged<W: Warp, A: DeviceHeap<W> + ?Sized>(
    heap: &A,
    handle: A::Handle,
    bytes: u64,
    block: u32,
) -> u32 {
    if handle.is_null() {
        return 0;
    }
    let start = heap.address(handle);
    let (mut offset, mut damaged) = (0, 0);
    while offset + 4 <= bytes {
        // SAFETY: as above.
        let is = unsafe { start.add(offset as usize).cast::<u32>().read() };
        damaged += u32::from(is != word(block, offset));
        offset += SECTOR_BYTES;
    }
    damaged
}
