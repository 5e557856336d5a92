//! Kernels as types, and the words that carry their arguments.
//!
//! Every entry has the same signature, scalars only: a structure passed by
//! value would lose the knowledge that its pointers point to global memory, and
//! each access would go through a generic address. The structure is rebuilt
//! from the scalars inside the entry, where the compiler sees through it.

use core::ops::Deref;

use crate::device_heap::DeviceHeap;
use crate::registers::RegisterUse;
use crate::simt::{BlockShape, Warp};

/// Pointer words of a kernel's arguments.
pub const POINTERS: usize = 16;
/// Integer words of a kernel's arguments.
pub const INTEGERS: usize = 12;

/// A kernel's arguments as they travel: pointers to device memory, integers.
#[derive(Clone, Copy, Debug)]
pub struct Args {
    /// Pointers to device memory; unused ones are null.
    pub pointers: [*mut u8; POINTERS],
    /// Integers (and the bits of floats); unused ones are 0.
    pub integers: [u64; INTEGERS],
}

impl Args {
    /// No arguments: null and 0 throughout.
    pub const NONE: Self = Self {
        pointers: [core::ptr::null_mut(); POINTERS],
        integers: [0; INTEGERS],
    };
}

/// Arguments of a kernel that satisfy the contract of their type, while this value or a copy of
/// it is in use.
///
/// Invariant: the contract, from `new` on. The arguments cannot be changed in here; so the methods
/// that a kernel's module adds may follow the pointers, and are safe where an index cannot be
/// wrong.
#[derive(Clone, Copy, Debug)]
pub struct Valid<A>(A);

impl<A> Valid<A> {
    /// A view of what the arguments point to.
    ///
    /// # Safety
    ///
    /// The arguments satisfy the contract that their type states.
    #[inline(always)]
    pub unsafe fn new(arguments: A) -> Self {
        Self(arguments)
    }
}

impl<A> Deref for Valid<A> {
    type Target = A;

    #[inline(always)]
    fn deref(&self) -> &A {
        &self.0
    }
}

/// A kernel that works over an allocator.
///
/// The host writes typed arguments into [`Args`] with `Into`; the kernel gets
/// them back with `From`.
pub trait Kernel {
    /// The arguments.
    type Arguments: From<Args> + Into<Args> + Copy;
    /// Which of the allocator's register limits applies to it.
    const REGISTERS: RegisterUse = RegisterUse::Unlimited;

    /// Runs one lane of the kernel.
    ///
    /// # Safety
    ///
    /// The arguments satisfy the contract that their type states, `heap` is
    /// initialised unless the kernel is the one that does so, and all lanes of
    /// the warp make the call.
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: Self::Arguments,
    );
}

/// A kernel that needs no allocator.
pub trait PlainKernel {
    /// The arguments.
    type Arguments: From<Args> + Into<Args> + Copy;

    /// The registers that a thread may use; 0 for no limit.
    const REGISTERS: u32 = 0;
    /// The blocks in which its warps work.
    const BLOCK: BlockShape = BlockShape::OF_WARPS;

    /// Runs one lane of the kernel.
    ///
    /// # Safety
    ///
    /// The arguments satisfy the contract that their type states, and all lanes
    /// of the warp, or of the block, make the call.
    unsafe fn run<W: Warp>(warp: W, arguments: Self::Arguments);
}

/// A value that travels in an integer word.
pub trait Word: Copy {
    /// The word.
    fn to_word(self) -> u64;
    /// The value of a word made by `to_word`.
    fn from_word(word: u64) -> Self;
}

impl Word for u64 {
    #[inline(always)]
    fn to_word(self) -> u64 {
        self
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        word
    }
}

impl Word for u32 {
    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        word as u32
    }
}

impl Word for bool {
    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        word as u32 != 0
    }
}

impl Word for f64 {
    #[inline(always)]
    fn to_word(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
}

impl Word for f32 {
    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(self.to_bits())
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        f32::from_bits(word as u32)
    }
}

/// Declares a kernel's arguments: a structure of other arguments (`nested`, where there are any),
/// pointers (each written as the type that it points to) and values ([`Word`]), with the conversions
/// from and to [`Args`]. The words of nested arguments come first. More words than a kernel has do
/// not compile.
#[macro_export]
macro_rules! arguments {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $(nested { $($(#[$ndoc:meta])* $nested:ident: $inner:ty,)* })?
            pointers { $($(#[$pdoc:meta])* $pointer:ident: $target:ty,)* }
            integers { $($(#[$idoc:meta])* $integer:ident: $int:ty,)* }
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $($($(#[$ndoc])* pub $nested: $inner,)*)?
            $($(#[$pdoc])* pub $pointer: *mut $target,)*
            $($(#[$idoc])* pub $integer: $int,)*
        }

        impl $name {
            /// Pointer words.
            pub const POINTERS: usize =
                $crate::kernel::count(&[$(stringify!($pointer)),*]) $($( + <$inner>::POINTERS)*)?;
            /// Integer words.
            pub const INTEGERS: usize =
                $crate::kernel::count(&[$(stringify!($integer)),*]) $($( + <$inner>::INTEGERS)*)?;

            /// The arguments whose words begin at these indices.
            #[inline(always)]
            #[allow(unused_assignments, unused_mut, unused_variables)]
            pub(crate) fn from_words(args: &$crate::kernel::Args, mut at: (usize, usize)) -> Self {
                $($(
                    let $nested = <$inner>::from_words(args, at);
                    at = (at.0 + <$inner>::POINTERS, at.1 + <$inner>::INTEGERS);
                )*)?
                $(let $pointer = args.pointers[at.0].cast::<$target>(); at.0 += 1;)*
                $(
                    let $integer = <$int as $crate::kernel::Word>::from_word(args.integers[at.1]);
                    at.1 += 1;
                )*
                Self { $($($nested,)*)? $($pointer,)* $($integer,)* }
            }

            /// Writes the words from these indices on.
            #[allow(unused_assignments, unused_mut, unused_variables)]
            pub(crate) fn write_words(self, args: &mut $crate::kernel::Args, mut at: (usize, usize)) {
                $($(
                    self.$nested.write_words(args, at);
                    at = (at.0 + <$inner>::POINTERS, at.1 + <$inner>::INTEGERS);
                )*)?
                $(args.pointers[at.0] = self.$pointer.cast(); at.0 += 1;)*
                $(args.integers[at.1] = $crate::kernel::Word::to_word(self.$integer); at.1 += 1;)*
            }
        }

        const _: () = assert!(
            $name::POINTERS <= $crate::kernel::POINTERS
                && $name::INTEGERS <= $crate::kernel::INTEGERS,
            "a kernel has not so many words for arguments"
        );

        impl From<$crate::kernel::Args> for $name {
            #[inline(always)]
            fn from(args: $crate::kernel::Args) -> Self {
                Self::from_words(&args, (0, 0))
            }
        }

        impl From<$name> for $crate::kernel::Args {
            fn from(typed: $name) -> Self {
                let mut args = $crate::kernel::Args::NONE;
                typed.write_words(&mut args, (0, 0));
                args
            }
        }
    };
}

/// How many names there are, for [`arguments!`].
#[doc(hidden)]
pub const fn count(names: &[&str]) -> usize {
    names.len()
}
