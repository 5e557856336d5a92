//! PageRank: the power iteration as its definition says, in double precision, and what
//! ranks from elsewhere are held to.
//!
//! Ranks are a fixed point of a map `G` that shrinks distances, summed over vertices, by
//! the damping `d` at least. So who has ranks `x` with a residual `r`, the sum of the
//! absolute values of `G x - x`, is at most `r / (1 - d)` away from the fixed point,
//! however `x` was found.

use rayon::prelude::*;

use super::Ranks;
use crate::UndecidedRanks;
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Method, RankOptions};

/// Bound on the error that rounding adds to ranks in an iteration, summed over vertices whose ranks
/// have a sum of 1: ranks and contributions to neighbours are `f32`.
const ROUNDING: f64 = 2.0 / (1 << 24) as f64;

/// The distance of any two ranks is at most this, summed over vertices: a bound that is not
/// below it says nothing.
pub(super) const MAX_DISTANCE: f64 = 2.0;

/// Bound on the error that rounding adds in all, summed over vertices: an iteration shrinks earlier
/// errors by the damping.
pub fn rounding(damping: f64) -> f64 {
    ROUNDING / (1.0 - damping)
}

/// Bound on the error of rounding after so many iterations. With a damping near 1 iterations hardly
/// shrink errors, but they are few.
fn rounding_after(iterations: u32, damping: f64) -> f64 {
    // The ranks that the first begins from are rounded too.
    let most = ROUNDING * f64::from(iterations + 2);
    most.min(rounding(damping))
}

/// An iteration from `ranks`, and its change, summed over vertices. Vertices without
/// out-edges give their rank to all but those that were deleted, which have none.
fn iterate(graph: &Reference, damping: f64, ranks: &[f64]) -> (Vec<f64>, f64) {
    let Reference { rows, columns, .. } = graph;
    let count = graph.present();
    let dangling = (0..rows.vertices()).filter(|&v| rows.degree(v) == 0);
    let mass: f64 = dangling.map(|v| ranks[v as usize]).sum();
    let everybody = (1.0 - damping + damping * mass) / count;
    let given = |v: u32| ranks[v as usize] / rows.degree(v) as f64;
    let rank = |v| {
        let pulled: f64 = columns.row(v).iter().map(|&u| given(u)).sum();
        match graph.deleted.contains(&v) {
            true => 0.0,
            false => everybody + damping * pulled,
        }
    };
    let next: Vec<f64> = (0..rows.vertices()).into_par_iter().map(rank).collect();
    let change = apart(&next, ranks);
    (next, change)
}

/// Ranks in double precision.
fn widen(ranks: &[f32]) -> Vec<f64> {
    ranks.iter().map(|&rank| f64::from(rank)).collect()
}

/// The difference of ranks, summed over vertices.
fn apart(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum()
}

impl Reference {
    /// Vertices that were not deleted; 1 if there are none, which makes no difference.
    fn present(&self) -> f64 {
        let deleted = self.deleted.len() as f64;
        (f64::from(self.rows.vertices()) - deleted).max(1.0)
    }

    /// Equal ranks.
    fn even(&self) -> Vec<f64> {
        let even = 1.0 / self.present();
        let rank = |vertex| match self.deleted.contains(&vertex) {
            true => 0.0,
            false => even,
        };
        (0..self.rows.vertices()).map(rank).collect()
    }

