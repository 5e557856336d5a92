//! Part of heapwood.

pub mod cpu;
pub mod oracle;
pub mod soups;
