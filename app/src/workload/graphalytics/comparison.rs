//! The rules by which the specification of LDBC Graphalytics compares output: exact, equivalence and
//! epsilon matching.

use ahash::AHashMap;
use heapwood_graphs::{Ids, ReferenceValues};
use heapwood_results::graph::Comparison;

use crate::graph::algorithms::{Values, VertexValue};

/// The relative error of real numbers that match.
const EPSILON: f64 = 1e-4;

/// Compares values with those of the reference, of the vertices with these ids.
///
/// # Panics
///
/// If both are not of as many vertices.
pub fn compare(values: &Values, ids: &Ids, reference: &ReferenceValues) -> Comparison {
    let found = (0..values.len()).map(|vertex| values.of(vertex, ids));
    match reference {
        ReferenceValues::Exact(expected) => {
            let expected = expected.iter().copied().map(VertexValue::Whole);
            first_difference(ids, found, expected, |found, expected| found == expected)
        }
        ReferenceValues::Equivalence(expected) => {
            let expected = expected.iter().copied().map(VertexValue::Whole);
            let (found, expected) = (partition(found, ids), partition(expected, ids));
            first_difference(ids, found, expected, |found, expected| found == expected)
        }
        ReferenceValues::Epsilon(expected) => {
            let expected = expected.iter().copied().map(VertexValue::Real);
            first_difference(ids, found, expected, |found, expected| {
                is_near(real(found), real(expected))
            })
        }
    }
}

/// The first vertex whose values do not match.
fn first_difference(
    ids: &Ids,
    found: impl ExactSizeIterator<Item = VertexValue>,
    expected: impl ExactSizeIterator<Item = VertexValue>,
    is_match: impl Fn(VertexValue, VertexValue) -> bool,
) -> Comparison {
    assert_eq!(found.len(), expected.len(), "values of as many vertices");
    let mut values = (0..).zip(found.zip(expected));
    match values.find(|&(_, (found, expected))| !is_match(found, expected)) {
        None => Comparison::Matches,
        Some((vertex, (found, expected))) => Comparison::Differs {
            vertex: ids.of(vertex),
            found: found.to_string(),
            expected: expected.to_string(),
        },
    }
}

/// The labels renamed: the least id of the vertices that have the same label. Partitions are equal if
/// these are.
fn partition(
    labels: impl ExactSizeIterator<Item = VertexValue>,
    ids: &Ids,
) -> impl ExactSizeIterator<Item = VertexValue> {
    let mut least = AHashMap::new();
    let mut vertex = 0;
    labels.map(move |label| {
        let VertexValue::Whole(label) = label else {
            unreachable!("labels are ids")
        };
        let first = *least.entry(label).or_insert(vertex);
        vertex += 1;
        VertexValue::Whole(ids.of(first))
    })
}

fn real(value: VertexValue) -> f64 {
    match value {
        VertexValue::Whole(number) => number as f64,
        VertexValue::Real(number) => number,
    }
}

/// Whether a number is that of the reference up to the relative error.
fn is_near(found: f64, expected: f64) -> bool {
    // The error of an infinite reference would be infinite, too.
    found == expected
        || expected.is_finite() && (found - expected).abs() <= EPSILON * expected.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(vertex: u64, found: &str, expected: &str) -> Comparison {
        Comparison::Differs {
            vertex,
            found: found.to_owned(),
            expected: expected.to_owned(),
        }
    }

    #[test]
    fn distances_are_compared_exactly() {
        let ids = Ids::listed(vec![2, 5, 70]);
        let values = Values::Distances(&[0, 1, u32::MAX]);
        let far = i64::MAX as u64;
        let compare = |expected| compare(&values, &ids, &ReferenceValues::Exact(expected));
        assert_eq!(compare(vec![0, 1, far]), Comparison::Matches);
        assert_eq!(compare(vec![0, 2, 3]), differs(5, "1", "2"));
        let last = differs(70, "9223372036854775807", "2");
        assert_eq!(compare(vec![0, 1, 2]), last);
    }

    #[test]
    fn labels_that_are_ids_are_compared_as_such() {
        let ids = Ids::from(1);
        let reference = ReferenceValues::Exact(vec![1, 1, 3]);
        let compare = |labels| compare(&Values::Vertices(labels), &ids, &reference);
        assert_eq!(compare(&[0, 0, 2]), Comparison::Matches);
        assert_eq!(compare(&[0, 0, 1]), differs(3, "2", "3"));
    }

    #[test]
    fn components_match_whatever_their_labels_are() {
        let ids = Ids::from(10);
        let values = Values::Vertices(&[0, 0, 2, 0, 2]);
        let compare = |expected| compare(&values, &ids, &ReferenceValues::Equivalence(expected));
        assert_eq!(compare(vec![7, 7, 9, 7, 9]), Comparison::Matches);
        assert_eq!(compare(vec![12, 12, 10, 12, 10]), Comparison::Matches);
        // A component of the reference that is divided.
        assert_eq!(compare(vec![7, 7, 7, 7, 7]), differs(12, "12", "10"));
        // Two components of the reference that are joined.
        assert_eq!(compare(vec![7, 7, 9, 8, 9]), differs(13, "10", "13"));
    }

    #[test]
    fn real_numbers_have_a_relative_error() {
        let ids = Ids::from(0);
        let compare = |found: &[f64], expected: &[f64]| {
            let reference = ReferenceValues::Epsilon(expected.to_vec());
            compare(&Values::Reals(found), &ids, &reference)
        };
        let far = f64::INFINITY;
        assert_eq!(compare(&[0.0, far], &[0.0, far]), Comparison::Matches);
        assert_eq!(compare(&[1.00009, 0.99991], &[1.0; 2]), Comparison::Matches);
        assert_eq!(compare(&[1e-9], &[1.00009e-9]), Comparison::Matches);
        let off = differs(0, "1.00011000000000e+00", "1.00000000000000e+00");
        assert_eq!(compare(&[1.00011], &[1.0]), off);
        let zero = "0.00000000000000e+00";
        assert_eq!(
            compare(&[1e-9], &[0.0]),
            differs(0, "1.00000000000000e-09", zero)
        );
        assert_eq!(
            compare(&[1e300], &[far]),
            differs(0, "1.00000000000000e+300", "Infinity")
        );
        assert_eq!(compare(&[far], &[0.0]), differs(0, "Infinity", zero));
        let sums = Values::RealSums(&[0.5, f32::INFINITY]);
        let reference = ReferenceValues::Epsilon(vec![0.5, far]);
        assert_eq!(super::compare(&sums, &ids, &reference), Comparison::Matches);
    }
}