    /// Holds ranks to the power iteration in double precision, which begins from the same ranks:
    /// `from`, or equal ones. Returns how far they may be from the fixed point, summed over all
    /// vertices.
    ///
    /// Ranks of the power iteration are compared with those after as many iterations.
    /// Accelerated ones are to be as close to the fixed point as they are said to be; if
    /// they did not get there, at least about as close as the power iteration. If that leaves
    /// open what they are, they are not verified.
    ///
    /// # Errors
    ///
    /// When the ranks are off, or what is said of them is, or nothing can be said.
    pub fn ranks(
        &self,
        found: &Ranks,
        options: &RankOptions,
        from: Option<&[f32]>,
    ) -> Result<f64, Difference> {
        let vertices = self.rows.vertices() as usize;
        same_length(found.ranks.len(), vertices)?;
        let (damping, state) = (options.damping, &found.state);
        let step = |ranks: &[f64]| iterate(self, damping, ranks);
        let ranks = widen(&found.ranks);
        let (_, residual) = step(&ranks);
        let rounding = rounding_after(state.iterations, damping);
        let is_within = state.residual <= options.tolerance;
        // An over-relaxed step is the last at the limit only, and then not known to converge.
        let is_cut = found.method == Method::Accelerated && state.iterations == options.limit;
        if state.converged != is_within && (state.converged || !is_cut) {
            differ(format!(
                "a residual of {:.3e} is taken for {}converged",
                state.residual,
                if state.converged { "" } else { "not " }
            ))?;
        }
        let (mut plain, mut change) = (from.map_or_else(|| self.even(), widen), 0.0);
        if found.method == Method::Power || !state.converged {
            for _ in 0..state.iterations {
                (plain, change) = step(&plain);
            }
        }
        match found.method {
            Method::Power => {
                let off = apart(&ranks, &plain);
                if off.is_nan() || off > rounding {
                    differ(format!(
                        "the ranks are off by {off:.2e} in all, more than {rounding:.1e}"
                    ))?;
                }
                // Of the ranks of two iterations.
                let off = (state.residual - change).abs();
                if off.is_nan() || off > 2.0 * rounding {
                    differ(format!(
                        "the last iteration changed the ranks by {change:.3e}, not by {:.3e}",
                        state.residual
                    ))?;
                }
            }
            Method::Accelerated => {
                let said = if state.converged {
                    state.residual
                } else {
                    change
                };
                // Rounding does not add up here: it is that of these ranks, and of what `said`
                // was found from, and `G` takes each along.
                let allowed = 2.0 * said + 4.0 * ROUNDING;
                if residual.is_nan() || residual > allowed {
                    differ(format!(
                        "the ranks have a residual of {residual:.3e}, more than {allowed:.1e}"
                    ))?;
                }
                // Other ranks would have passed as well.
                let off = allowed / (1.0 - damping);
                if off >= MAX_DISTANCE {
                    let max = MAX_DISTANCE;
                    return Err(UndecidedRanks { off, max }.into());
                }
            }
        }
        Ok(residual / (1.0 - damping))
    }

