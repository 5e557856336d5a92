//! The GPU's side of `atomic`: one PTX instruction an operation.
//!
//! `asm!` is not `convergent` for the compiler, which may duplicate a block
//! into both arms of a branch; for an atomic, which concerns one thread, that
//! is harmless. No `nomem`: each block is a compiler barrier.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

/// Orders this thread's accesses to memory (`fence.acq_rel.gpu`,
/// `fence.sc.gpu`).
#[inline(always)]
pub fn fence(order: Ordering) {
    // SAFETY: a fence has no operands and touches no memory by itself.
    unsafe {
        match order {
            Ordering::SeqCst => asm!("fence.sc.gpu;"),
            _ => asm!("fence.acq_rel.gpu;"),
        }
    }
}

/// `$head.$order.$scope.$space.$tail`, with the order chosen at compile time.
macro_rules! read_modify_write {
    ($order:expr, $space:literal, $scope:literal, $op:expr, $class:ident, $this:expr, $($value:expr),+) => {{
        let result;
        match $order {
            Ordering::Relaxed => read_modify_write!(@ "relaxed", $space, $scope, $op, $class, result, $this, $($value),+),
            Ordering::Acquire => read_modify_write!(@ "acquire", $space, $scope, $op, $class, result, $this, $($value),+),
            Ordering::Release => read_modify_write!(@ "release", $space, $scope, $op, $class, result, $this, $($value),+),
            _ => read_modify_write!(@ "acq_rel", $space, $scope, $op, $class, result, $this, $($value),+),
        }
        result
    }};
    (@ $order:literal, $space:literal, $scope:literal, $op:expr, $class:ident, $result:ident, $this:expr, $value:expr) => {
        // SAFETY: the reference proves that the word is valid and aligned; the
        // type's contract says which memory it lies in.
        unsafe {
            asm!(
                concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {address}; atom.", $order, ".", $scope, ".", $space, ".", $op, " {result}, [%a], {value}; }}"),
                address = in(reg64) $this.0.get(),
                value = in($class) $value,
                result = out($class) $result,
                options(nostack)
            )
        }
    };
    (@ $order:literal, $space:literal, $scope:literal, $op:expr, $class:ident, $result:ident, $this:expr, $value:expr, $new:expr) => {
        // SAFETY: as above.
        unsafe {
            asm!(
                concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {address}; atom.", $order, ".", $scope, ".", $space, ".", $op, " {result}, [%a], {value}, {new}; }}"),
                address = in(reg64) $this.0.get(),
                value = in($class) $value,
                new = in($class) $new,
                result = out($class) $result,
                options(nostack)
            )
        }
    };
}

