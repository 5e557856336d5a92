//! Rows of a comparison, a case each: how they are compared, and how one goes on from another.

mod compared;
mod earlier;
mod frames;
mod graph;
mod rank;
mod sensitivity;
mod steps;
mod tree;

pub use compared::Compared;
pub use earlier::{Earlier, Origin, Row};
pub use heapwood_results::compare::{ComparedRow, GraphRow, Standing};
pub use rank::rank;

use crate::allocators::Spec;

/// The standing of a row over this allocator before it is ranked.
pub fn standing(spec: &Spec) -> Standing {
    Standing {
        frees: spec.frees(),
        reference: String::new(),
        ratio: None,
        fastest: false,
    }
}
