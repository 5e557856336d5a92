//! The pool against a simulated device, whose work is done when a test says so.

mod device;
mod limits;
mod model;
mod pending;
mod threads;
