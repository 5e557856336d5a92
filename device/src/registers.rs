//! Limits of the registers that kernels may use.
//!
//! Without a limit the assembler uses as many registers as do not reduce occupancy, even
//! where a kernel needs fewer. An allocator states its limits, a kernel which of them
//! applies, and the entries of the PTX modules carry the result. A kernel without an allocator
//! states its own (`PlainKernel::REGISTERS`).

/// Limits of the kernels over an allocator, in registers a thread.
#[derive(Clone, Copy, Debug)]
pub struct RegisterLimits {
    /// Of kernels with one `malloc` and one `free` and nothing else; 0 for none.
    pub pair: u32,
    /// Of the other kernels with `malloc` in the microbenchmarks; 0 for none.
    pub malloc: u32,
    /// Of the kernels that build trees; 0 for none.
    pub build: u32,
}

impl RegisterLimits {
    /// For allocators that keep no state in registers from one step to the next.
    pub const SMALL: Self = Self {
        pair: 24,
        malloc: 0,
        // Two blocks on a multiprocessor. Left alone, the assembler takes 80 registers and spills,
        // or 188, with which one block fits (docs/build-profile.md).
        build: 128,
    };

    /// For allocators of functions that are linked: what those take is not known before.
    pub const NONE: Self = Self {
        pair: 0,
        malloc: 0,
        build: 0,
    };
}

/// Which of an allocator's limits applies to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterUse {
    /// None.
    Unlimited,
    /// [`RegisterLimits::pair`].
    Pair,
    /// [`RegisterLimits::malloc`].
    Malloc,
    /// [`RegisterLimits::build`].
    Build,
}

/// The limit of a kernel over an allocator; 0 for none.
#[cfg(target_arch = "nvptx64")]
pub(crate) const fn limit(kernel: RegisterUse, allocator: RegisterLimits) -> u32 {
    match kernel {
        RegisterUse::Unlimited => 0,
        RegisterUse::Pair => allocator.pair,
        RegisterUse::Malloc => allocator.malloc,
        RegisterUse::Build => allocator.build,
    }
}
