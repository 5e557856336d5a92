//! Measures of a finished tree: its expected cost, and its hash, by which two trees
//! are the same.

use super::bounds::Bounds;
use super::node::Node;
use super::sah::Costs;

/// The costs by which trees are compared, whatever they were built with.
pub const COMPARABLE: Costs = Costs {
    traversal: 1.0,
    intersection: 5.0,
    empty_bonus: 0.0,
};

/// Expected cost of a ray through the tree by the surface area heuristic:
/// interior nodes and references weighted by the area of their boxes, relative
/// to the root's. The empty bonus is left out: it only steers the choice of splits.
pub fn sah_cost(nodes: &[Node], bounds: Bounds, costs: Costs) -> f64 {
    let area = |bounds: &Bounds| {
        let size = [0, 1, 2].map(|axis| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]));
        size[0] * size[1] + size[1] * size[2] + size[2] * size[0]
    };
    let root = area(&bounds);
    let mut cost = 0.0;
    visit(nodes, bounds, |node, bounds| {
        let part = if root > 0.0 { area(bounds) / root } else { 1.0 };
        cost += part
            * if node.is_leaf() {
                f64::from(costs.intersection) * f64::from(node.references())
            } else {
                f64::from(costs.traversal)
            };
    });
    cost
}

/// Calls `f` with every node of a well-formed tree and its box, depth first.
fn visit(nodes: &[Node], bounds: Bounds, mut f: impl FnMut(Node, &Bounds)) {
    let mut waiting = vec![(0, bounds)];
    while let Some((index, bounds)) = waiting.pop() {
        let node: Node = nodes[index];
        f(node, &bounds);
        if !node.is_leaf() {
            let (axis, position) = (node.axis(), node.position());
            waiting.push((node.right() as usize, bounds.side(axis, position, true)));
            waiting.push((index + 1, bounds.side(axis, position, false)));
        }
    }
}

/// FNV-1a, 64 bits, over the bytes of the nodes (`first`, then `second`, least
/// byte first) and of the references.
pub fn tree_hash(nodes: &[Node], references: &[u32]) -> u64 {
    let words = nodes
        .iter()
        .flat_map(|node| [node.first, node.second])
        .chain(references.iter().copied());
    words
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
