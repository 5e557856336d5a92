//! Intrinsics for device code: thread indices, warp collectives, scoped atomics and shared memory.
//! The few mathematical functions here return the same bits on every target.
//!
//! The crate has the module structure of the published `cuda_std`, which needs
//! a compiler back end of its own; this one is for rustc's NVPTX target. It is
//! the only place of the project that holds PTX, LLVM intrinsics or `asm!`.
//! On any other target the same names run on the host, so that device code can
//! be compiled, run and tested without a GPU.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx)
)]

pub mod atomic;
pub mod clock;
pub mod external;
pub mod hint;
pub mod math;
pub mod mem;
#[cfg(not(target_arch = "nvptx64"))]
pub mod schedule;
#[cfg(target_arch = "nvptx64")]
pub mod shared;
pub mod system_heap;
#[cfg(target_arch = "nvptx64")]
pub mod thread;
#[cfg(target_arch = "nvptx64")]
pub mod warp;
