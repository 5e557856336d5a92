//! Whether a finished tree is right.

use super::bounds::{Bounds, Triangle};
use super::node::Node;
use super::overlap::{Facet, OpenBox};

/// A fault of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The children, references or split of a node do not fit the format.
    Malformed {
        /// The node.
        node: usize,
    },
    /// A leaf's references do not ascend or name no triangle.
    BadReferences {
        /// The leaf.
        node: usize,
    },
    /// A triangle reaches into a leaf that does not have it.
    Missing {
        /// The leaf.
        node: usize,
        /// The triangle.
        triangle: u32,
    },
}

/// Checks that the nodes are in depth-first order, that leaves have ascending
/// references, one after the other, and that every triangle which meets the
/// inside of a leaf's box is in that leaf. Faces of `bounds` count as the inside.
/// A triangle that lies in the plane of a split must be in the leaves of one side.
///
/// Takes a walk down the tree for every triangle. All decisions are exact, so that
/// a part of a triangle is found however small it is.
///
/// # Errors
///
/// The first [`Fault`] that is found.
pub fn check(
    nodes: &[Node],
    references: &[u32],
    triangles: &[Triangle],
    bounds: Bounds,
) -> Result<(), Fault> {
    check_format(nodes, references, triangles.len(), bounds)?;
    for (id, triangle) in (0..).zip(triangles) {
        let walk = Walk {
            nodes,
            references,
            id,
            facet: Facet::new(triangle.map(|corner| corner.map(f64::from))),
        };
        if let Some(node) = walk.missing_leaf(0, OpenBox::SPACE) {
            return Err(Fault::Missing { node, triangle: id });
        }
    }
    Ok(())
}

/// The walk of a triangle down the tree.
struct Walk<'a> {
    nodes: &'a [Node],
    references: &'a [u32],
    id: u32,
    facet: Facet,
}

impl Walk<'_> {
    /// The first leaf below a node that lacks the triangle although the triangle reaches into it.
    /// If the triangle lies in the plane of a node and both sides have such a leaf, that node.
    ///
    /// The triangle meets the inside of the node's box. No triangle reaches beyond the scene's
    /// box, so its faces do not bound the inside. Neither does a plane that the triangle lies in.
    /// Such sides of `inside` are infinite.
    fn missing_leaf(&self, mut index: usize, mut inside: OpenBox) -> Option<usize> {
        loop {
            let node = self.nodes[index];
            if node.is_leaf() {
                let first = node.first_reference() as usize;
                let own = &self.references[first..first + node.references() as usize];
                return own.binary_search(&self.id).is_err().then_some(index);
            }
            let (axis, plane) = (node.axis() as usize, f64::from(node.position()));
            let (below, above) = (index + 1, node.right() as usize);
            let (min, max) = self.facet.extent(axis);
            if min == plane && max == plane {
                let is_missing = self.missing_leaf(below, inside).is_some()
                    && self.missing_leaf(above, inside).is_some();
                return is_missing.then_some(index);
            }
            // A triangle that reaches over the plane meets at least one of the parts.
            let [part_below, part_above] =
                [false, true].map(|is_above| inside.side(axis, plane, is_above));
            let goes_below =
                max <= plane || min < plane && self.facet.meets_side(&part_below, axis, false);
            let goes_above = min >= plane
                || max > plane && (!goes_below || self.facet.meets_side(&part_above, axis, true));
            if goes_below && goes_above {
                let missing = self.missing_leaf(below, part_below);
                if missing.is_some() {
                    return missing;
                }
            }
            (index, inside) = if goes_above {
                (above, part_above)
            } else {
                (below, part_below)
            };
        }
    }
}

/// Checks the order of nodes and references.
fn check_format(
    nodes: &[Node],
    references: &[u32],
    triangles: usize,
    bounds: Bounds,
) -> Result<(), Fault> {
    let mut waiting = vec![(0, bounds)];
    let (mut next_node, mut next_reference) = (0, 0);
    while let Some((index, bounds)) = waiting.pop() {
        if index != next_node || index >= nodes.len() {
            return Err(Fault::Malformed { node: index });
        }
        next_node += 1;
        let node = nodes[index];
        if node.is_leaf() {
            let end = next_reference + node.references() as usize;
            if node.first_reference() as usize != next_reference || end > references.len() {
                return Err(Fault::Malformed { node: index });
            }
            let own = &references[next_reference..end];
            let ascending = own.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || own.last().is_some_and(|&id| id as usize >= triangles) {
                return Err(Fault::BadReferences { node: index });
            }
            next_reference = end;
        } else {
            let (axis, plane) = (node.axis() as usize, node.position());
            if !(bounds.min[axis] < plane && plane < bounds.max[axis]) {
                return Err(Fault::Malformed { node: index });
            }
            let axis = node.axis();
            waiting.push((node.right() as usize, bounds.side(axis, plane, true)));
            waiting.push((index + 1, bounds.side(axis, plane, false)));
        }
    }
    if next_node != nodes.len() || next_reference != references.len() {
        return Err(Fault::Malformed { node: next_node });
    }
    Ok(())
}
