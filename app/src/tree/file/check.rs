//! Whether a tree from a file can be traversed: every index is followed here before a kernel may
//! follow it.
//!
//! The contract is that of [`heapwood_device::render::Tree`]: right children are nodes, references
//! are there and name triangles, and no leaf is deeper than the stack. The checks go further, since
//! a builder's trees are known in every detail. Nodes are in depth-first order, so that a walk
//! meets each index just once and in turn. A cycle, a node with two parents or one without any
//! would break the order. The references of leaves follow each other in the same way.

use heapwood_device::kdtree::node::Node;
use heapwood_device::render::{Bounds, MAX_TRAVERSAL_DEPTH};

use super::error::Damage;
use crate::tree::host_tree::HostTree;

/// The shape of the tree that a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Leaves.
    pub leaves: u32,
    /// Depth of the deepest leaf.
    pub depth: u32,
}

/// A right child that is to be visited.
struct Waiting {
    node: u32,
    depth: u32,
    bounds: Bounds,
}

/// Walks a tree of so many triangles.
///
/// # Errors
///
/// The first node that is wrong, or what is wrong with the whole tree.
pub fn check(tree: &HostTree, triangles: u32) -> Result<Shape, Damage> {
    let mut shape = Shape {
        leaves: 0,
        depth: 0,
    };
    // A path has at most so many right children beside it, since it is no longer.
    let mut waiting = Vec::with_capacity(MAX_TRAVERSAL_DEPTH + 1);
    waiting.push(Waiting {
        node: 0,
        depth: 0,
        bounds: tree.bounds,
    });
    let (mut visited, mut referred) = (0, 0);
    while let Some(Waiting {
        node: index,
        depth,
        bounds,
    }) = waiting.pop()
    {
        let wrong = |what| Damage::Node { node: index, what };
        if index != visited {
            return Err(wrong("not in depth-first order"));
        }
        let node = tree.nodes.get(index as usize);
        let node = *node.ok_or_else(|| wrong("not in the tree"))?;
        visited += 1;
        if depth > MAX_TRAVERSAL_DEPTH as u32 {
            return Err(wrong("too deep"));
        }
        if node.is_leaf() {
            referred = check_leaf(node, &tree.references, referred, triangles).map_err(wrong)?;
            shape.leaves += 1;
            shape.depth = shape.depth.max(depth);
            continue;
        }
        let (axis, plane) = (node.axis(), node.position());
        let side = axis as usize;
        // False for what is no number, and so is every plane of a box without an inside.
        if !(bounds.min[side] < plane && plane < bounds.max[side]) {
            return Err(wrong("its plane is not within its box"));
        }
        let child = |node, is_above| Waiting {
            node,
            depth: depth + 1,
            bounds: bounds.side(axis, plane, is_above),
        };
        waiting.push(child(node.right(), true));
        waiting.push(child(index + 1, false));
    }
    if visited as usize != tree.nodes.len() {
        return Err(Damage::Tree("there are nodes that nothing leads to"));
    }
    if referred as usize != tree.references.len() {
        return Err(Damage::Tree("there are references of no leaf"));
    }
    Ok(shape)
}

/// Checks the references of a leaf; the first one has the number `from`. Returns the number behind
/// the last.
fn check_leaf(
    leaf: Node,
    references: &[u32],
    from: u32,
    triangles: u32,
) -> Result<u32, &'static str> {
    if leaf.first_reference() != from {
        return Err("its references are not behind those of the leaf before");
    }
    let end = from.checked_add(leaf.references());
    let own = end.and_then(|end| references.get(from as usize..end as usize));
    let (Some(end), Some(own)) = (end, own) else {
        return Err("its references are not in the tree");
    };
    if own.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err("its references do not ascend");
    }
    match own.last() {
        Some(last) if *last >= triangles => Err("it refers to no triangle"),
        _ => Ok(end),
    }
}
