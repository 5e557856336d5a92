//! heapwood
