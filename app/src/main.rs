//! heapwood
fn main() {}
