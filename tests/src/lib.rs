//! Part of heapwood.

pub mod cpu;
pub mod soups;
