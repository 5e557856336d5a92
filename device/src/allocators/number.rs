//! Numbers that are in range wherever they are: indices of what a heap has.

/// Declares types of numbers, each with the bound that its maker promises. A value is an index that
/// needs no promise.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $bound:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name(u32);

        impl $name {
            /// The value with this number.
            ///
            /// # Safety
            ///
            #[doc = concat!("`number` is ", $bound, ".")]
            #[inline(always)]
            pub const unsafe fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number.
            #[inline(always)]
            pub fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

pub(super) use numbers;
