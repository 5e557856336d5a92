//! Whether a finished tree is right.

use super::bounds::{Bounds, Triangle};
use super::node::Node;

/// What is wrong with a tree.
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
/// references, one after the other, and that every triangle which overlaps the
/// inside of a leaf's box is in that leaf. Takes a walk down the tree for every
/// triangle, in doubles, with exact clipping but for their rounding.
pub fn check(
    nodes: &[Node],
    references: &[u32],
    triangles: &[Triangle],
    bounds: Bounds,
) -> Result<(), Fault> {
    check_format(nodes, references, triangles.len(), bounds)?;
    let size = [0, 1, 2].map(|axis| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]));
    let extent = size[0].max(size[1]).max(size[2]);
    // Less than the spacing of floats at the scene's extent, and far more than
    // the rounding of doubles.
    let inset = extent * 1e-9;
    for (id, triangle) in triangles.iter().enumerate() {
        let polygon: Vec<[f64; 3]> = triangle.iter().map(|v| v.map(f64::from)).collect();
        let mut waiting = vec![(0, polygon)];
        while let Some((index, polygon)) = waiting.pop() {
            let node = nodes[index];
            if node.is_leaf() {
                let first = node.first_reference() as usize;
                let own = &references[first..first + node.references() as usize];
                if own.binary_search(&(id as u32)).is_err() {
                    return Err(Fault::Missing {
                        node: index,
                        triangle: id as u32,
                    });
                }
                continue;
            }
            let (axis, plane) = (node.axis() as usize, f64::from(node.position()));
            let lo = polygon.iter().fold(f64::INFINITY, |m, v| m.min(v[axis]));
            let hi = polygon
                .iter()
                .fold(f64::NEG_INFINITY, |m, v| m.max(v[axis]));
            let right = node.right() as usize;
            if lo < plane - inset {
                waiting.push((index + 1, cut(&polygon, axis, plane, 1.0)));
            }
            if hi > plane + inset {
                waiting.push((right, cut(&polygon, axis, plane, -1.0)));
            }
            if lo >= plane - inset && hi <= plane + inset {
                // In the plane: one side must have it, down to the leaves.
                let sides = [index + 1, right];
                if !sides
                    .iter()
                    .any(|&side| has(nodes, references, side, id as u32))
                {
                    return Err(Fault::Missing {
                        node: index,
                        triangle: id as u32,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Whether some leaf below a node has the triangle.
fn has(nodes: &[Node], references: &[u32], root: usize, id: u32) -> bool {
    let mut waiting = vec![root];
    while let Some(index) = waiting.pop() {
        let node = nodes[index];
        if node.is_leaf() {
            let first = node.first_reference() as usize;
            let own = &references[first..first + node.references() as usize];
            if own.binary_search(&id).is_ok() {
                return true;
            }
        } else {
            waiting.extend([index + 1, node.right() as usize]);
        }
    }
    false
}

/// The part of a convex polygon on one side of a plane: below for `sign` 1,
/// above for -1.
fn cut(polygon: &[[f64; 3]], axis: usize, plane: f64, sign: f64) -> Vec<[f64; 3]> {
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (index, a) in polygon.iter().enumerate() {
        let b = &polygon[(index + 1) % polygon.len()];
        let (from, to) = (sign * (plane - a[axis]), sign * (plane - b[axis]));
        if from >= 0.0 {
            part.push(*a);
        }
        if (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0) {
            let t = from / (from - to);
            let mut point = [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]));
            point[axis] = plane;
            part.push(point);
        }
    }
    part
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
