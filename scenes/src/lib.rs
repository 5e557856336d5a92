//! Part of heapwood.
