//! Part of heapwood.

pub mod brute;
pub mod soup;
pub mod cpu;
pub mod oracle;
pub mod soups;
