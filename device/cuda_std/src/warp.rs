//! Warp collectives. GPU only.
//!
//! They are LLVM intrinsics, which the compiler knows to be convergent: the
//! same instruction in `asm!` would be duplicated into divergent branches.
//! Shuffles and votes order nothing in memory; `sync` does, for the compiler
//! and for the lanes of `mask`.

mod intrinsics {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
        pub fn lane_id() -> u32;
        #[link_name = "llvm.nvvm.activemask"]
        pub fn active_mask() -> u32;
        #[link_name = "llvm.nvvm.vote.ballot.sync"]
        pub fn ballot(mask: u32, predicate: bool) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i32"]
        pub fn match_any(mask: u32, value: u32) -> u32;
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        pub fn sync(mask: u32);
        #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
        pub fn sync_block(barrier: u32);
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        pub fn shuffle(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
        pub fn shuffle_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
        pub fn shuffle_xor(mask: u32, value: u32, lanes: u32, clamp: u32) -> u32;
    }
}

/// This thread's place in its warp, 0 to 31.
#[inline(always)]
pub fn lane_id() -> u32 {
    // SAFETY: reads a special register.
    unsafe { intrinsics::lane_id() }
}

/// Some set of lanes that execute this together with the caller, who is one of
/// them; no more is promised.
#[inline(always)]
pub fn active_mask() -> u32 {
    // SAFETY: reads the state of the warp only.
    unsafe { intrinsics::active_mask() }
}

/// The lanes of `mask` for which `predicate` holds.
///
/// Lanes with different masks may come here together. PTX gives each its own
/// answer; the machine code that ptxas makes of it votes over all lanes that run
/// together, where these are the whole warp. So the others are taken out here.
#[inline(always)]
pub fn ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: the caller is in `mask` and every lane of it arrives; that is
    // the contract of all functions here with a mask.
    unsafe { intrinsics::ballot(mask, predicate) & mask }
}

/// The lanes of `mask` that have the same `value`. Others are taken out as in `ballot`.
#[inline(always)]
pub fn match_any(mask: u32, value: u32) -> u32 {
    // SAFETY: see `ballot`.
    unsafe { intrinsics::match_any(mask, value) & mask }
}

/// Waits for the lanes of `mask`; orders their accesses to memory.
#[inline(always)]
pub fn sync(mask: u32) {
    // SAFETY: see `ballot`.
    unsafe { intrinsics::sync(mask) }
}

/// Waits for all threads of the block; orders their accesses to memory.
#[inline(always)]
pub fn sync_block() {
    // SAFETY: every thread of the block arrives here, the contract of this function.
    unsafe { intrinsics::sync_block(0) }
}

/// The `value` of `lane`, which must be in `mask`.
#[inline(always)]
pub fn shuffle(mask: u32, value: u32, lane: u32) -> u32 {
    // SAFETY: see `ballot`.
    unsafe { intrinsics::shuffle(mask, value, lane, 31) }
}

/// The `value` of the lane `delta` below; the lowest lanes get their own.
#[inline(always)]
pub fn shuffle_up(mask: u32, value: u32, delta: u32) -> u32 {
    // SAFETY: see `ballot`.
    unsafe { intrinsics::shuffle_up(mask, value, delta, 0) }
}

/// The `value` of the lane whose number differs in the bits of `lanes`.
#[inline(always)]
pub fn shuffle_xor(mask: u32, value: u32, lanes: u32) -> u32 {
    // SAFETY: see `ballot`.
    unsafe { intrinsics::shuffle_xor(mask, value, lanes, 31) }
}
