//! The pool against a simulated device, whose work is done when a test says so.

mod device;
mod limits;
mod model;
mod pending;
mod threads;

use super::Pool;
use device::{Device, TestStream};

/// A block of the stream that is given back while a kernel on the stream uses it; its address.
fn free_pending(pool: &Pool<Device>, bytes: u64, stream: &TestStream) -> u64 {
    let block = pool.allocate_async(bytes, stream).unwrap();
    let address = block.address();
    stream.launch(address);
    pool.deallocate_async(block, stream);
    address
}
