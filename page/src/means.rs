//! Means of an allocator over the cases of a section.

use heapwood_results::geometric_mean;

use crate::{Case, Unit};

/// A geometric mean, and the number of cases that it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Cases.
    pub cases: usize,
}

impl Mean {
    /// That of some numbers; nothing without one.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.collect();
        Some(Self {
            value: geometric_mean(values.iter().copied())?,
            cases: values.len(),
        })
    }
}

/// The time of an allocator as a multiple of the reference's, over all cases in which it has one.
pub fn time(cases: &[Case], allocator: &str) -> Option<Mean> {
    let timed = cases.iter().filter(|case| case.unit == Unit::Milliseconds);
    let multiples = timed.filter_map(|case| case.multiple(allocator));
    Mean::of(multiples.filter(|multiple| *multiple > 0.0))
}

/// The times of those allocators that have at least half as many cases as any: means of few cases say
/// little beside those of many.
pub fn comparable<'a>(cases: &[Case], allocators: &[&'a str]) -> Vec<(&'a str, Mean)> {
    let means = allocators.iter();
    let means = means.filter_map(|allocator| Some((*allocator, time(cases, allocator)?)));
    let means: Vec<(&str, Mean)> = means.collect();
    let most = means.iter().map(|(_, mean)| mean.cases).max().unwrap_or(0);
    let has_enough = |(_, mean): &(&str, Mean)| 2 * mean.cases >= most;
    means.into_iter().filter(has_enough).collect()
}

/// The bytes that an allocator takes, divided by the fewest that any allocator which `frees` takes in
/// the same case. If no case of a section tells, it is the addresses of blocks over the fewest
/// bytes, from the cases of fragmentation.
pub fn memory(
    section: &[Case],
    fragmentation: &[Case],
    allocator: &str,
    frees: &dyn Fn(&str) -> bool,
) -> Option<Mean> {
    let of_case = |case: &Case| {
        let bytes = |allocator: &str| {
            let bytes = case.cells.get(allocator)?.memory?;
            (bytes > 0.0).then_some(bytes)
        };
        let all = case.cells.keys().filter(|other| frees(other));
        let fewest = all.filter_map(|other| bytes(other)).reduce(f64::min)?;
        Some(bytes(allocator)? / fewest)
    };
    Mean::of(section.iter().filter_map(of_case)).or_else(|| {
        let ranges = fragmentation
            .iter()
            .filter(|case| case.unit == Unit::Number);
        let ranges = ranges.filter_map(|case| case.cells.get(allocator)?.median());
        Mean::of(ranges.filter(|ratio| *ratio > 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        let mean = Mean::of([1.0, 4.0].into_iter());
        assert_eq!(mean.map(|mean| mean.cases), Some(2));
        assert!((mean.unwrap().value - 2.0).abs() < 1e-12);
        assert_eq!(Mean::of(std::iter::empty()), None);
    }
}
