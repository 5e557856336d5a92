//! A lane's view of its warp and of the machine.

/// Bytes of scratch memory that every warp of a kernel may use.
pub const SCRATCH_BYTES: usize = 4096;

/// Warps of a block: with [`SCRATCH_BYTES`] each they use the shared memory
/// that every GPU grants.
pub const WARPS_PER_BLOCK: u32 = 8;

/// A lane's view of its warp and of the machine.
///
/// A value belongs to one lane. Functions with a `mask` are collective: every lane of `mask`
/// calls them, with the same mask, and the caller is one of them. Functions named `all_*`
/// are collective over the whole warp. None of them orders memory but `sync`.
///
/// # Safety
///
/// Kernels access memory by these values. An implementation promises that
///
/// - a `lane` is below `LANES` and a `warp` below `warps`, that no two lanes of a launch
///   have the same pair, and that none of them changes;
/// - collectives return in each lane what they are specified to, and `sync` orders the
///   memory accesses of its lanes;
/// - the bytes of `scratch` belong to the warp as long as it runs, those of `shared` to its block;
/// - where `LANES` is 1, warps of a launch that run at the same time have different
///   `processor`s, and a later one with the same sees all that an earlier one wrote.
pub unsafe trait Warp: Copy {
    /// Lanes in a warp: 32, or 1 on the CPU.
    const LANES: u32;
    /// Whether a lane is alone in its warp, so that scalar code does better; see the module
    /// [`simt`](crate::simt).
    const IS_SOLO: bool = Self::LANES == 1;
    /// The mask of a whole warp.
    const FULL: u32 = if Self::LANES == 32 {
        u32::MAX
    } else {
        (1 << Self::LANES) - 1
    };

    /// This lane, 0 to `LANES - 1`.
    fn lane(self) -> u32;
    /// This warp, 0 to `warps() - 1`, over the whole grid.
    fn warp(self) -> u32;
    /// Warps in the grid.
    fn warps(self) -> u32;
    /// The multiprocessor that runs the warp, a hint for spreading work; where `LANES` is 1,
    /// the worker, which runs one warp at a time.
    fn processor(self) -> u32;
    /// The active mask: some subset of the warp's lanes that execute this call together,
    /// the caller among them.
    ///
    /// Never in a function that is not inlined into its kernel: ptxas assumes that the
    /// active mask there is the same in all lanes, though lanes call at different times
    /// and reconverge inside; collectives with such a mask do not wait for all of it. Never
    /// in a loop that lanes leave one by one, for the same reason: lanes that entered
    /// together stay converged until the last has left.
    fn converge(self) -> u32;
    /// The lanes of `mask` for which `predicate` holds.
    fn ballot(self, mask: u32, predicate: bool) -> u32;
    /// Waits for the lanes of `mask` and orders their accesses to memory.
    fn sync(self, mask: u32);
    /// The `value` of `lane`, which is in `mask`.
    fn shuffle(self, mask: u32, value: u32, lane: u32) -> u32;
    /// The `value` of the lane `delta` below; lanes under `delta` get their own.
    fn all_shuffle_up(self, value: u32, delta: u32) -> u32;
    /// The `value` of the lane whose number differs in the bits of `lanes`.
    fn all_shuffle_xor(self, value: u32, lanes: u32) -> u32;
    /// Gives way to other warps; called in every turn of a spin.
    fn back_off(self);
    /// As `back_off`, for so many `times` as long where a pause has a length.
    #[inline(always)]
    fn back_off_for(self, _times: u32) {
        self.back_off();
    }
    /// The warp's scratch memory: `SCRATCH_BYTES`, 16-byte aligned, shared by
    /// its lanes, not cleared. Lanes order their accesses with `sync`.
    fn scratch(self) -> *mut u8;

