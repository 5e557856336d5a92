//! The content of blocks, which shows whether anything else has written there.

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::Warp;

/// The word at this index of a block.
#[inline(always)]
fn word(block: u32, index: u64) -> u32 {
    // The golden ratio times 2^32: no two blocks have the same words.
    block.wrapping_mul(0x9e37_79b9) ^ index as u32
}

/// Writes the words of a lane's block. A null block has none.
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
    let words: *mut u32 = heap.address(handle).cast();
    let mut index = 0;
    while index < bytes / 4 {
        // SAFETY: a word within the caller's block, whose address is a multiple of 16.
        unsafe { words.add(index as usize).write(word(block, index)) };
        index += 1;
    }
}

/// How many words of a lane's block are not those that were written.
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
    let words: *const u32 = heap.address(handle).cast();
    let (mut index, mut damaged) = (0, 0);
    while index < bytes / 4 {
        // SAFETY: as above.
        let is = unsafe { words.add(index as usize).read() };
        damaged += u32::from(is != word(block, index));
        index += 1;
    }
    damaged
}
