//! Where the rows of a comparison stand among each other: how they compare with a reference, and
//! which of them is the fastest.

use std::collections::BTreeMap;

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
    /// The row's time to that over the reference; null unless both succeeded with the hash of most
    /// rows.
    pub ratio: Option<f64>,
    /// Whether no row of an allocator that frees has a shorter time, among those with that hash.
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
/// they are compared with. A row whose hash is not that of most rows has done other work: it has no
/// ratio, and is not the fastest.
pub fn rank<R: Row>(rows: &mut [R], reference: &str) {
    let results = rows.iter().filter_map(|row| row.outcome().result.as_ref());
    let agreed = most_frequent(results.map(R::hash)).map(str::to_owned);
    let time = |row: &R| time(row, agreed.as_deref());
    let found: Vec<(Option<f64>, bool)> = rows
        .iter()
        .map(|row| {
            let group = || rows.iter().filter(|other| other.group() == row.group());
            let base = group().find(|other| other.allocator() == reference);
            let base = base.and_then(&time);
            let freeing = group().filter(|other| other.standing().frees);
            let least = freeing.filter_map(&time).reduce(f64::min);
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

/// The hash that comes more often than any other; none if there is no such hash.
fn most_frequent<'h>(hashes: impl Iterator<Item = &'h str>) -> Option<&'h str> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for hash in hashes {
        *counts.entry(hash).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let mut found = counts.into_iter().filter(|&(_, count)| count == most);
    let (hash, _) = found.next()?;
    found.next().is_none().then_some(hash)
}

/// The time of a row, if its case succeeded with the hash that was agreed on.
fn time<R: Row>(row: &R, agreed: Option<&str>) -> Option<f64> {
    let result = row.outcome().result.as_ref();
    let result = result.filter(|result| Some(R::hash(result)) == agreed);
    result.map(R::time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_agreed_on_if_no_other_comes_as_often() {
        let agreed = |hashes: &[&'static str]| most_frequent(hashes.iter().copied());
        assert_eq!(agreed(&[]), None);
        assert_eq!(agreed(&["a"]), Some("a"));
        assert_eq!(agreed(&["b", "a", "b"]), Some("b"));
        assert_eq!(agreed(&["b", "a"]), None);
        assert_eq!(agreed(&["b", "a", "c", "a", "b"]), None);
    }
}
