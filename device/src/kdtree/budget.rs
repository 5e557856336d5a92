//! The bound on duplication: a tree of `n` triangles has at most 64 n + 1,024
//! references.
//!
//! A plane that cuts triangles duplicates their references. A tree of a usual
//! scene has 1 to 10 references a triangle. Where triangles overlap in one plane, each
//! split pays by the heuristic, and a tree has thousands.
//!
//! So a build counts the references that its splits add. The sum does not depend
//! on the order of splits, and never falls, since each reference of a node goes to
//! at least one child. A build that exceeds the bound ends at once with
//! `Failure::Explodes`, whatever its schedule; the bound does not affect any other.
//! The host then builds anew with the flag `BOUNDED`, and the tree is the one of
//! that build.
//!
//! A bounded build gives each node a budget: the references that splits of its
//! subtree may add. The root's is what the bound leaves. A split into `below` and
//! `above` of `count` references adds `below + above - count`. If that is more
//! than the node's budget the node becomes a leaf; else the children share what is
//! left of the budget, down to the last reference. Both rules depend on counts
//! alone, so the tree does not depend on which warp treats a node, or when.
//!
//! The bound holds: over the nodes that are not split so far, references and
//! budgets sum up to the same number as at the root. For a split takes
//! `count + budget` away and adds
//!
//! ```text
//! below + above + (budget - (below + above - count)) = count + budget.
//! ```
//!
//! In the end these nodes are the leaves, and budgets are not negative.

use super::node::LIMIT;

/// References of a tree for each triangle, at most.
pub const PER_TRIANGLE: u64 = 64;
/// References beyond that.
pub const EXTRA: u64 = 1024;

/// References that the splits of a tree over `count` triangles may add.
#[inline(always)]
pub fn of_root(count: u32) -> u32 {
    let most = u64::from(count) * PER_TRIANGLE + EXTRA;
    let most = if most < u64::from(LIMIT) {
        most as u32
    } else {
        LIMIT
    };
    most.saturating_sub(count)
}

/// References that a split of `count` adds. None is lost, unless the allocator granted
/// the block again and its contents are another's.
#[inline(always)]
pub fn added(count: u32, below: u32, above: u32) -> u32 {
    (below + above).saturating_sub(count)
}

/// The budgets of the children, which share `rest` in proportion to their references
/// but one, since a node with one reference is not split.
#[inline(always)]
pub fn of_children(rest: u32, below: u32, above: u32) -> (u32, u32) {
    let (below, above) = (below.saturating_sub(1), above.saturating_sub(1));
    // Rounding moves references between the children and keeps their sum. 0 / 0 is NaN,
    // which becomes 0.
    let part = below as f32 / (below + above) as f32;
    let below = (rest as f32 * part) as u32;
    let below = if below < rest { below } else { rest };
    (below, rest - below)
}
