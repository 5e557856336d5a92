//! The churn kernel: `malloc` and `free` in one kernel on a heap that is full, so
//! that about half the requests are refused.
//!
//! Every thread keeps some blocks of mixed sizes. A turn looks at one of its places
//! at random: a block there is checked and freed; if there is none, one is
//! requested. Say a share `p` of the requests is granted: then `p / (1 + p)` of the
//! places hold a block once as many blocks come as go. A third of them, where half
//! the requests are refused, so the places are given three times what the heap
//! holds ([`ChurnArguments::places_for`]).
//!
//! A block is stamped over its whole length by its owner, who keeps the stamp's
//! seed elsewhere: whatever another owner writes into it is seen before it is
//! freed. Counts are returned at the end, so that nothing but the allocator makes
//! threads meet.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::stress::mix;
use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Counters that the kernel adds to.
pub const CHURN_WORDS: usize = 4;
/// Words of a place: a handle's bits and the seed of its block's stamp, 0 where
/// there is no block.
pub const PLACE_WORDS: usize = 2;
/// How many times more the places want than the heap holds.
const DEMAND: u64 = 3;

/// The counters of the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChurnCounts {
    /// Requests that were granted.
    pub granted: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Blocks freed.
    pub freed: u64,
    /// Blocks that did not hold their stamp, were misaligned or no blocks of the
    /// heap.
    pub corrupt: u64,
}

impl ChurnCounts {
    /// The counts from the kernel's words.
    pub fn from_words(words: &[u64; CHURN_WORDS]) -> Self {
        Self {
            granted: words[0],
            refused: words[1],
            freed: words[2],
            corrupt: words[3],
        }
    }

    /// Requests and frees.
    pub fn operations(&self) -> u64 {
        self.granted + self.refused + self.freed
    }
}

arguments! {
    /// The blocks that each thread keeps, and how long it goes on.
    pub struct ChurnArguments {
        pointers {
            /// `kept` places of `PLACE_WORDS` for each thread of the launch, all 0
            /// at first. Launches with as many threads go on with them.
            places: u64,
            /// `CHURN_WORDS` counters.
            counters: u64,
        }
        integers {
            /// Places of a thread, at least one.
            kept: u32,
            /// Turns of each thread; 0 frees what is in the places instead.
            turns: u32,
            /// The largest of the smallest requests, a power of two from 16 on.
            least_bytes: u32,
            /// Octaves of sizes from there on, at least one. Each has half as many
            /// requests as the one below, and so about the same share of the bytes.
            octaves: u32,
            /// Seed.
            seed: u32,
        }
    }
}

impl ChurnArguments {
    /// Bytes of a request on average: three quarters of an octave's largest times
    /// its frequency is the same for each but the last, which has twice that.
    pub fn mean_bytes(least_bytes: u32, octaves: u32) -> u64 {
        u64::from(least_bytes) * 3 / 8 * u64::from(octaves + 1)
    }

    /// Bytes that the block of a place was requested with: `words` are the place's; 0 if there
    /// is no block.
    pub fn live_bytes(words: [u64; PLACE_WORDS], least_bytes: u32, octaves: u32) -> u64 {
        match words[1] as u32 {
            0 => 0,
            seed => u64::from(size_of_request(seed, least_bytes, octaves)),
        }
    }

    /// Places, of all threads together, by which about half the requests to a heap
    /// of so many bytes are refused.
    pub fn places_for(heap_bytes: u64, least_bytes: u32, octaves: u32) -> u64 {
        DEMAND * heap_bytes / Self::mean_bytes(least_bytes, octaves)
    }
}

/// The bytes of the request whose stamp has this seed.
#[inline(always)]
fn size_of_request(seed: u32, least_bytes: u32, octaves: u32) -> u32 {
    let random = mix(seed ^ 0x2545_f491);
    // As many leading zeros as heads before the first tail.
    let zeros = random.leading_zeros();
    let octave = if zeros < octaves { zeros } else { octaves - 1 };
    let most = least_bytes << octave;
    most - ((u64::from(mix(random)) * u64::from(most / 2)) >> 32) as u32
}

