//! The addresses of linked functions in the heap of an external allocator.

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::{bind_external, has_external_granted, link_external};

const EMPTY: Heap = Heap {
    pointers: [std::ptr::null_mut(); 4],
    integers: [0; 7],
};

#[test]
fn a_heap_of_linked_functions_has_no_address_of_one() {
    // The first integer is the pool's, and the four behind it are addresses.
    for has_granted in [false, true] {
        let heap = link_external(EMPTY, has_granted);
        assert_eq!(heap.integers[1..5], [0; 4]);
        assert_eq!(has_external_granted(&heap), has_granted);
    }
}

#[test]
fn a_heap_of_a_library_has_granted_if_that_has_an_address() {
    for (functions, has_granted) in [([1, 2, 3, 0], false), ([1, 2, 3, 4], true)] {
        let heap = bind_external(EMPTY, functions);
        assert_eq!(heap.integers[1..5], functions);
        assert_eq!(has_external_granted(&heap), has_granted);
    }
}
