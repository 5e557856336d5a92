//! The words that an iteration stores for a vertex, from the rank that a plain step gives it.
//!
//! No vertex pulls the contribution of a vertex without out-edges, so it keeps the rank: one
//! way for all vertices.
//!
//! Contributions are multiples of 2^-52. So their sums are exact in `f64` below 2, and all ranks
//! together are 1: whoever adds them, in whatever order and parts, finds the same bits.

/// The words stored for a vertex, and the change of its rank by a plain step.
#[derive(Clone, Copy)]
pub struct Outgoing {
    /// The rank.
    pub rank: f32,
    /// Rank by out-degree.
    pub contribution: f32,
    /// The change that a plain step makes to the rank.
    pub change: f64,
}

/// The rank that a plain step gives a vertex.
#[derive(Clone, Copy)]
pub struct NewRank {
    /// The rank.
    exact: f64,
    /// Into how many parts it is divided.
    parts: f64,
    /// Such a part.
    contribution: f64,
    /// Whether there are no out-edges.
    dangling: bool,
}

impl NewRank {
    /// The rank `exact`, for a vertex with that many out-edges.
    #[inline(always)]
    pub fn new(exact: f64, degree: u32) -> Self {
        let dangling = degree == 0;
        // Signed numbers are converted with fewer instructions.
        let parts = f64::from(if dangling { 1 } else { degree as i32 });
        Self {
            exact,
            parts,
            contribution: exact / parts,
            dangling,
        }
    }

    /// The words that a plain step stores in place of a rank and a contribution.
    #[inline(always)]
    pub fn plain(self, rank: f32, contribution: f32) -> Outgoing {
        let contribution = adjust(contribution, self.contribution);
        let new = if self.dangling {
            contribution
        } else {
            self.exact as f32
        };
        Outgoing {
            rank: new,
            contribution,
            change: f64::from(new) - f64::from(rank),
        }
    }

    /// The words that a step over-relaxed by `factor` stores in place of a rank, if the
    /// contribution of two iterations ago is `before`; see `relaxation`.
    #[inline(always)]
    pub fn over_relaxed(self, rank: f32, before: f32, factor: f32) -> Outgoing {
        let contribution =
            super::relaxation::extrapolate(self.contribution, f64::from(before), factor);
        Outgoing {
            rank: (contribution * self.parts) as f32,
            contribution: multiple(contribution) as f32,
            change: self.exact - f64::from(rank),
        }
    }
}

/// The unit of contributions: the distance of 1 from the next `f64`.
const UNIT: f64 = f64::EPSILON;

/// The multiple of the unit that is nearest to a real from 0 to 1.
#[inline(always)]
fn multiple(value: f64) -> f64 {
    (value + 1.0) - 1.0
}

/// The bits of an `f64` that an `f32` has not.
const FINER: u64 = (1 << 29) - 1;

/// The value to store in place of `old`: `exact`, rounded towards `old`.
///
/// So what is stored changes by no more than what it stands for, and since only
/// the damped part of a change goes on, changes end. Were contributions rounded to the
/// nearest, vertices that feed each other could exchange a last digit for ever.
#[inline(always)]
fn adjust(old: f32, exact: f64) -> f32 {
    // Ranks are not negative, so clearing bits rounds down, and up if all of them
    // are added before. One of two ways is as likely as the other: no branch.
    let falls = exact < f64::from(old);
    let near = multiple(exact);
    let is_behind = if falls { near < exact } else { near > exact };
    let step = if falls { UNIT } else { -UNIT };
    let near = if is_behind { near + step } else { near };
    let add = if falls { FINER } else { 0 };
    f64::from_bits((near.to_bits() + add) & !FINER) as f32
}
