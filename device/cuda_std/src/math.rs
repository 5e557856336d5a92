//! The mathematical functions of device code, with the same bits on the GPU
//! and on the host: each is one correctly rounded (or exact) operation.

/// Square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a pure function of its operand.
    unsafe {
        intrinsics::sqrt(x)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// The largest integer that is not above `x`.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a pure function of its operand.
    unsafe {
        intrinsics::floor(x)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    x.floor()
}

#[cfg(target_arch = "nvptx64")]
mod intrinsics {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.sqrt.rn.f"]
        pub fn sqrt(x: f32) -> f32;
        #[link_name = "llvm.nvvm.floor.f"]
        pub fn floor(x: f32) -> f32;
    }
}
