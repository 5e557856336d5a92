//! heapwood

pub mod cuda;
pub mod ptx;
