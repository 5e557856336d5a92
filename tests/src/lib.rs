//! Part of heapwood.

pub mod brute;
pub mod soup;
