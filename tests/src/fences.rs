//! Fences that ThreadSanitizer sees.
//!
//! ThreadSanitizer knows what acquires and releases of words order, and takes no notice
//! of fences. With the feature `tsan` a hook performs the atomic accesses of a thread in
//! its place, and keeps two things up for it:
//!
//! - A release fence releases a word of the thread's own. Each word in memory has a set of the
//!   threads whose stores behind such a fence its value carries: a store begins it anew, a
//!   read-modify-write adds to it. A thread that acquires the word acquires the words of these
//!   threads.
//! - A thread remembers its latest relaxed loads. An acquire fence acquires these words.
//!
//! This approximation may hide races with these accesses:
//!
//! - Accesses of a thread between the fence whose store was read and its latest fence.
//! - Stores newer than the store that a relaxed load before an acquire fence returned.
//! - Accesses to words that share an entry of the table.
//!
//! A thread without fences, or a relaxed load without one, still orders nothing.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use cuda_std::schedule::{Access, Operation, set_hook};

/// Threads that are told apart at a time.
const THREADS: usize = 63;
/// Set while a thread accesses a word of this entry. All accesses to the table are
/// relaxed, so that the table itself orders nothing.
const LOCKED: u64 = 1 << THREADS;
/// Entries of the table: words 4 MiB apart share one.
const ENTRIES: usize = 1 << 20;
/// Says that several words share an entry.
const SHARED: usize = usize::MAX;
/// Relaxed loads that an acquire fence may come behind.
const LOADS: usize = 8;

/// For each word, by its address: the threads whose fences its value carries.
static CARRIED: [AtomicU64; ENTRIES] = [const { AtomicU64::new(0) }; ENTRIES];
/// For each entry, the address of its word.
static WORDS: [AtomicUsize; ENTRIES] = [const { AtomicUsize::new(0) }; ENTRIES];
/// For each thread, the word that its fence releases.
static FENCES: [AtomicU64; THREADS] = [const { AtomicU64::new(0) }; THREADS];
static NEXT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// This thread's word in [`FENCES`].
    static OWN: usize = NEXT.fetch_add(1, Relaxed) as usize % THREADS;
    /// This thread's bit once it has had a release fence, else 0.
    static FENCED: Cell<u64> = const { Cell::new(0) };
    /// Address and bytes of the latest relaxed loads, and the number of all of them.
    static LOADED: Cell<([(usize, usize); LOADS], usize)> =
        const { Cell::new(([(0, 0); LOADS], 0)) };
}

/// Shows the fences of this thread, until it ends, to ThreadSanitizer. It is to be a
/// thread of one launch, so that the words that it loaded are there as long as it is.
pub fn show() {
    if cfg!(feature = "tsan") {
        set_hook(Some(perform));
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

fn perform(access: &Access) -> Option<u64> {
    match access.operation {
        Operation::PlainRead | Operation::PlainWrite => None,
        Operation::Fence => {
            fence(access.order);
            Some(0)
        }
        _ => Some(on_word(access)),
    }
}

fn fence(order: Ordering) {
    if acquires(order) {
        let (loads, count) = LOADED.replace(([(0, 0); LOADS], 0));
        for &(address, bytes) in &loads[..count.min(LOADS)] {
            on_word(&Access {
                address,
                bytes,
                operation: Operation::Load,
                order: Acquire,
                leads: true,
                site: std::panic::Location::caller(),
            });
        }
    }
    if releases(order) {
        let own = OWN.with(|own| *own);
        FENCES[own].store(0, Release);
        FENCED.set(1 << own);
    }
}

fn on_word(access: &Access) -> u64 {
    let index = access.address / 4 % ENTRIES;
    let entry = &CARRIED[index];
    let carried = lock(entry);
    let is_alone = match WORDS[index].load(Relaxed) {
        0 => {
            WORDS[index].store(access.address, Relaxed);
            true
        }
        word if word == access.address => true,
        _ => {
            WORDS[index].store(SHARED, Relaxed);
            false
        }
    };
    let value = if access.bytes == size_of::<u32>() {
        on_u32(access)
    } else {
        on_u64(access)
    };
    let own = FENCED.get();
    let carries = match access.operation {
        Operation::Load => carried,
        Operation::CompareExchange { current, .. } if value != current => carried,
        Operation::Store(_) if is_alone => own,
        _ => carried | own,
    };
    compiler_fence(SeqCst);
    entry.store(carries, Relaxed);
    let is_store = matches!(access.operation, Operation::Store(_));
    if acquires(access.order) && !is_store {
        for (thread, word) in FENCES.iter().enumerate() {
            if carried & 1 << thread != 0 {
                word.load(Acquire);
            }
        }
    } else if access.order == Relaxed && !is_store {
        let (mut loads, count) = LOADED.get();
        loads[count % LOADS] = (access.address, access.bytes);
        LOADED.set((loads, count + 1));
    }
    value
}

/// Locks an entry; what it held.
fn lock(entry: &AtomicU64) -> u64 {
    loop {
        let held = entry.load(Relaxed);
        let exchange = |held| entry.compare_exchange_weak(held, held | LOCKED, Relaxed, Relaxed);
        if held & LOCKED == 0 && exchange(held).is_ok() {
            compiler_fence(SeqCst);
            return held;
        }
        spin_loop();
    }
}

macro_rules! on_word {
    ($name:ident, $atomic:ty, $int:ty) => {
        /// The access itself.
        fn $name(access: &Access) -> u64 {
            // SAFETY: an access to an atomic word of this size, by the thread that
            // offered it or has loaded the word in the same launch.
            let word = unsafe { &*std::ptr::with_exposed_provenance::<$atomic>(access.address) };
            let order = access.order;
            let before = match access.operation {
                Operation::Load => word.load(order),
                Operation::Store(value) => {
                    word.store(value as $int, order);
                    0
                }
                Operation::Swap(value) => word.swap(value as $int, order),
                Operation::Add(value) => word.fetch_add(value as $int, order),
                Operation::And(value) => word.fetch_and(value as $int, order),
                Operation::Or(value) => word.fetch_or(value as $int, order),
                Operation::Min(value) => word.fetch_min(value as $int, order),
                Operation::Max(value) => word.fetch_max(value as $int, order),
                Operation::CompareExchange { current, new } => {
                    let failure = match order {
                        Relaxed | Release => Relaxed,
                        Acquire | AcqRel => Acquire,
                        _ => SeqCst,
                    };
                    let (current, new) = (current as $int, new as $int);
                    match word.compare_exchange(current, new, order, failure) {
                        Ok(held) | Err(held) => held,
                    }
                }
                Operation::Fence | Operation::PlainRead | Operation::PlainWrite => {
                    unreachable!("no access to an atomic word")
                }
            };
            u64::from(before)
        }
    };
}

on_word!(on_u32, AtomicU32, u32);
on_word!(on_u64, AtomicU64, u64);