    /// Warps of this one's block.
    #[inline(always)]
    fn warps_in_block(self) -> u32 {
        1
    }
    /// This warp among those of its block.
    #[inline(always)]
    fn warp_in_block(self) -> u32 {
        self.warp() % self.warps_in_block()
    }
    /// The block, counted over the grid.
    #[inline(always)]
    fn block(self) -> u32 {
        self.warp() / self.warps_in_block()
    }
    /// Waits for all lanes of the block's warps and orders their accesses to memory.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sync_block(self);
    /// The memory that the block's warps share, as many bytes as the kernel's
    /// [`BlockShape`](super::BlockShape) has, 16-byte aligned, not cleared.
    fn shared(self) -> *mut u8;

    /// The lanes of `mask` that have the same `key`, this one among them.
    #[inline(always)]
    fn match_any(self, mask: u32, key: u32) -> u32 {
        // One turn a key.
        let (mut rest, mut own) = (mask, 0);
        while rest != 0 {
            let first = self.shuffle(mask, key, leader(rest));
            let same = self.ballot(mask, key == first);
            if key == first {
                own = same;
            }
            rest &= !same;
        }
        own
    }

    /// This thread, 0 to `threads() - 1`, over the whole grid.
    #[inline(always)]
    fn thread(self) -> u32 {
        self.warp() * Self::LANES + self.lane()
    }

    /// Threads in the grid.
    #[inline(always)]
    fn threads(self) -> u32 {
        self.warps() * Self::LANES
    }

    /// A 64-bit [`Warp::shuffle`].
    #[inline(always)]
    fn shuffle64(self, mask: u32, value: u64, lane: u32) -> u64 {
        let low = self.shuffle(mask, value as u32, lane);
        let high = self.shuffle(mask, (value >> 32) as u32, lane);
        u64::from(high) << 32 | u64::from(low)
    }

    /// The sum of all lanes' values, in every lane; it wraps.
    #[inline(always)]
    fn all_sum(self, mut value: u32) -> u32 {
        let mut step = Self::LANES / 2;
        while step > 0 {
            value = value.wrapping_add(self.all_shuffle_xor(value, step));
            step /= 2;
        }
        value
    }

    /// The least of all lanes' values, in every lane.
    #[inline(always)]
    fn all_min(self, mut value: u32) -> u32 {
        let mut step = Self::LANES / 2;
        while step > 0 {
            let other = self.all_shuffle_xor(value, step);
            value = if other < value { other } else { value };
            step /= 2;
        }
        value
    }

    /// The greatest of all lanes' values, in every lane.
    #[inline(always)]
    fn all_max(self, value: u32) -> u32 {
        !self.all_min(!value)
    }

    /// The least of all lanes' 64-bit values, in every lane.
    #[inline(always)]
    fn all_min64(self, mut value: u64) -> u64 {
        let mut step = Self::LANES / 2;
        while step > 0 {
            let low = self.all_shuffle_xor(value as u32, step);
            let high = self.all_shuffle_xor((value >> 32) as u32, step);
            let other = u64::from(high) << 32 | u64::from(low);
            value = if other < value { other } else { value };
            step /= 2;
        }
        value
    }

    /// The sum over this lane and all below it.
    #[inline(always)]
    fn all_inclusive_sum(self, mut value: u32) -> u32 {
        let mut step = 1;
        while step < Self::LANES {
            let below = self.all_shuffle_up(value, step);
            if self.lane() >= step {
                value = value.wrapping_add(below);
            }
            step *= 2;
        }
        value
    }
}

/// The lowest lane of `mask`, which must not be empty.
#[inline(always)]
pub fn leader(mask: u32) -> u32 {
    // The GPU counts bits that are set, and needs a branch for trailing zeros.
    (mask ^ mask.wrapping_sub(1)).count_ones() - 1
}

/// The lanes of `mask` below `lane`, counted.
#[inline(always)]
pub fn rank(mask: u32, lane: u32) -> u32 {
    (mask & ((1 << lane) - 1)).count_ones()
}

/// The lowest `count` bits, at most 32.
#[inline(always)]
pub fn low_bits(count: u32) -> u32 {
    if count == 0 {
        0
    } else {
        u32::MAX >> (32 - count)
    }
}
