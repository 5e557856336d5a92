//! Errors of the GPU, sorted by what the user can do about them.

use std::time::Duration;

use cust::sys::CUresult;
use thiserror::Error;

use super::driver;
use crate::link::LinkError;

/// A failure of the CUDA driver or of work on the GPU.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CudaError {
    /// The driver library cannot be loaded, or is a stand-in for it.
    #[error("no NVIDIA driver ({cause}): install one")]
    NoDriver {
        /// The message of the dynamic loader.
        cause: String,
    },

    /// The driver works but shows no device.
    #[error("the NVIDIA driver shows no GPU: look at `nvidia-smi` and CUDA_VISIBLE_DEVICES")]
    NoDevice,

    /// There are devices, but not this one.
    #[error("there is no GPU {ordinal}: the {count} present are numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// How many devices there are.
        count: u32,
    },

    /// A kernel did something forbidden, or the hardware failed. Nothing works any
    /// more on this device in this process.
    #[error(
        "the GPU faulted ({fault}, seen by {call}): its state is lost, run again in a new process"
    )]
    Faulted {
        /// The driver function that reported it; the work that caused it is older.
        call: &'static str,
        /// The kind of fault.
        fault: &'static str,
    },

    /// A [`Buffer`](super::Buffer) does not fit.
    #[error("out of GPU memory: {wanted} bytes wanted, {free} bytes free")]
    OutOfMemory {
        /// Size of the buffer, in bytes.
        wanted: u64,
        /// Free memory of the device just after the failure, in bytes.
        free: u64,
    },

    /// The driver ran out of device or host memory for its own needs.
    #[error("out of GPU memory in {call}")]
    DriverOutOfMemory {
        /// The driver function that failed.
        call: &'static str,
    },

    /// The driver's compiler refuses the PTX.
    #[error("the driver cannot compile the kernels ({name}: {line}): try a newer NVIDIA driver")]
    Jit {
        /// The driver's name for the failure.
        name: String,
        /// The first error in the compiler's log.
        line: String,
    },

    /// The kernels cannot be linked with an allocator of the user's.
    #[error(transparent)]
    Link(LinkError),

    /// The module has no kernel of this name.
    #[error("the kernel {name} is not in its module: rebuild the kernels")]
    NoFunction {
        /// The name asked for.
        name: String,
    },

    /// Work on the GPU took too long and is still going on. A kernel cannot be
    /// cancelled; it ends with the process.
    #[error("the GPU was not done after {limit:?}: end this process to stop it")]
    Timeout {
        /// How long it was waited for.
        limit: Duration,
    },

    /// Any other failure of a driver function.
    #[error("{call} failed with {name}: `nvidia-smi` tells whether the driver is sound")]
    Call {
        /// The driver function that failed.
        call: &'static str,
        /// The driver's name for the failure.
        name: String,
    },
}

impl CudaError {
    /// The error for a failure that the driver function `call` returned.
    pub(super) fn new(call: &'static str, result: CUresult) -> Self {
        if let Some(fault) = fault(result) {
            return Self::Faulted { call, fault };
        }
        match result {
            CUresult::CUDA_ERROR_STUB_LIBRARY => Self::NoDriver {
                cause: "the libcuda found is the stub of a CUDA toolkit".to_owned(),
            },
            CUresult::CUDA_ERROR_NO_DEVICE => Self::NoDevice,
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Self::DriverOutOfMemory { call },
            _ => Self::Call {
                call,
                name: format!("{result:?}"),
            },
        }
    }
}

/// The kind of fault, if `result` is one after which the context is unusable.
fn fault(result: CUresult) -> Option<&'static str> {
    Some(match result {
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE => "uncorrectable memory error",
        CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE => "uncorrectable NVLink error",
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => "illegal address",
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => "kernel ended by the driver's watchdog",
        CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => "context destroyed",
        CUresult::CUDA_ERROR_ASSERT => "device assertion",
        CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR => "stack error",
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => "trap or illegal instruction",
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => "misaligned address",
        CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE => "address of the wrong space",
        CUresult::CUDA_ERROR_INVALID_PC => "invalid program counter",
        CUresult::CUDA_ERROR_LAUNCH_FAILED => "launch failure or trap",
        _ => return None,
    })
}

/// Turns what the driver function `call` returned into a `Result`.
pub(super) fn check(call: &'static str, result: CUresult) -> Result<(), CudaError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(CudaError::new(call, failure)),
    }
}

/// Turns an error of `cust` into ours, naming the driver function behind it.
pub(super) fn from_cust(call: &'static str) -> impl FnOnce(cust::error::CudaError) -> CudaError {
    move |error| CudaError::new(call, driver::result(error as i32))
}
