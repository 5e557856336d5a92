//! Where the rows of a comparison stand among each other: how they compare with a reference, and
//! which of them is the fastest.

use serde::{Deserialize, Serialize};

use super::Row;
use crate::allocators::Spec;

/// Where a row stands among the others. Everything but `frees` changes with the rows around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Whether its allocator frees blocks one by one; one that does not is a lower bound.
    pub frees: bool,
    /// The allocator that rows are compared with, as on the command line.
    pub reference: String,
    /// The row's time to that over the reference; null unless both succeeded.
    pub ratio: Option<f64>,
    /// Whether no row of an allocator that frees has a shorter time.
    pub fastest: bool,
}

impl Standing {
    /// That of a row over this allocator which stands alone.
    pub fn of(spec: &Spec) -> Self {
        Self {
            frees: spec.frees(),
            reference: String::new(),
            ratio: None,
            fastest: false,
        }
    }

    /// The ratio for people.
    pub(super) fn shown_ratio(&self) -> Option<String> {
        self.ratio.map(|ratio| format!("{ratio:.2}"))
    }

    /// A star for the fastest.
    pub(super) fn mark(&self) -> String {
        let mark = if self.fastest { "*" } else { "" };
        mark.to_owned()
    }
}

/// Sets where each row stands among those of its group, by their times and the allocator that
/// they are compared with.
pub fn rank<R: Row>(rows: &mut [R], reference: &str) {
    let found: Vec<(Option<f64>, bool)> = rows
        .iter()
        .map(|row| {
            let group = || rows.iter().filter(|other| other.group() == row.group());
            let base = group().find(|other| other.allocator() == reference);
            let base = base.and_then(time);
            let freeing = group().filter(|other| other.standing().frees);
            let least = freeing.filter_map(time).reduce(f64::min);
            let time = time(row);
            let ratio = base.and_then(|base| Some(time? / base));
            (
                ratio,
                row.standing().frees && time.is_some() && time == least,
            )
        })
        .collect();
    for (row, (ratio, fastest)) in rows.iter_mut().zip(found) {
        let standing = row.standing_mut();
        reference.clone_into(&mut standing.reference);
        (standing.ratio, standing.fastest) = (ratio, fastest);
    }
}

/// The time of a row, if its case succeeded.
fn time<R: Row>(row: &R) -> Option<f64> {
    row.outcome().result.as_ref().map(R::time)
}