/// Word `index` of the stamp with this seed.
#[inline(always)]
fn pattern(seed: u32, index: u32) -> u32 {
    (seed ^ index).wrapping_mul(0x9e37_79b1)
}

/// Writes a stamp over `bytes` bytes.
///
/// # Safety
///
/// The block has so many bytes, is aligned and the caller's.
#[inline(always)]
unsafe fn stamp(address: *mut u8, bytes: u32, seed: u32) {
    for index in 0..bytes / 4 {
        let word = address.cast::<u32>().wrapping_add(index as usize);
        // SAFETY: a word of the block.
        unsafe { word.write(pattern(seed, index)) };
    }
    for index in bytes & !3..bytes {
        let byte = address.wrapping_add(index as usize);
        // SAFETY: a byte of the block.
        unsafe { byte.write(pattern(seed, index) as u8) };
    }
}

/// Whether a block holds its stamp.
///
/// # Safety
///
/// As for `stamp`.
#[inline(always)]
unsafe fn holds_stamp(address: *mut u8, bytes: u32, seed: u32) -> bool {
    let mut holds = true;
    for index in 0..bytes / 4 {
        let word = address.cast::<u32>().wrapping_add(index as usize);
        // SAFETY: a word of the block.
        holds &= unsafe { word.read() } == pattern(seed, index);
    }
    for index in bytes & !3..bytes {
        let byte = address.wrapping_add(index as usize);
        // SAFETY: a byte of the block.
        holds &= unsafe { byte.read() } == pattern(seed, index) as u8;
    }
    holds
}

/// Allocation and release at exhaustion by all threads; see the module.
pub struct Churn;

impl Kernel for Churn {
    type Arguments = ChurnArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: ChurnArguments,
    ) {
        let ChurnArguments {
            least_bytes,
            octaves,
            ..
        } = arguments;
        let (thread, threads) = (warp.thread(), warp.threads());
        // Places of threads that are neighbours are neighbours.
        let place_of = |index: u32| {
            let place = index as usize * threads as usize + thread as usize;
            arguments.places.wrapping_add(PLACE_WORDS * place)
        };
        let (mut granted, mut refused, mut freed, mut corrupt) = (0, 0, 0, 0);
        // Frees the block of a place; false if there is none.
        let mut empty = |place: *mut u64| {
            // SAFETY: the place is this thread's alone, and so is the block in it.
            unsafe {
                let seed = place.add(1).read() as u32;
                if seed == 0 {
                    return false;
                }
                let block = A::Handle::from_bits(place.read());
                let bytes = size_of_request(seed, least_bytes, octaves);
                corrupt += u64::from(!holds_stamp(heap.address(block), bytes, seed));
                heap.free(warp, block);
                place.add(1).write(0);
            }
            freed += 1;
            true
        };
        if arguments.turns == 0 {
            for index in 0..arguments.kept {
                empty(place_of(index));
            }
        }
        let mut misplaced = 0;
        for turn in 0..arguments.turns {
            let random = mix(mix(thread ^ arguments.seed).wrapping_add(turn));
            let index = (u64::from(random) * u64::from(arguments.kept)) >> 32;
            let place = place_of(index as u32);
            if empty(place) {
                continue;
            }
            let seed = mix(random) | 1;
            let bytes = size_of_request(seed, least_bytes, octaves);
            let block = heap.malloc(warp, u64::from(bytes));
            if block.is_null() {
                refused += 1;
                continue;
            }
            granted += 1;
            let address = heap.address(block);
            if !(address as usize).is_multiple_of(16) || !heap.contains(block) {
                // Not to be written to; it is missed when blocks are counted.
                misplaced += 1;
                continue;
            }
            // SAFETY: the block and the place are this thread's alone.
            unsafe {
                stamp(address, bytes, seed);
                place.write(block.to_bits());
                place.add(1).write(u64::from(seed));
            }
        }
        let counts = [granted, refused, freed, corrupt + misplaced];
        let mut counter = arguments.counters;
        for count in counts {
            // SAFETY: the arguments' contract: `CHURN_WORDS` aligned words.
            // Relaxed: the host reads the sums after the launch.
            unsafe { (*counter.cast::<AtomicU64>()).fetch_add(count, Relaxed) };
            counter = counter.wrapping_add(1);
        }
    }
}
