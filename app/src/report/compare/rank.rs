//! The ranks of the rows of a comparison: their ratios to a reference, and the fastest of them.

use std::collections::BTreeMap;

use super::Row;

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
