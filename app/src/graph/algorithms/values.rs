//! Results per vertex, in the output format of LDBC Graphalytics: one line per vertex, with its id
//! and its value. Problems of shortest paths have a line for each problem.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use heapwood_graphs::Ids;

/// The distance of a vertex that was not reached, in Graphalytics.
const UNREACHED: u64 = i64::MAX as u64;

/// A value for each vertex, by its number from 0. Those of deleted vertices have no meaning.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// PageRank values, of sum 1.
    Ranks(&'a [f32]),
    /// Real numbers.
    Reals(&'a [f64]),
    /// How many of something there are.
    Counts(Cow<'a, [u32]>),
    /// Edges on the way there; `u32::MAX` if there is none.
    Distances(&'a [u32]),
    /// Sums of integers along paths; `u64::MAX` if there is none.
    Sums(&'a [u64]),
    /// Sums of real numbers along paths; infinite if there is none.
    RealSums(&'a [f32]),
    /// Other vertices.
    Vertices(&'a [u32]),
    /// Distances, and the parent of each vertex in a tree of shortest paths; `u32::MAX` if it has none.
    Tree(Box<Self>, &'a [u32]),
    /// Answers to problems, which are of no vertex.
    Answers(Vec<Answer>),
}

/// The answer to a problem of shortest paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// To a single-source problem.
    Sum {
        /// The source.
        source: u32,
        /// Vertices that were reached, the source among them.
        reached: u64,
        /// The greatest distance; none if no vertex was reached.
        greatest: Option<f64>,
        /// The sum of all distances of vertices that were reached; of integers modulo 2^62.
        sum: VertexValue,
    },
    /// To a point-to-point problem.
    Distance {
        /// The source.
        source: u32,
        /// The target.
        target: u32,
        /// The distance, [unreached](VertexValue::is_unreached) without a path.
        distance: VertexValue,
    },
}

/// The value of a vertex, which displays as files of values have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VertexValue {
    /// A number of something, or an id.
    Whole(u64),
    /// A real number, which may be infinite.
    Real(f64),
}

impl VertexValue {
    /// Whether it stands for a distance without a path.
    pub fn is_unreached(self) -> bool {
        matches!(self, Self::Whole(UNREACHED) | Self::Real(f64::INFINITY))
    }
}

impl Answer {
    /// Writes a line: the source and the target, or the source and the number of vertices that were
    /// reached; then the distance or the sum.
    fn write(&self, ids: &Ids, out: &mut dyn Write) -> io::Result<()> {
        match *self {
            Self::Sum {
                source,
                reached,
                sum,
                ..
            } => writeln!(out, "{} {reached} {sum}", ids.of(source)),
            Self::Distance {
                source,
                target,
                distance,
            } => writeln!(out, "{} {} {distance}", ids.of(source), ids.of(target)),
        }
    }
}

impl fmt::Display for VertexValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole(number) => write!(out, "{number}"),
            Self::Real(f64::INFINITY) => write!(out, "Infinity"),
            Self::Real(number) => write!(out, "{}", scientific(number)),
        }
    }
}

impl Values<'_> {
    /// Writes a line for each vertex that was not deleted, by ascending ids: the id, a blank,
    /// the value, and the parent in a tree or -1. Answers have a line each, in their order.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, ids: &Ids, deleted: &BTreeSet<u32>, out: &mut dyn Write) -> io::Result<()> {
        if let Self::Answers(answers) = self {
            return answers.iter().try_for_each(|answer| answer.write(ids, out));
        }
        for vertex in (0..self.len()).filter(|vertex| !deleted.contains(vertex)) {
            write!(out, "{} {}", ids.of(vertex), self.of(vertex, ids))?;
            match self {
                Self::Tree(_, parents) => match parents[vertex as usize] {
                    u32::MAX => writeln!(out, " -1")?,
                    parent => writeln!(out, " {}", ids.of(parent))?,
                },
                _ => writeln!(out)?,
            }
        }
        Ok(())
    }

    /// The value of a vertex; other vertices are called by `ids`.
    ///
    /// # Panics
    ///
    /// If there is no such vertex. Answers have none.
    pub fn of(&self, vertex: u32, ids: &Ids) -> VertexValue {
        let index = vertex as usize;
        match self {
            Self::Ranks(ranks) => VertexValue::Real(ranks[index].into()),
            Self::Reals(reals) => VertexValue::Real(reals[index]),
            Self::Counts(counts) => VertexValue::Whole(counts[index].into()),
            Self::Vertices(vertices) => VertexValue::Whole(ids.of(vertices[index])),
            Self::Sums(sums) => VertexValue::Whole(sums[index].min(UNREACHED)),
            Self::RealSums(sums) => VertexValue::Real(sums[index].into()),
            Self::Distances(distances) => VertexValue::Whole(match distances[index] {
                u32::MAX => UNREACHED,
                distance => distance.into(),
            }),
            Self::Tree(distances, _) => distances.of(vertex, ids),
            Self::Answers(_) => panic!("an answer is of no vertex"),
        }
    }

    /// How many vertices have a value.
    pub(crate) fn len(&self) -> u32 {
        let len = match self {
            Self::Ranks(values) => values.len(),
            Self::Reals(values) => values.len(),
            Self::Counts(values) => values.len(),
            Self::Sums(values) => values.len(),
            Self::RealSums(values) => values.len(),
            Self::Distances(values) | Self::Vertices(values) => values.len(),
            Self::Tree(_, parents) => parents.len(),
            Self::Answers(_) => 0,
        };
        len as u32
    }
}

