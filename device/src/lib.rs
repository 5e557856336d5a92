//! Everything of heapwood that runs on the GPU.
//!
//! Kernels are generic functions over a [`simt::Warp`], which is how they see
//! the machine, and a [`device_heap::DeviceHeap`], which is how they see an
//! [`allocator::Allocator`]. The crate is compiled twice: for the host, where the CPU
//! backend and the tests run the same code, and for `nvptx64`, where `entry` turns each
//! kernel and allocator into a PTX entry.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
// Used by entries only.
#![cfg_attr(
    all(target_arch = "nvptx64", not(feature = "entries")),
    allow(unused, unused_features)
)]

pub mod allocator;
pub mod allocators;
pub mod bench;
pub mod description;
pub mod device_heap;
#[cfg(not(test))]
pub mod export;
pub mod graph;
pub mod heap;
pub mod kdtree;
pub mod kernel;
pub mod registers;
pub mod render;
pub mod simt;
pub mod workload;

mod table;

#[cfg(not(target_arch = "nvptx64"))]
pub mod launch;
#[cfg(not(target_arch = "nvptx64"))]
mod workspace;

// The tests of this crate run no kernel; it takes long to compile all of them once more.
#[cfg(not(any(target_arch = "nvptx64", test)))]
pub mod host;

#[cfg(all(target_arch = "nvptx64", feature = "entries"))]
mod entry;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // Device code has no panicking call, which a test on the PTX enforces; the
    // handler exists because the language asks for one.
    loop {}
}
