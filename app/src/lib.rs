//! heapwood

pub mod cuda;
