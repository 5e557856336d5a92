//! The bound on duplication: a tree of `n` triangles has at most 64 n + 1,024
//! references.
//!
//! A plane that cuts triangles duplicates their references. In usual scenes a
//! tree has 1 to 10 references a triangle. Where triangles overlap in one plane
//! the heuristic finds each split worth its while, and has thousands.
//!
//! So a build counts the references that its splits add. The sum does not depend
//! on the order of splits, and never falls, as each reference of a node goes to
//! one child at least. A build that exceeds the bound ends at once with
//! `EXPLODES`, whatever its schedule; one that does not is untouched by the bound.
//! The host then builds anew with the flag `BOUNDED`, and the tree is the one of
//! that build.
//!
//! A bounded build gives each node a budget: the references that splits of its
//! subtree may add. The root's is what the bound leaves. A split into `below` and
//! `above` of `count` references adds `below + above - count`. If that is more
//! than the node's budget the node becomes a leaf; else the rest is divided
//! between the children, down to the last reference. Both rules depend on counts
//! alone, so the tree is the same whichever warp treats a node, and whenever.
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

/// References that a split of `count` adds. None is lost, unless another block's
/// contents took the place of the references.
#[inline(always)]
pub fn added(count: u32, below: u32, above: u32) -> u32 {
    (below + above).saturating_sub(count)
}

/// The budgets of the children, of what is left to them: in proportion to their
/// references but one, since a node with one reference is not split.
#[inline(always)]
pub fn shares(rest: u32, below: u32, above: u32) -> (u32, u32) {
    let (below, above) = (below.saturating_sub(1), above.saturating_sub(1));
    // Rounding moves the shares, not their sum. 0 / 0 is no number, and gives 0.
    let part = below as f32 / (below + above) as f32;
    let share = (rest as f32 * part) as u32;
    let share = if share < rest { share } else { rest };
    (share, rest - share)
}