    /// The change that one more iteration makes to ranks, summed over vertices: the total error of the GAP
    /// benchmark suite.
    ///
    /// # Errors
    ///
    /// When it is not below the tolerance.
    pub fn total_error(&self, found: &Ranks, options: &RankOptions) -> Result<f64, Difference> {
        let (_, error) = iterate(self, options.damping, &widen(&found.ranks));
        if error.is_nan() || error >= options.tolerance {
            let tolerance = options.tolerance;
            differ(format!(
                "one more iteration changes the ranks by {error:.3e}, which is not below {tolerance:.1e}"
            ))?;
        }
        Ok(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::algorithms::examples::{path, reference};
    use heapwood_device::graph::pagerank::plan::RankState;

    fn found(ranks: &[f32], method: Method, iterations: u32, residual: f64) -> Ranks {
        Ranks {
            ranks: ranks.to_vec(),
            method,
            state: RankState {
                iterations,
                residual,
                converged: residual <= RankOptions::default().tolerance,
            },
            ms: 0.0,
        }
    }

    #[test]
    fn two_vertices_share_the_rank_of_a_third() {
        // 0 to 1 and 2, from where there is no way on: with damping 0.5 the ranks are r and r +
        // r/4; the jump and the dangling rank give r to each.
        let graph = reference(3, &[[0, 1], [0, 2]], true, 0);
        let expected = [2.0 / 7.0, 2.5 / 7.0, 2.5 / 7.0];
        let (next, change) = iterate(&graph, 0.5, &expected);
        assert!(apart(&next, &expected) < 1e-15 && change < 1e-15);
    }

    #[test]
    fn deleted_vertices_have_no_rank() {
        let mut graph = reference(4, &[[0, 1], [0, 2]], true, 0);
        graph.deleted.insert(3);
        assert_eq!(graph.even(), [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
        let expected = [2.0 / 7.0, 2.5 / 7.0, 2.5 / 7.0, 0.0];
        let (next, change) = iterate(&graph, 0.5, &expected);
        assert!(apart(&next, &expected) < 1e-15 && change < 1e-15);
        graph.deleted.extend(0..3);
        assert_eq!(graph.even(), [0.0; 4]);
    }

    #[test]
    fn wrong_ranks_are_found() {
        // Rank r of the ends of a path is 0.05 + 0.425 m, that of the middle m = 1 - 2r.
        let path = path();
        let options = RankOptions::default();
        let [end, middle] = [0.475 / 1.85, 0.9 / 1.85];
        let right = [end, middle, end];
        for method in Method::ALL {
            let off = path.ranks(&found(&right, method, 500, 0.0), &options, None);
            assert!(off.unwrap() < 1e-6);
            for wrong in [
                found(&[middle, end, end], method, 500, 0.0),
                found(&[end, middle, f32::NAN], method, 500, 0.0),
                found(&[end, middle], method, 500, 0.0),
                // Ranks of another sum are no fixed point either.
                found(&right.map(|rank| rank * 1.001), method, 500, 0.0),
                Ranks {
                    state: RankState {
                        converged: false,
                        ..found(&right, method, 500, 0.0).state
                    },
                    ..found(&right, method, 500, 0.0)
                },
            ] {
                path.ranks(&wrong, &options, None).unwrap_err();
            }
        }
        // After one iteration from equal ranks no other ranks are right.
        let once = [
            0.05 + 0.85 / 6.0,
            0.05 + 0.85 * 2.0 / 3.0,
            0.05 + 0.85 / 6.0,
        ];
        let change = 2.0 * (1.0 / 3.0 - f64::from(once[0])) + f64::from(once[1]) - 1.0 / 3.0;
        let one = |ranks, change| found(ranks, Method::Power, 1, change);
        path.ranks(&one(&once, change), &options, None).unwrap();
        path.ranks(&one(&right, change), &options, None)
            .unwrap_err();
        path.ranks(&one(&once, change * 1.01), &options, None)
            .unwrap_err();
        // Near 1, an iteration hardly changes any ranks, right or wrong.
        let near_1 = RankOptions {
            damping: 1.0 - 1e-9,
            ..RankOptions::default()
        };
        let pairs = reference(4, &[[0, 1], [2, 3]], false, 0);
        let even = [0.25; 4];
        let uneven = [0.5, 0.5, 0.0, 0.0];
        pairs
            .ranks(&found(&even, Method::Power, 3, 0.0), &near_1, None)
            .unwrap();
        for (ranks, method) in [
            (uneven, Method::Power),
            ([0.0; 4], Method::Power),
            (uneven, Method::Accelerated),
            (even, Method::Accelerated),
        ] {
            let wrong = found(&ranks, method, 3, 0.0);
            pairs.ranks(&wrong, &near_1, None).unwrap_err();
        }
        // An acceleration is no better than none.
        let far = found(&[0.8, 0.1, 0.1], Method::Accelerated, 50, 1e-3);
        path.ranks(&far, &options, None).unwrap_err();
    }

    #[test]
    fn the_total_error_is_that_of_one_more_iteration() {
        let path = reference(3, &[[0, 1], [1, 2]], false, 1);
        let [end, middle] = [0.475 / 1.85, 0.9 / 1.85];
        let options = RankOptions {
            tolerance: 1e-4,
            ..RankOptions::default()
        };
        let error =
            |ranks: [f32; 3]| path.total_error(&found(&ranks, Method::Power, 9, 0.0), &options);
        assert!(error([end, middle, end]).unwrap() < 1e-6);
        // The middle passes 0.85 of the difference to the ends, and each end half of that to itself.
        let off = error([end, middle + 3e-5, end]).unwrap();
        assert!((off - 1.85 * 3e-5).abs() < 1e-6, "{off}");
        let message = error([end, middle + 6e-5, end]).unwrap_err().to_string();
        let start =
            "verification: one more iteration changes the ranks by 1.110e-4, which is not below";
        assert!(message.starts_with(start), "{message}");
        error([end, f32::NAN, end]).unwrap_err();
    }
}
