//! The stress kernel: every thread allocates and frees at random, and blocks
//! change hands, so that one warp frees what another allocated.
//!
//! Threads share an array of slots. A turn takes what a random slot holds: a
//! block is verified and freed; if there was none, a new one is allocated,
//! filled and left there. A block carries its size and a seed in its first
//! words, from which every other word follows.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU64;

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Counters that the kernel writes.
pub const STRESS_WORDS: usize = 4;

/// The counters of the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StressCounts {
    /// Requests that were served.
    pub served: u64,
    /// Requests that gave null.
    pub nulls: u64,
    /// Blocks freed.
    pub freed: u64,
    /// Blocks with wrong contents, or misaligned.
    pub corrupt: u64,
}

impl StressCounts {
    /// The counts from the kernel's words.
    pub fn from_words(words: &[u64; STRESS_WORDS]) -> Self {
        Self {
            served: words[0],
            nulls: words[1],
            freed: words[2],
            corrupt: words[3],
        }
    }
}

arguments! {
    /// How to stress.
    pub struct StressArguments {
        pointers {
            /// Handles' bits, all those of the null handle at first.
            slots: u64,
            /// `STRESS_WORDS` counters.
            counters: u64,
        }
        integers {
            /// Slots, at least one.
            slot_count: u32,
            /// Turns of each thread; 0 empties the slots instead.
            turns: u32,
            /// Bytes of the smallest request, at least 8.
            least_bytes: u32,
            /// Bytes of the largest request.
            most_bytes: u32,
            /// Seed.
            seed: u32,
        }
    }
}

/// Takes a number apart into one that looks unrelated (the finaliser of
/// MurmurHash3).
#[inline(always)]
pub(crate) fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Words of a block; only whole ones are used.
#[inline(always)]
fn words_of(bytes: u32) -> u32 {
    bytes / 4
}

/// Writes size, seed and what follows from them into a block.
///
/// # Safety
///
/// The block is aligned, has `bytes` bytes and is the caller's.
#[inline(always)]
unsafe fn fill(address: *mut u8, bytes: u32, seed: u32) {
    for index in 0..words_of(bytes) {
        let value = match index {
            0 => bytes,
            1 => seed,
            _ => mix(seed ^ index),
        };
        // SAFETY: the word is within `bytes`, which the block has.
        unsafe {
            address
                .cast::<u32>()
                .add(index as usize)
                .write_volatile(value)
        };
    }
}

/// Whether a block still holds what `fill` wrote.
///
/// # Safety
///
/// The block is aligned, has 16 bytes at least and is the caller's. If its first word is
/// at most `most_bytes`, it has as many bytes as that says.
#[inline(always)]
unsafe fn verify(address: *mut u8, most_bytes: u32) -> bool {
    // SAFETY: the block has two words, and as many as its first says: a size beyond `most_bytes` is not followed.
    unsafe {
        let words = address.cast::<u32>();
        let bytes = words.read_volatile();
        if bytes > most_bytes || !(address as usize).is_multiple_of(16) {
            return false;
        }
        let seed = if bytes >= 8 {
            words.add(1).read_volatile()
        } else {
            0
        };
        let mut intact = true;
        for index in 2..words_of(bytes) {
            intact &= words.add(index as usize).read_volatile() == mix(seed ^ index);
        }
        intact
    }
}

/// Random allocation and release by all threads; see the module.
pub struct Stress;

impl Kernel for Stress {
    type Arguments = StressArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: StressArguments,
    ) {
        // SAFETY: the arguments' contract gives the sizes of both arrays.
        let slot =
            |index: u32| unsafe { &*arguments.slots.add(index as usize).cast::<AtomicU64>() };
        // SAFETY: as above.
        let counter = |index: usize| unsafe { &*arguments.counters.add(index).cast::<AtomicU64>() };
        let (mut served, mut nulls, mut freed, mut corrupt) = (0, 0, 0, 0);
        let mut retire = |bits: u64| {
            let block = A::Handle::from_bits(bits);
            if block.is_null() {
                return false;
            }
            // SAFETY: the swap that gave us the block acquired it, with the size that
            // `fill` wrote, and it is no longer in a slot.
            unsafe {
                if !verify(heap.address(block), arguments.most_bytes) {
                    corrupt += 1;
                }
                heap.free(warp, block);
            }
            freed += 1;
            true
        };
        if arguments.turns == 0 {
            let mut index = warp.thread();
            while index < arguments.slot_count {
                retire(slot(index).swap(A::Handle::NULL.to_bits(), AcqRel));
                index += warp.threads();
            }
        }
        let span = arguments.most_bytes - arguments.least_bytes + 1;
        for turn in 0..arguments.turns {
            let random = mix(mix(warp.thread() ^ arguments.seed).wrapping_add(turn));
            let place = slot(((u64::from(random) * u64::from(arguments.slot_count)) >> 32) as u32);
            // AcqRel: the block's contents travel with its handle.
            if retire(place.swap(A::Handle::NULL.to_bits(), AcqRel)) {
                continue;
            }
            // Small sizes are frequent, large ones rare: three uniform factors.
            let part =
                (u64::from(mix(random) & 0xffff) * u64::from(mix(random ^ 1) & 0xffff)) >> 16;
            let part = (part * u64::from(mix(random ^ 2) & 0xffff)) >> 16;
            let bytes = arguments.least_bytes + ((part * u64::from(span)) >> 16) as u32;
            let block = heap.malloc(warp, u64::from(bytes));
            if block.is_null() {
                nulls += 1;
                continue;
            }
            served += 1;
            // SAFETY: the block is ours until it is in the slot.
            unsafe { fill(heap.address(block), bytes, random) };
            retire(place.swap(block.to_bits(), AcqRel));
        }
        // Relaxed: the host reads the sums after the launch.
        counter(0).fetch_add(served, Relaxed);
        counter(1).fetch_add(nulls, Relaxed);
        counter(2).fetch_add(freed, Relaxed);
        counter(3).fetch_add(corrupt, Relaxed);
    }
}