/// A number with 15 significant digits, as C's `%.14e` has it.
fn scientific(value: f64) -> String {
    let text = format!("{value:.14e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &Values, ids: &Ids, deleted: &[u32]) -> String {
        let mut out = Vec::new();
        let deleted = deleted.iter().copied().collect();
        values.write(ids, &deleted, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_have_15_digits() {
        for (value, expected) in [
            (0.0, "0.00000000000000e+00"),
            (1.0, "1.00000000000000e+00"),
            (0.147_762_916_666_666_7, "1.47762916666667e-01"),
            (1e-300, "1.00000000000000e-300"),
            (12345.0, "1.23450000000000e+04"),
        ] {
            assert_eq!(scientific(value), expected);
            assert_eq!(expected.parse::<f64>().unwrap() as f32, value as f32);
        }
    }

    #[test]
    fn vertices_that_are_there_have_a_line() {
        let ids = Ids::listed(vec![3, 7, 1 << 40]);
        let distances = [0, u32::MAX, 2, 5];
        // The fourth vertex came later.
        assert_eq!(
            text(&Values::Distances(&distances), &ids, &[2]),
            "3 0\n7 9223372036854775807\n1099511627777 5\n"
        );
        let labels = [0, 1, u32::MAX, 1];
        assert_eq!(
            text(&Values::Vertices(&labels), &ids, &[2]),
            "3 3\n7 7\n1099511627777 7\n"
        );
        let counts = Values::Counts(Cow::from(vec![1, 0]));
        assert_eq!(text(&counts, &Ids::from(1), &[]), "1 1\n2 0\n");
        let sums = Values::Sums(&[0, u64::MAX, 1 << 40]);
        assert_eq!(
            text(&sums, &Ids::from(0), &[]),
            "0 0\n1 9223372036854775807\n2 1099511627776\n"
        );
        let sums = Values::RealSums(&[0.5, f32::INFINITY]);
        let expected = "0 5.00000000000000e-01\n1 Infinity\n";
        assert_eq!(text(&sums, &Ids::from(0), &[]), expected);
        let sums = Box::new(Values::Sums(&[0, 4, u64::MAX]));
        let tree = Values::Tree(sums, &[0, 0, u32::MAX]);
        let expected = "1 0 1\n2 4 1\n3 9223372036854775807 -1\n";
        assert_eq!(text(&tree, &Ids::from(1), &[]), expected);
        let answers = Values::Answers(vec![
            Answer::Sum {
                source: 1,
                reached: 2,
                greatest: Some(3.0),
                sum: VertexValue::Whole(5),
            },
            Answer::Distance {
                source: 0,
                target: 1,
                distance: VertexValue::Real(f64::INFINITY),
            },
        ]);
        let expected = "2 2 5\n1 2 Infinity\n";
        assert_eq!(text(&answers, &Ids::from(1), &[]), expected);
        let ranks = Values::Ranks(&[0.5, 0.25]);
        assert_eq!(
            text(&ranks, &Ids::from(0), &[]),
            "0 5.00000000000000e-01\n1 2.50000000000000e-01\n"
        );
        assert_eq!(text(&Values::Ranks(&[]), &ids, &[]), "");
        let reals = text(&Values::Reals(&[0.0, 1.0 / 3.0]), &Ids::from(0), &[]);
        assert_eq!(reals, "0 0.00000000000000e+00\n1 3.33333333333333e-01\n");
    }
}
