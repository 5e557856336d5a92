//! Memory for a heap, with guards around it.

use heapwood_device::allocator::{Allocator, EXTERNAL_STATE, Heap, Observe, Request, SetupError};
use heapwood_device::device_heap::AnyHeap;
use heapwood_device::simt::Warp;

use super::external;

/// The byte that fills memory before an allocator writes it. Allocators must not rely on its value.
const FRESH: u8 = 0xa5;
const LINE: usize = 256;

#[derive(Clone)]
#[repr(C, align(256))]
struct Line([u8; LINE]);

/// A heap of allocator `A` in memory of its own.
pub struct Pool<A: ?Sized> {
    memory: Memory,
    heap: Heap,
    allocator: Box<A>,
}

/// A heap for warps `W`, of an allocator that is not known by its type, with handles `H`.
pub type AnyPool<W, H = u32> = Pool<AnyHeap<'static, W, H>>;

// SAFETY: the memory is only accessed through the allocator and its blocks, which many threads may
// use at once by the allocator's contract, and through `guards_intact`, which reads bytes that no
// thread should write.
unsafe impl<A: ?Sized> Sync for Pool<A> {}

impl<A: Allocator> Pool<A> {
    /// A heap, not yet initialised, of exactly `bytes` for `processors`; its blocks are guarded if it
    /// is one of [`Observed`](heapwood_device::allocators::Observed).
    pub fn new(
        bytes: u64,
        processors: u32,
        parameters: &[(&str, &str)],
    ) -> Result<Self, SetupError> {
        Self::observed(bytes, processors, parameters, Observe::GUARDS)
    }

    /// The same, with what is done around calls.
    pub fn observed(
        bytes: u64,
        processors: u32,
        parameters: &[(&str, &str)],
        observe: Observe,
    ) -> Result<Self, SetupError> {
        let memory = Memory::new(bytes as usize);
        let heap = A::setup(&Request {
            base: memory.start(),
            pool_bytes: bytes,
            processors,
            parameters,
            observe,
        })?;
        let heap = match A::EXTERNAL {
            true => external::bind(heap, parameters),
            false => heap,
        };
        // SAFETY: `setup` described the heap; the memory lives as long as the
        // pool, which outlives what tests do with it.
        let allocator = Box::new(unsafe { A::new(heap) });
        let pool = Self {
            memory,
            heap,
            allocator,
        };
        if A::EXTERNAL {
            pool.zero_state();
        }
        Ok(pool)
    }
}

impl<A: Allocator> Pool<A> {
    /// The same heap without its type, so that what is done with it is compiled once.
    pub fn erased<W: Warp>(self) -> AnyPool<W, A::Handle> {
        Pool {
            memory: self.memory,
            heap: self.heap,
            allocator: self.allocator,
        }
    }
}

impl<A: ?Sized> Pool<A> {
    /// The allocator over the heap.
    pub fn allocator(&self) -> &A {
        &self.allocator
    }

    /// The heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Zeroes what the host zeroes of an allocator of the user's before it is initialised.
    pub fn zero_state(&self) {
        self.memory.zero_external(&self.heap);
    }

    /// Writes a word of the pool, while no thread uses it.
    pub fn write_word(&self, index: usize, word: u64) {
        assert!(8 * index < self.memory.bytes);
        // SAFETY: inside the memory, which is aligned.
        unsafe { self.memory.start().cast::<u64>().add(index).write(word) };
    }

    /// Bytes of the pool, tables included.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes as u64
    }

    /// Whether `bytes` from `address` on lie inside the pool.
    pub fn encloses(&self, address: usize, bytes: u64) -> bool {
        self.memory.encloses(address, bytes)
    }

    /// Whether the bytes before and behind the pool are as they were.
    pub fn guards_intact(&self) -> bool {
        self.memory.guards_intact()
    }
}

/// Memory with a line of guards before it and one behind it.
pub(super) struct Memory {
    lines: *mut [Line],
    bytes: usize,
}

impl Memory {
    pub fn new(bytes: usize) -> Self {
        let lines = bytes.div_ceil(LINE) + 2;
        let lines = Box::into_raw(vec![Line([FRESH; LINE]); lines].into_boxed_slice());
        Self { lines, bytes }
    }

    /// Where it begins, 256-byte aligned.
    pub fn start(&self) -> *mut u8 {
        self.lines.cast::<u8>().wrapping_add(LINE)
    }

    /// Zeroes what the host zeroes of a heap of an allocator of the user's in this memory, while no
    /// thread uses it.
    pub fn zero_external(&self, heap: &Heap) {
        let [base, ..] = heap.pointers;
        let first = base.addr() - self.start().addr();
        let end = first as u64 + EXTERNAL_STATE;
        assert!(end <= self.bytes as u64, "{end} of {}", self.bytes);
        // SAFETY: inside the memory.
        unsafe { base.write_bytes(0, EXTERNAL_STATE as usize) };
    }

    fn encloses(&self, address: usize, bytes: u64) -> bool {
        let start = self.start() as usize;
        let end = start + self.bytes;
        address >= start && address <= end && bytes <= (end - address) as u64
    }

    /// Whether the guards are as they were.
    pub fn guards_intact(&self) -> bool {
        let all = self.lines.cast::<u8>();
        let length = self.lines.len() * LINE;
        (0..LINE)
            .chain(LINE + self.bytes..length)
            // SAFETY: inside the memory; no thread writes guards, and if one does, the tests fail.
            .all(|index| unsafe { all.add(index).read_volatile() } == FRESH)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw` and is given up here.
        drop(unsafe { Box::from_raw(self.lines) });
    }
}
