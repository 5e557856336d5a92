//! The contract of allocators: `heapwood_tests::conformance` over all of them.

mod allocator_guide;
mod checked;
mod circular;
mod every_allocator;
mod external;
mod halloc;
mod ouroboros;
mod pagesearch;
mod planted;
mod published;
mod stacked;
