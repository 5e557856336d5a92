//! Memory for a heap, with guards around it.

use std::marker::PhantomData;

use heapwood_device::allocator::{Allocator, Heap, Request, SetupError};

/// What memory holds before an allocator touches it: nothing may be assumed.
const FRESH: u8 = 0xa5;
const LINE: usize = 256;

#[derive(Clone)]
#[repr(C, align(256))]
struct Line([u8; LINE]);

/// A heap of allocator `A` in memory of its own.
pub struct Pool<A> {
    lines: *mut [Line],
    bytes: usize,
    heap: Heap,
    allocator: PhantomData<fn() -> A>,
}

// SAFETY: the memory is only accessed through the allocator and its blocks,
// which many threads may use at once by the allocator's contract, and through
// `guards_intact`, which reads bytes that nobody should write.
unsafe impl<A> Sync for Pool<A> {}

impl<A: Allocator> Pool<A> {
    /// A heap, not yet initialised, of exactly `bytes` for `processors`.
    pub fn new(
        bytes: u64,
        processors: u32,
        parameters: &[(&str, &str)],
    ) -> Result<Self, SetupError> {
        let lines = bytes.div_ceil(LINE as u64) as usize + 2;
        let lines = Box::into_raw(vec![Line([FRESH; LINE]); lines].into_boxed_slice());
        let heap = A::setup(&Request {
            base: lines.cast::<u8>().wrapping_add(LINE),
            pool_bytes: bytes,
            processors,
            parameters,
        });
        let mut pool = Self {
            lines,
            bytes: bytes as usize,
            heap: Heap {
                pointers: [std::ptr::null_mut(); 4],
                integers: Default::default(),
            },
            allocator: PhantomData,
        };
        pool.heap = heap?;
        Ok(pool)
    }

    /// The allocator over the heap.
    pub fn allocator(&self) -> A {
        // SAFETY: `setup` described the heap; the memory lives as long as the
        // pool, which outlives what tests do with it.
        unsafe { A::new(self.heap) }
    }

    /// The heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Bytes of the pool, tables included.
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    fn start(&self) -> usize {
        self.lines.cast::<u8>() as usize + LINE
    }

    /// Whether `bytes` from `address` on lie inside the pool.
    pub fn encloses(&self, address: usize, bytes: u64) -> bool {
        let end = self.start() + self.bytes;
        address >= self.start() && address <= end && bytes <= (end - address) as u64
    }

    /// Whether the bytes before and behind the pool are as they were.
    pub fn guards_intact(&self) -> bool {
        let all = self.lines.cast::<u8>();
        let length = self.lines.len() * LINE;
        (0..LINE)
            .chain(LINE + self.bytes..length)
            // SAFETY: inside the memory; guards are written by nobody, and if
            // they are, the tests fail.
            .all(|index| unsafe { all.add(index).read_volatile() } == FRESH)
    }
}

impl<A> Drop for Pool<A> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw` and is given up here.
        drop(unsafe { Box::from_raw(self.lines) });
    }
}
