//! The host's side of `atomic`: `core::sync::atomic` behind the hook of
//! `schedule`.

use core::panic::Location;
use core::sync::atomic::{self, Ordering};

use crate::schedule::{Access, Operation, offer};

/// Orders this thread's accesses to memory (`fence.acq_rel.gpu`,
/// `fence.sc.gpu`).
#[inline(always)]
#[track_caller]
pub fn fence(order: Ordering) {
    let site = Location::caller();
    let done = offer(|| Access {
        address: 0,
        bytes: 0,
        operation: Operation::Fence,
        order,
        leads: true,
        site,
    });
    if done.is_none() {
        atomic::fence(order);
    }
}

macro_rules! atomic_type {
    ($(#[$doc:meta])* $name:ident, $int:ty, $core:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Default)]
        pub struct $name(atomic::$core);

        impl $name {
            /// A word that holds `value`.
            pub const fn new(value: $int) -> Self {
                Self(atomic::$core::new(value))
            }

            /// The result of an operation that the hook performs in place of the host.
            #[inline(always)]
            #[track_caller]
            fn offer(&self, operation: impl FnOnce() -> Operation, order: Ordering) -> Option<$int> {
                let site = Location::caller();
                let value = offer(|| Access {
                    address: self.0.as_ptr() as usize,
                    bytes: size_of::<$int>(),
                    operation: operation(),
                    order,
                    leads: true,
                    site,
                })?;
                Some(value as $int)
            }

            /// Reads the word.
            #[inline(always)]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                match self.offer(|| Operation::Load, order) {
                    Some(value) => value,
                    None => self.0.load(order),
                }
            }

            /// Writes the word.
            #[inline(always)]
            #[track_caller]
            pub fn store(&self, value: $int, order: Ordering) {
                let done = self.offer(|| Operation::Store(value.into()), order);
                if done.is_none() {
                    self.0.store(value, order);
                }
            }

            /// Replaces the word and returns what it held.
            #[inline(always)]
            #[track_caller]
            pub fn swap(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::Swap(value.into()), order) {
                    Some(before) => before,
                    None => self.0.swap(value, order),
                }
            }

            /// Adds with wrap-around and returns the value before.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_add(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::Add(value.into()), order) {
                    Some(before) => before,
                    None => self.0.fetch_add(value, order),
                }
            }

            /// Bitwise and; returns the value before.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_and(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::And(value.into()), order) {
                    Some(before) => before,
                    None => self.0.fetch_and(value, order),
                }
            }

            /// Bitwise or; returns the value before.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_or(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::Or(value.into()), order) {
                    Some(before) => before,
                    None => self.0.fetch_or(value, order),
                }
            }

            /// Minimum of unsigned values; returns the value before.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_min(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::Min(value.into()), order) {
                    Some(before) => before,
                    None => self.0.fetch_min(value, order),
                }
            }

            /// Maximum of unsigned values; returns the value before.
            #[inline(always)]
            #[track_caller]
            pub fn fetch_max(&self, value: $int, order: Ordering) -> $int {
                match self.offer(|| Operation::Max(value.into()), order) {
                    Some(before) => before,
                    None => self.0.fetch_max(value, order),
                }
            }

            /// Writes `new` if the word holds `current`; returns what it held:
            /// equal to `current` exactly if the exchange took place.
            #[inline(always)]
            #[track_caller]
            pub fn compare_exchange(&self, current: $int, new: $int, order: Ordering) -> $int {
                let exchange = || Operation::CompareExchange {
                    current: current.into(),
                    new: new.into(),
                };
                if let Some(held) = self.offer(exchange, order) {
                    return held;
                }
                let failure = match order {
                    Ordering::Relaxed | Ordering::Release => Ordering::Relaxed,
                    Ordering::Acquire | Ordering::AcqRel => Ordering::Acquire,
                    _ => Ordering::SeqCst,
                };
                match self.0.compare_exchange(current, new, order, failure) {
                    Ok(held) | Err(held) => held,
                }
            }
        }
    };
}

atomic_type!(
    /// A 32-bit word in global memory.
    AtomicU32, u32, AtomicU32
);
atomic_type!(
    /// A 64-bit word in global memory.
    AtomicU64, u64, AtomicU64
);
atomic_type!(
    /// A 32-bit word in the scratch memory that the warps of a block share.
    SharedU32, u32, AtomicU32
);

/// Offers the relaxed access to one of the words that a call accesses together.
#[inline(always)]
#[track_caller]
fn offer_word(word: &AtomicU32, operation: Operation, leads: bool) -> Option<u64> {
    let site = Location::caller();
    offer(|| Access {
        address: word.0.as_ptr() as usize,
        bytes: size_of::<u32>(),
        operation,
        order: Ordering::Relaxed,
        leads,
        site,
    })
}

/// Reads 16 words, 64-byte aligned, by accesses that do not wait for each other. Relaxed.
#[inline(always)]
#[track_caller]
pub fn load_row(row: &[AtomicU32; 16]) -> [[u32; 4]; 4] {
    let mut words = [[0; 4]; 4];
    for (index, word) in row.iter().enumerate() {
        let value = match offer_word(word, Operation::Load, index == 0) {
            Some(value) => value as u32,
            None => word.0.load(Ordering::Relaxed),
        };
        words[index / 4][index % 4] = value;
    }
    words
}

/// Writes `value` to four words, 16-byte aligned. Relaxed.
#[inline(always)]
#[track_caller]
pub fn store_four(words: &[AtomicU32; 4], value: u32) {
    for (index, word) in words.iter().enumerate() {
        let store = Operation::Store(value.into());
        if offer_word(word, store, index == 0).is_none() {
            word.0.store(value, Ordering::Relaxed);
        }
    }
}
