//! Memory for kernels that tests run without a backend.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// Memory as a device gives it: zeroed, 256-byte aligned.
pub struct Buffer {
    address: *mut u8,
    layout: Layout,
}

impl Buffer {
    /// Memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(1), 256).expect("a buffer's size");
        // SAFETY: the size is not 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        Self { address, layout }
    }

    /// Where it begins.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Copies `count` values that begin at byte `offset`.
    ///
    /// # Panics
    ///
    /// If they do not lie in the buffer, aligned.
    pub fn read<T: Copy>(&self, offset: usize, count: usize) -> Vec<T> {
        assert!(offset.is_multiple_of(align_of::<T>()));
        assert!(offset + count * size_of::<T>() <= self.layout.size());
        // SAFETY: checked above; callers read plain data when no kernel runs.
        unsafe { std::slice::from_raw_parts(self.address.add(offset).cast::<T>(), count).to_vec() }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.address, self.layout) }
    }
}