macro_rules! atomic_type {
    ($(#[$doc:meta])* $name:ident, $int:ty, $bits:literal, $class:ident, $space:literal, $scope:literal) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name(UnsafeCell<$int>);

        // SAFETY: every access is one atomic instruction.
        unsafe impl Sync for $name {}

        impl $name {
            /// Reads the word.
            #[inline(always)]
            pub fn load(&self, order: Ordering) -> $int {
                let result;
                // SAFETY: the reference proves that the word is valid and
                // aligned; the type's contract says which memory it lies in.
                unsafe {
                    match order {
                        Ordering::Relaxed => asm!(
                            concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {a}; ld.relaxed.", $scope, ".", $space, ".b", $bits, " {r}, [%a]; }}"),
                            a = in(reg64) self.0.get(), r = out($class) result, options(nostack)
                        ),
                        _ => asm!(
                            concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {a}; ld.acquire.", $scope, ".", $space, ".b", $bits, " {r}, [%a]; }}"),
                            a = in(reg64) self.0.get(), r = out($class) result, options(nostack)
                        ),
                    }
                }
                result
            }

            /// Writes the word.
            #[inline(always)]
            pub fn store(&self, value: $int, order: Ordering) {
                // SAFETY: as for `load`.
                unsafe {
                    match order {
                        Ordering::Relaxed => asm!(
                            concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {a}; st.relaxed.", $scope, ".", $space, ".b", $bits, " [%a], {v}; }}"),
                            a = in(reg64) self.0.get(), v = in($class) value, options(nostack)
                        ),
                        _ => asm!(
                            concat!("{{ .reg .b64 %a; cvta.to.", $space, ".u64 %a, {a}; st.release.", $scope, ".", $space, ".b", $bits, " [%a], {v}; }}"),
                            a = in(reg64) self.0.get(), v = in($class) value, options(nostack)
                        ),
                    }
                }
            }

            /// Replaces the word and returns what it held.
            #[inline(always)]
            pub fn swap(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("exch.b", $bits), $class, self, value)
            }

            /// Adds with wrap-around and returns the value before.
            #[inline(always)]
            pub fn fetch_add(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("add.u", $bits), $class, self, value)
            }

            /// Bitwise and; returns the value before.
            #[inline(always)]
            pub fn fetch_and(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("and.b", $bits), $class, self, value)
            }

            /// Bitwise or; returns the value before.
            #[inline(always)]
            pub fn fetch_or(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("or.b", $bits), $class, self, value)
            }

            /// Minimum of unsigned values; returns the value before.
            #[inline(always)]
            pub fn fetch_min(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("min.u", $bits), $class, self, value)
            }

            /// Maximum of unsigned values; returns the value before.
            #[inline(always)]
            pub fn fetch_max(&self, value: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("max.u", $bits), $class, self, value)
            }

            /// Writes `new` if the word holds `current`; returns what it held:
            /// equal to `current` exactly if the exchange took place.
            #[inline(always)]
            pub fn compare_exchange(&self, current: $int, new: $int, order: Ordering) -> $int {
                read_modify_write!(order, $space, $scope, concat!("cas.b", $bits), $class, self, current, new)
            }
        }
    };
}

atomic_type!(
    /// A 32-bit word in global memory.
    AtomicU32, u32, "32", reg32, "global", "gpu"
);
atomic_type!(
    /// A 64-bit word in global memory.
    AtomicU64, u64, "64", reg64, "global", "gpu"
);
atomic_type!(
    /// A 32-bit word in the scratch memory that the warps of a block share.
    SharedU32, u32, "32", reg32, "shared", "cta"
);

/// Reads 16 words, 64-byte aligned, by accesses that do not wait for each other. Relaxed.
///
/// A vector access is one access of the type of its elements to each of them, so that
/// a word still has one width.
#[inline(always)]
pub fn load_row(row: &[AtomicU32; 16]) -> [[u32; 4]; 4] {
    macro_rules! four {
        ($first:literal) => {{
            let (a, b, c, d);
            // SAFETY: the reference proves that the words are valid and, by the
            // caller's promise, aligned; the type's contract says where they lie.
            unsafe {
                asm!(
                    concat!("{{ .reg .b64 %a; cvta.to.global.u64 %a, {p}; ld.relaxed.gpu.global.v4.b32 {{ {a}, {b}, {c}, {d} }}, [%a+", $first, "]; }}"),
                    p = in(reg64) row.as_ptr(), a = out(reg32) a, b = out(reg32) b,
                    c = out(reg32) c, d = out(reg32) d, options(nostack)
                )
            }
            [a, b, c, d]
        }};
    }
    [four!("0"), four!("16"), four!("32"), four!("48")]
}

/// Writes `value` to four words, 16-byte aligned. Relaxed.
#[inline(always)]
pub fn store_four(words: &[AtomicU32; 4], value: u32) {
    // SAFETY: as for `load_row`.
    unsafe {
        asm!(
            "{{ .reg .b64 %a; cvta.to.global.u64 %a, {p}; st.relaxed.gpu.global.v4.b32 [%a], {{ {v}, {v}, {v}, {v} }}; }}",
            p = in(reg64) words.as_ptr(), v = in(reg32) value, options(nostack)
        )
    }
}
