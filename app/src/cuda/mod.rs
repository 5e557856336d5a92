//! The CUDA driver, as far as the GPU backend needs it: a thin layer over `cust`.
//!
//! It adds what `cust` 0.3 lacks: a binary that runs without a driver (`driver`),
//! errors sorted by what the user can do, the compiler's log, and waits with a
//! limit. Handles are counted, not borrowed, and may be used from any thread.

mod buffer;
mod device_memory;
mod driver;
mod error;
mod gpu;
mod launch_graph;
mod link;
mod log;
mod module;
#[cfg(test)]
mod pool_tests;
mod properties;
mod shared;
#[cfg(test)]
mod tests;

pub use buffer::Buffer;
pub use device_memory::{DeviceEvent, DeviceMemory, DeviceStream};
pub use error::CudaError;
pub use gpu::Gpu;
pub use launch_graph::LaunchGraph;
pub use module::{Function, KernelLaunch, LaunchShape, Module};
pub use properties::{DeviceProperties, devices};
