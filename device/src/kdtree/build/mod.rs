//! The builder: one persistent kernel in which every warp takes tasks from the
//! queue until the tree is complete.
//!
//! A warp works on a task in steps. A step treats one node, or one chunk of a large
//! node: it passes over references, searches a split, and allocates, partitions or makes
//! a leaf. After a split the warp keeps one child and puts the other into the queue.
//! Each large piece of code stands once in the loop over steps, so that it is compiled
//! once.
//!
//! A node is a set of references in ascending order, and all choices depend on the set,
//! the box and the depth alone. So the tree does not depend on which warp treats a node,
//! or when.

mod batch;
mod binned_sah;
mod builder;
mod children;
mod exact_sah;
mod items;
mod large_node;
mod leaf;
mod pass;
mod scratch;
mod small_node;
mod step;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::mem;

use super::queue::{BIN_CHUNK, NODE, Queue, SUBTREE};
use super::thresholds::share;
use super::workspace::Workspace;
use super::workspace::arguments::TreeArguments;
use super::workspace::entries::NONE;
use super::workspace::header::word;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::registers::RegisterUse;
use crate::simt::Warp;
use builder::{AllNodes, Builder, LargeNodes, Operation, Part, Stage, Subtrees};
use leaf::complete;
use pass::PassKind;
use scratch::{STACK_NODES, Scratch};

/// Builds a tree over the references that `Prepare` and `Fill` have set up, and allocates at every
/// split.
pub struct Build;

/// Builds the upper part of such a tree: all nodes of more than `SMALL_NODE` references.
pub struct BuildLargeNodes;

/// Builds the subtrees that `BuildLargeNodes` has left.
pub struct BuildSubtrees;

macro_rules! kernel {
    ($kernel:ty, $part:ty) => {
        impl Kernel for $kernel {
            type Arguments = TreeArguments;
            const REGISTERS: RegisterUse = RegisterUse::Build;

            #[inline(always)]
            unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
                warp: W,
                heap: &A,
                arguments: TreeArguments,
            ) {
                // SAFETY: the kernel's contract holds. All lanes of the warp are here, and the builder
                // alone uses the warp's scratch memory.
                let builder = unsafe {
                    let workspace = Workspace::new(arguments);
                    let scratch = Scratch::new(warp.scratch());
                    Builder::<W, A, $part>::new(warp, heap, workspace, scratch)
                };
                builder.run();
            }
        }
    };
}
kernel!(Build, AllNodes);
kernel!(BuildLargeNodes, LargeNodes);
kernel!(BuildSubtrees, Subtrees);

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Takes one task step after the other until the build has ended. Collective.
    #[inline(always)]
    fn run(mut self) {
        // SAFETY: each operation's contract is that those before it in the step have prepared the
        // builder's state.
        unsafe {
            while !self.failed && self.fetch_task() {
                self.forget_step();
                let mut next = self.begin_step();
                if let Operation::Pass(kind) = next {
                    self.pass(kind);
                    next = match kind {
                        PassKind::Keep if P::SMALL => self.after_keep(),
                        PassKind::Bin if P::LARGE => self.after_binning(),
                        PassKind::Partition if P::LARGE => self.after_partition(),
                        _ => Operation::End,
                    };
                    let splits = matches!(next, Operation::Allocate | Operation::CreateChildren);
                    if splits && kind == PassKind::Bin && !self.allows_split() {
                        next = Operation::BecomeLeaf;
                    }
                }
                if next == Operation::BecomeLeaf {
                    self.become_leaf();
                    next = Operation::MakeLeaf;
                }
                if next == Operation::Allocate {
                    next = self.allocate_blocks();
                }
                if matches!(next, Operation::CreateChildren | Operation::MakeLeaf) {
                    next = self.reserve_for(next);
                }
                if P::LARGE && next == Operation::CreateChildren {
                    next = self.create_children();
                }
                if next == Operation::MakeLeaf {
                    self.make_leaf();
                }
                let (node, sizes) = self.complete;
                if node != NONE {
                    complete(&self.workspace, node, sizes);
                }
                let (kind, task, count) = self.given;
                if count > 0 {
                    if P::LARGE && kind == BIN_CHUNK {
                        self.clear_node_histogram();
                    }
                    let queue = if P::LARGE && !P::SMALL && kind == SUBTREE {
                        Queue::Subtrees
                    } else {
                        P::QUEUE
                    };
                    self.workspace.put(self.warp, queue, kind, task, count);
                }
                self.free_retired();
            }
            if !P::LARGE {
                self.free_held();
            }
        }
        if let Some(failure) = self.failure {
            self.workspace.fail(failure, 0);
        }
        let deepest = self.warp.all_max(self.deepest);
        if self.warp.lane() == 0 {
            // Relaxed: the host reads them after the launch.
            let workspace = &self.workspace;
            workspace
                .header(word::LEAVES)
                .fetch_add(self.leaves, Relaxed);
            workspace.header(word::DEPTH).fetch_max(deepest, Relaxed);
        }
    }

    /// Makes sure that the warp has a task, between two steps; false when the build has ended.
    /// Collective.
    #[inline(always)]
    fn fetch_task(&mut self) -> bool {
        if self.stage != Stage::Idle {
            return true;
        }
        if P::SUBTREES && self.stacked > 0 {
            self.stage = if self.stacked == STACK_NODES || self.work > share(self.workspace.count) {
                Stage::Share
            } else {
                Stage::Subtree
            };
            return true;
        }
        if self.has_task {
            // SAFETY: nothing of the task is left: neither a stage nor a node on the
            // stack.
            unsafe { self.workspace.end_task(self.warp, P::QUEUE) };
        }
        let (place, kind) = self.workspace.take(self.warp, P::QUEUE);
        self.has_task = kind != 0;
        if kind == 0 {
            return false;
        }
        // SAFETY: the task is there, and large nodes stay where they
        // are.
        unsafe {
            self.task = mem::read(self.workspace.tasks.add(place));
            if kind == NODE || kind == SUBTREE {
                self.stage = Stage::Node;
                return true;
            }
            self.stage = if kind == BIN_CHUNK {
                Stage::BinChunk
            } else {
                Stage::PartitionChunk
            };
            self.chunk = self.task.count;
            self.large_node = self.workspace.large_nodes.add(self.task.node as usize);
            self.task = (*self.large_node).task;
        }
        true
    }
}
