//! Bipartite graphs whose two sides are numbered each by itself.

use rayon::prelude::*;

use super::text::Fault;
use crate::{LineProblem, MAX_VERTICES};

/// Numbers the right ends after the left ones; returns how many vertices each side has: as many
/// as are declared, or as the largest number asks for if that is more.
///
/// # Errors
/// More vertices than there may be.
pub(super) fn separate(edges: &mut [[u32; 2]], declared: [u32; 2]) -> Result<[u32; 2], Fault> {
    let counts = edges.par_iter().map(|edge| edge.map(|end| end + 1));
    let most = |a: [u32; 2], b: [u32; 2]| [a[0].max(b[0]), a[1].max(b[1])];
    let [left, right] = counts.reduce(|| declared, most);
    let count = u64::from(left) + u64::from(right);
    if count > u64::from(MAX_VERTICES) {
        let limit = MAX_VERTICES;
        return Err(Fault::new(0, LineProblem::TooManyVertices { count, limit }));
    }
    edges.par_iter_mut().for_each(|edge| edge[1] += left);
    Ok([left, right])
}
