//! Faults of weights.

/// A fault of the weight of an edge. The edges alone can still be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightProblem {
    /// A word that should be a weight is not a number.
    #[error("the weight `{0}` is not a number")]
    NotANumber(String),
    /// A weight is infinite, or NaN.
    #[error("the weight `{0}` is not finite")]
    NotFinite(String),
    /// A weight is below zero.
    #[error("the weight `{0}` is negative")]
    Negative(String),
    /// An integer or a real number is too large.
    #[error("the weight `{0}` does not fit in 32 bits")]
    TooLarge(String),
    /// A weight that should be an integer has another form.
    #[error("the weight `{0}` is a real number, not an integer")]
    NotWhole(String),
    /// An edge stands without a weight in a list of weighted edges.
    #[error("the edge has no weight, but the first edge has one")]
    Missing,
    /// An edge stands with a weight in a list of other edges.
    #[error("the edge has a weight, but the first edge has none")]
    Unexpected,
    /// Both ends of an undirected edge list it, with different weights.
    #[error("the edge to {to} has the weight {weight} here, but {other} in the line of {to}")]
    Differing {
        /// The other end, counted from 1.
        to: u32,
        /// The weight in this line.
        weight: String,
        /// The weight in the line of the other end.
        other: String,
    },
    /// A matrix has negative values by its symmetry.
    #[error("a skew-symmetric matrix has negative weights")]
    SkewSymmetric,
}
