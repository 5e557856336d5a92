//! Finished trees in blocks of the heap, where they stay while the next one is built.
//!
//! A build leaves its tree in the workspace, which the next build overwrites, and the heap
//! without a block. Whoever needs the tree longer, as a renderer needs that of the frame it
//! shows, has it moved: `Claim` allocates a block for the nodes and one for the references,
//! `Transfer` copies them, and `Discard` frees the blocks when the tree is not needed any
//! more.

use super::node::Node;
use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Words that describe a kept tree.
pub const KEPT_WORDS: usize = 4;
/// The handle of the nodes' block, as bits.
pub const NODES: usize = 0;
/// The handle of the references' block, as bits; null if there are none.
pub const REFERENCES: usize = 1;
/// Bytes granted in both blocks.
pub const GRANTED: usize = 2;
/// Bytes of the request that the allocator refused; 0 if it refused none. Then there is
/// neither block.
pub const REFUSED: usize = 3;

arguments! {
    /// A tree outside of the heap, and its place in the heap.
    pub struct KeepArguments {
        pointers {
            /// `nodes_count` nodes, of two words each.
            nodes: u32,
            /// `references_count` references.
            references: u32,
            /// `KEPT_WORDS` words: as `Claim` has left them, but for `Claim` itself.
            kept: u64,
        }
        integers {
            /// Nodes of the tree.
            nodes_count: u32,
            /// References of its leaves.
            references_count: u32,
            /// Whether the tree is copied out of its blocks, not into them.
            out: u32,
        }
    }
}

impl KeepArguments {
    /// Bytes of the nodes.
    #[inline(always)]
    fn nodes_bytes(&self) -> u64 {
        u64::from(self.nodes_count) * size_of::<Node>() as u64
    }

    /// Bytes of the references.
    #[inline(always)]
    fn references_bytes(&self) -> u64 {
        u64::from(self.references_count) * 4
    }
}

/// Allocates the blocks of a tree, both or none.
pub struct Claim;

impl Kernel for Claim {
    type Arguments = KeepArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: KeepArguments) {
        if warp.thread() != 0 {
            return;
        }
        let (nodes_bytes, references_bytes) =
            (arguments.nodes_bytes(), arguments.references_bytes());
        let mut refused = 0;
        let mut references = A::Handle::NULL;
        let mut nodes = heap.malloc(warp, nodes_bytes);
        if nodes.is_null() {
            refused = nodes_bytes;
        } else if references_bytes > 0 {
            references = heap.malloc(warp, references_bytes);
            if references.is_null() {
                refused = references_bytes;
                // SAFETY: the block was just allocated, and no other thread knows it.
                unsafe { heap.free(warp, nodes) };
                nodes = A::Handle::NULL;
            }
        }
        let mut granted = 0;
        // SAFETY: what is not null was just allocated for so many bytes, and there are
        // `KEPT_WORDS` words.
        unsafe {
            if !nodes.is_null() {
                granted += heap.granted(nodes, nodes_bytes);
            }
            if !references.is_null() {
                granted += heap.granted(references, references_bytes);
            }
            arguments.kept.add(NODES).write(nodes.to_bits());
            arguments.kept.add(REFERENCES).write(references.to_bits());
            arguments.kept.add(GRANTED).write(granted);
            arguments.kept.add(REFUSED).write(refused);
        }
    }
}

/// Copies a tree into its blocks, or out of them.
pub struct Transfer;

impl Kernel for Transfer {
    type Arguments = KeepArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: KeepArguments) {
        // SAFETY: `Claim` has written the words, and the blocks have room for the tree.
        unsafe {
            let block = |word: usize| A::Handle::from_bits(*arguments.kept.add(word));
            let nodes = heap.address(block(NODES)).cast::<u32>();
            let out = arguments.out != 0;
            copy(warp, arguments.nodes, nodes, 2 * arguments.nodes_count, out);
            let references = block(REFERENCES);
            if !references.is_null() {
                let references = heap.address(references).cast::<u32>();
                let count = arguments.references_count;
                copy(warp, arguments.references, references, count, out);
            }
        }
    }
}

/// Copies words from `outside` to `kept`, or back, each by one thread.
///
/// # Safety
///
/// Both have `count` words, which no other thread uses but to read what is copied from.
#[inline(always)]
unsafe fn copy<W: Warp>(warp: W, outside: *mut u32, kept: *mut u32, count: u32, out: bool) {
    let (from, to) = if out {
        (kept, outside)
    } else {
        (outside, kept)
    };
    // Of 64 bits, which the last step of a thread does not overflow.
    let mut index = u64::from(warp.thread());
    while index < u64::from(count) {
        // SAFETY: the index is below `count`, and of the threads it is this one's alone.
        unsafe { to.add(index as usize).write(*from.add(index as usize)) };
        index += u64::from(warp.threads());
    }
}

/// Frees the blocks of a tree.
pub struct Discard;

impl Kernel for Discard {
    type Arguments = KeepArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: KeepArguments) {
        if warp.thread() != 0 {
            return;
        }
        // SAFETY: the words are those of `Claim`, whose blocks live, and no thread uses them any
        // more. Null is ignored.
        unsafe {
            let block = |word: usize| A::Handle::from_bits(*arguments.kept.add(word));
            heap.free(warp, block(NODES));
            heap.free(warp, block(REFERENCES));
        }
    }
}
