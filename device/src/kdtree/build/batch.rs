//! Batches: several nodes of a small subtree at a time, so that the lanes of a warp are busy
//! where nodes have two or three references.
//!
//! A lane has a node of the batch, and all lanes share its items, the references of all of
//! its nodes. The children go back on the stack, but for those with at most one reference:
//! these are leaves. All nodes and references that the batch takes of the workspace are
//! reserved at once.
//!
//! A node that is to be split by blocks is a batch by itself. Of such a batch only the split is
//! chosen here.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::builder::{Builder, Operation, Part, Stage};
use super::exact_sah::{ExactSplit, best_exact_split, value_items};
use super::scratch::{BATCH, PendingNode, STACK_NODES, item_word};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::budget;
use crate::kdtree::node::Node;
use crate::kdtree::workspace::entries::{NONE, NodeRecord, Sizes, Task};
use crate::simt::{Warp, rank};

/// Bits of each of the sums over the nodes of a batch.
const SUM_BITS: u32 = 10;
const SUM_MASK: u32 = (1 << SUM_BITS) - 1;

/// In a destination: an index among the leaves' references, not one on the stack.
const IN_LEAF: u32 = 1 << 31;

/// The outcome of a lane's node, and where its items go: a place on the stack, or an index
/// among the leaves' references with `IN_LEAF`.
#[derive(Clone, Copy)]
struct Fate {
    /// Bit 0: whether the node is split. Bit 1: whether triangles in the plane go below.
    /// Above: the axis.
    flags: u32,
    /// The plane.
    position: f32,
    /// Where items below go. Of a leaf: where the batch's first item would go.
    below: u32,
    /// Where items above go.
    above: u32,
}

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Chooses the nodes of the next batch, and lists their items. The topmost node is always
    /// among them, and the stack has room for the children of all. Collective.
    #[inline(always)]
    pub(super) fn select_batch(&mut self) {
        let lane = self.warp.lane();
        let mut mask = 0;
        if lane < self.stacked {
            // SAFETY: the entry is on the stack.
            mask = unsafe { (*self.scratch.stack(self.stacked - 1 - lane)).references() };
        }
        let count = mask.count_ones();
        let sum = self.warp.all_inclusive_sum(count);
        let fits = lane == 0 || (P::SUBTREES && sum <= BATCH && self.stacked + lane < STACK_NODES);
        // Sums ascend, so these are the first lanes.
        let taken = self.warp.ballot(W::FULL, lane < self.stacked && fits);
        let nodes = taken.count_ones();
        let has_node = lane < nodes;
        self.batch.nodes = nodes;
        self.batch.items = self.warp.shuffle(W::FULL, sum, nodes.saturating_sub(1));
        self.work += if self.batch.items < W::LANES {
            W::LANES
        } else {
            self.batch.items
        };
        self.batch.first = sum - count;
        self.batch.count = if has_node { count } else { 0 };
        if has_node {
            let mut place = sum - count;
            while mask != 0 {
                let index = mask.trailing_zeros();
                // SAFETY: the items of the batch are `SMALL_NODE` at most.
                unsafe { self.scratch.item(place).write(item_word::new(lane, index)) };
                mask &= mask - 1;
                place += 1;
            }
        }
        self.warp.sync(W::FULL);
    }

    /// Splits the nodes of the batch whose bounds are kept, or makes leaves of them. Of a node
    /// that is to be split by blocks it chooses the split.
    ///
    /// # Safety
    ///
    /// The pass before was of kind `Keep`.
    #[inline(always)]
    pub(super) unsafe fn after_keep(&mut self) -> Operation {
        let (warp, scratch, batch) = (self.warp, self.scratch, self.batch);
        let lane = warp.lane();
        let in_blocks = !P::SUBTREES;
        let costs = self.workspace.costs();
        let items = self.items();
        // SAFETY: `select_batch` made the batch, whose items these are.
        unsafe { value_items(warp, items, costs, batch) };
        let mut node = PendingNode {
            mask: [0; 2],
            bounds: Bounds::EMPTY,
            node: NONE,
            depth: 0,
        };
        let mut found = None;
        let has_node = lane < batch.nodes;
        if has_node {
            // SAFETY: the lane's node is on the stack, with these of the items.
            unsafe {
                node = *scratch.stack(self.stacked - 1 - lane);
                let of_node = items.range(batch.first, batch.count);
                found = best_exact_split(of_node).filter(|split| {
                    self.permits(
                        (node.node, node.depth),
                        batch.count,
                        split.below,
                        split.above,
                    )
                });
            }
        }
        let splits = found.is_some();
        let split = found.unwrap_or(ExactSplit {
            axis: 0,
            position: 0.0,
            below: 0,
            above: 0,
            planar_below: false,
        });
        let own_leaf = has_node && !splits && !in_blocks;
        let waits = |count: u32| splits && (in_blocks || count > 1);
        let is_leaf = |count: u32| splits && !in_blocks && count <= 1;
        let (waits_below, waits_above) = (waits(split.below), waits(split.above));
        let (leaf_below, leaf_above) = (is_leaf(split.below), is_leaf(split.above));
        // References of the leaves, nodes for the stack, references added.
        let in_leaves = if own_leaf {
            batch.count
        } else {
            let of = |leaf: bool, count: u32| if leaf { count } else { 0 };
            of(leaf_below, split.below) + of(leaf_above, split.above)
        };
        let pushes = u32::from(waits_below) + u32::from(waits_above);
        let added = budget::added(batch.count, split.below, split.above);
        let own = in_leaves | pushes << SUM_BITS | added << (2 * SUM_BITS);
        let sums = warp.all_inclusive_sum(own);
        let all = warp.shuffle(W::FULL, sums, W::LANES - 1);
        let before = sums - own;
        let splitting = warp.ballot(W::FULL, splits);
        let (mut left, mut first) = (0, 0);
        if !in_blocks {
            let nodes = 2 * splitting.count_ones();
            let reserved = match self.reserve(nodes, all & SUM_MASK, all >> (2 * SUM_BITS)) {
                Ok(reserved) => reserved,
                Err(failure) => return self.fail(failure),
            };
            left = reserved.0 + 2 * rank(splitting, lane);
            first = reserved.1 + (before & SUM_MASK);
        }
        let bottom = self.stacked - batch.nodes;
        let place = bottom + (before >> SUM_BITS & SUM_MASK);
        let place_above = place + u32::from(waits_below);
        let first_above = first + if leaf_below { split.below } else { 0 };
        // All lanes have read their nodes.
        warp.sync(W::FULL);
        let push = |place: u32, above: bool| {
            // SAFETY: the stack has room for the children, and the places are this lane's.
            unsafe {
                scratch.stack(place).write(PendingNode {
                    mask: [0; 2],
                    bounds: node.bounds.side(split.axis, split.position, above),
                    node: left + u32::from(above),
                    depth: node.depth + 1,
                })
            };
        };
        if waits_below {
            push(place, false);
        }
        if waits_above {
            push(place_above, true);
        }
        warp.sync(W::FULL);
        let fate = Fate {
            flags: u32::from(splits) | u32::from(split.planar_below) << 1 | split.axis << 2,
            position: split.position,
            below: if waits_below {
                place
            } else if splits {
                IN_LEAF | first
            } else {
                // As items are counted through the batch.
                first.wrapping_sub(batch.first)
            },
            above: if waits_above {
                place_above
            } else {
                IN_LEAF | first_above
            },
        };
        // SAFETY: the places on the stack are children, and the leaves' references are reserved.
        unsafe { self.distribute(fate) };
        self.stacked = bottom;
        if in_blocks {
            // SAFETY: the masks of both children were made at the end of the stack.
            return unsafe { self.split_by_blocks(splits, split) };
        }
        self.stacked += all >> SUM_BITS & SUM_MASK;
        self.stage = Stage::Idle;
        self.leaves += warp.ballot(W::FULL, own_leaf).count_ones()
            + warp.ballot(W::FULL, leaf_below).count_ones()
            + warp.ballot(W::FULL, leaf_above).count_ones();
        let depth = node.depth + u32::from(splits);
        if (own_leaf || leaf_below || leaf_above) && depth > self.deepest {
            self.deepest = depth;
        }
        let null = A::Handle::NULL.to_bits();
        // SAFETY: the lane's node and its children are this warp's.
        unsafe {
            let records = self.workspace.records;
            let record = records.add(node.node as usize);
            if own_leaf {
                let sizes = Sizes::of_leaf(batch.count);
                (*record).node = Node::leaf(first, batch.count);
                (*record).sizes = sizes;
                self.complete = (node.node, sizes);
            } else if splits {
                (*record).node = Node::interior(split.axis, split.position, left);
                let (below, above) =
                    self.child_budgets(node.node, batch.count, split.below, split.above);
                let mut sizes = Sizes::of_leaf(0);
                let mut child = |index: u32, budget: u32, leaf: bool, first: u32, count: u32| {
                    let mut child = NodeRecord::new(node.node, budget, null);
                    if leaf {
                        child.node = Node::leaf(first, count);
                        child.sizes = Sizes::of_leaf(count);
                        sizes = sizes.with(child.sizes);
                    }
                    records.add(index as usize).write(child);
                };
                child(left, below, leaf_below, first, split.below);
                child(left + 1, above, leaf_above, first_above, split.above);
                // No other warp has a child of the node yet.
                (*record).sizes = sizes;
                if leaf_below && leaf_above {
                    self.complete = (node.node, sizes);
                }
            }
        }
        Operation::End
    }

    /// Sends each item of the batch to where its node's fate says: into the masks of children
    /// on the stack, or into leaves. Collective.
    ///
    /// # Safety
    ///
    /// The fates are those of the lanes' nodes. The children's masks are 0, and no other thread uses
    /// what the leaves get.
    #[inline(always)]
    unsafe fn distribute(&self, fate: Fate) {
        let (warp, scratch) = (self.warp, self.scratch);
        let items = self.items();
        let mut base = 0;
        while base < items.count() {
            let place = base + warp.lane();
            let item = items.get(place);
            let number = item.map_or(0, |item| item_word::number(item.word()));
            let flags = warp.shuffle(W::FULL, fate.flags, number);
            let position = f32::from_bits(warp.shuffle(W::FULL, fate.position.to_bits(), number));
            let below = warp.shuffle(W::FULL, fate.below, number);
            let above = warp.shuffle(W::FULL, fate.above, number);
            if let Some(item) = item {
                let index = item_word::index(item.word());
                let id = item.reference();
                let send = |goes: bool, to: u32| {
                    // SAFETY: the fate of the item's node leads to a place of its leaf that is this
                    // item's alone, or to the mask of a child, where all accesses are atomic.
                    unsafe {
                        if goes && to & IN_LEAF != 0 {
                            self.workspace
                                .leaves
                                .add((to & !IN_LEAF) as usize)
                                .write(id);
                        } else if goes {
                            let words = (&raw mut (*scratch.stack(to)).mask).cast::<u32>();
                            let half = words.add((index >> 5) as usize);
                            let half = &*half.cast::<SharedU32>();
                            // Relaxed: read after a `sync`.
                            half.fetch_or(1 << (index & 31), Relaxed);
                        }
                    }
                };
                let bounds = item.along(flags >> 2);
                let (mut goes_below, mut goes_above) =
                    ExactSplit::sides(bounds, position, flags >> 1 & 1 == 1);
                let mut to = below;
                if flags & 1 == 0 {
                    // A leaf, of its own or of a block.
                    (goes_below, goes_above) = (P::SUBTREES, false);
                    to = IN_LEAF | below.wrapping_add(place);
                }
                send(goes_below, to);
                send(goes_above, above);
            }
            base += W::LANES;
        }
        warp.sync(W::FULL);
    }

    /// Goes on with the step's node, which is the batch, and the split of the first lane.
    /// Collective.
    ///
    /// # Safety
    ///
    /// If the node is split, the masks of its children lie above the stack.
    #[inline(always)]
    unsafe fn split_by_blocks(&mut self, splits: bool, split: ExactSplit) -> Operation {
        let warp = self.warp;
        if warp.ballot(W::FULL, splits) == 0 {
            return Operation::BecomeLeaf;
        }
        self.split.axis = warp.shuffle(W::FULL, split.axis, 0);
        self.split.position = f32::from_bits(warp.shuffle(W::FULL, split.position.to_bits(), 0));
        self.split.below = warp.shuffle(W::FULL, split.below, 0);
        self.split.above = warp.shuffle(W::FULL, split.above, 0);
        // SAFETY: the stack has two entries above its end, which are the children.
        unsafe {
            self.split.mask_below = (*self.scratch.stack(self.stacked)).references();
            self.split.mask_above = (*self.scratch.stack(self.stacked + 1)).references();
        }
        Operation::Allocate
    }

    /// Gives the topmost nodes of the stack to other warps: a lane each.
    ///
    /// # Safety
    ///
    /// So many nodes are on the stack, no more than lanes, and `Scratch::handle` has a block for the
    /// references of each.
    #[inline(always)]
    pub(super) unsafe fn give_nodes(&mut self, nodes: u32) {
        let lane = self.warp.lane();
        let mut given = self.task;
        if lane < nodes {
            // SAFETY: the lane's node is on the stack, and so are its references in scratch memory. The
            // lane's block has the capacity for them.
            unsafe {
                let node = *self.scratch.stack(self.stacked - 1 - lane);
                let mut mask = node.references();
                given = Task {
                    bounds: node.bounds,
                    block: *self.scratch.handle(lane),
                    count: mask.count_ones(),
                    node: node.node,
                    depth: node.depth,
                    unused: 0,
                };
                let mut to = self.references(given.block);
                while mask != 0 {
                    let index = mask.trailing_zeros() as usize;
                    to.write(*self.scratch.references().add(index));
                    to = to.add(1);
                    mask &= mask - 1;
                }
            }
        }
        self.stacked -= nodes;
        // The warp has the task of the subtree's root.
        self.given = (P::kind(given.count), given, nodes);
    }
}
