//! A block: warps that share memory and meet at barriers.
//!
//! A kernel that works in blocks states their shape ([`PlainKernel::BLOCK`]) and sees its block
//! through [`Block`]. On a GPU it is a thread block; a warp that is alone (`Solo`) is a block by
//! itself, for which a barrier is nothing.
//!
//! [`PlainKernel::BLOCK`]: crate::kernel::PlainKernel::BLOCK

use super::{WARPS_PER_BLOCK, Warp};

/// Bytes of memory that a block may share: every GPU since Turing grants as many on request.
pub const MAX_SHARED_BYTES: usize = 64 << 10;

/// The warps of a block on a GPU, and the memory that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Warps.
    pub warps: u32,
    /// Bytes of shared memory beside the scratch memory of the warps.
    pub shared_bytes: usize,
}

impl BlockShape {
    /// The shape of kernels whose warps work by themselves.
    pub const OF_WARPS: Self = Self {
        warps: WARPS_PER_BLOCK,
        shared_bytes: 0,
    };

    /// Warps that share so many bytes.
    pub const fn sharing(warps: u32, shared_bytes: usize) -> Self {
        assert!(shared_bytes <= MAX_SHARED_BYTES, "more than every GPU has");
        Self {
            warps,
            shared_bytes,
        }
    }
}

/// A thread's view of its block.
///
/// Methods named `all_*`, and [`Block::sync`], are collective: all threads of the block make the
/// call, at the same place.
#[derive(Clone, Copy)]
pub struct Block<W> {
    warp: W,
}

impl<W: Warp> Block<W> {
    /// The block of a warp.
    #[inline(always)]
    pub fn of(warp: W) -> Self {
        Self { warp }
    }

    /// This block, 0 to `blocks() - 1`.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.warp.block()
    }

    /// Blocks of the grid.
    #[inline(always)]
    pub fn blocks(self) -> u32 {
        // A block has warps; the compiler does not know it.
        self.warp.warps() / self.warp.warps_in_block().max(1)
    }

    /// This thread, 0 to `threads() - 1`, in the block.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        self.warp.warp_in_block() * W::LANES + self.warp.lane()
    }

    /// Threads of the block.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        self.warp.warps_in_block() * W::LANES
    }

    /// The first and the end of the part that this thread takes of `count` things in a row.
    #[inline(always)]
    pub fn range(self, count: u32) -> (u32, u32) {
        // As above.
        let each = count.div_ceil(self.threads().max(1));
        let first = (self.thread() * each).min(count);
        (first, (first + each).min(count))
    }

    /// Waits for all threads of the block and orders their accesses to memory.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn sync(self) {
        self.warp.sync_block();
    }

    /// The bytes that the block shares, as many as its shape has, 16-byte aligned and not cleared.
    #[inline(always)]
    pub fn shared(self) -> *mut u8 {
        self.warp.shared()
    }

    /// The sum of `value` over the threads before this one, and over all. It wraps.
    ///
    /// # Safety
    ///
    /// `partials` are words of the shared memory, one for each warp of the block, which nothing
    /// else uses meanwhile.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub unsafe fn all_exclusive_sum(self, value: u32, partials: *mut u32) -> (u32, u32) {
        let warp = self.warp;
        let end = warp.all_inclusive_sum(value);
        let warps = warp.warps_in_block();
        // SAFETY: a word for each warp; each writes its own before the barrier, and reads all after.
        unsafe {
            if warp.lane() == W::LANES - 1 {
                partials.add(warp.warp_in_block() as usize).write(end);
            }
            self.sync();
            // A block has no more warps than a warp has lanes.
            let own = warp.warp_in_block();
            let partial = match warp.lane() < warps {
                true => *partials.add(warp.lane() as usize),
                false => 0,
            };
            let ends = warp.all_inclusive_sum(partial);
            let total = warp.shuffle(W::FULL, ends, warps - 1);
            let with_own = warp.shuffle(W::FULL, ends, own);
            let own_sum = warp.shuffle(W::FULL, partial, own);
            let before = with_own.wrapping_sub(own_sum);
            // The words may be used again.
            self.sync();
            (before.wrapping_add(end).wrapping_sub(value), total)
        }
    }
}
