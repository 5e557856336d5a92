//! Reports of problems of shortest paths.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Line, Samples, milliseconds};

/// Problems that are listed for people.
const LISTED: usize = 10;

/// Problems of shortest paths in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProblemsReport {
    /// `single-source` or `point-to-point`.
    pub kind: String,
    /// The number of problems.
    pub count: u64,
    /// The times of the problems in the first run, in milliseconds.
    pub problem_ms: ProblemTimes,
    /// The problems in the order of their file, with the times of the first run.
    pub problems: Vec<ProblemReport>,
    /// All problems and the preparation of the graph, in milliseconds, one sample a run.
    pub ms: Samples,
}

/// A solved problem in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProblemReport {
    /// The number of the source in the file.
    pub source: u64,
    /// The number of the target; null in a single-source problem.
    pub target: Option<u64>,
    /// The distance of the target; null if there is no path, and in a single-source problem.
    pub distance: Option<WeightSum>,
    /// Vertices that were reached, the source among them; null in a point-to-point problem.
    pub reached: Option<u64>,
    /// The greatest distance; null if no vertex was reached, and in a point-to-point problem.
    pub greatest: Option<f64>,
    /// The sum of all distances of vertices that were reached, of integers modulo 2^62; null in a
    /// point-to-point problem.
    pub sum: Option<WeightSum>,
    /// Steps that have relaxed edges.
    pub steps: u64,
    /// The search, in milliseconds.
    pub ms: f64,
}

/// A sum of weights: a number without a fraction where weights are integers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WeightSum {
    /// Of integers.
    Integer(u64),
    /// Of real numbers.
    Real(f64),
}

impl fmt::Display for WeightSum {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Integer(sum) => sum.fmt(out),
            Self::Real(sum) => sum.fmt(out),
        }
    }
}

/// The spread of the times of problems, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemTimes {
    /// The median: the middle one, or the mean of the middle two.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The shortest time.
    pub min: f64,
    /// The longest time.
    pub max: f64,
}

impl ProblemTimes {
    /// That of some times; nothing without a time.
    pub fn new(times: Vec<f64>) -> Option<Self> {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let times = Samples::new(times)?;
        let (min, max) = times.range();
        Some(Self {
            median: times.median,
            mean,
            min,
            max,
        })
    }
}

impl fmt::Display for ProblemTimes {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let [median, mean] = [self.median, self.mean].map(milliseconds);
        let [min, max] = [self.min, self.max].map(milliseconds);
        write!(out, "median {median} ms, mean {mean}, min {min}, max {max}")
    }
}

impl ProblemsReport {
    /// The report for people, on a graph of so many vertices: a line, and one for each of the first
    /// problems.
    pub(super) fn lines(&self, vertices: u32) -> Vec<Line> {
        let Self {
            kind,
            count,
            problem_ms,
            problems,
            ms,
        } = self;
        let mut lines = vec![(
            "problems",
            format!("{count} {kind}: {problem_ms}; {ms} in all"),
        )];
        let listed = problems.iter().take(LISTED);
        lines.extend(listed.map(|problem| ("", problem.text(vertices))));
        if let Some(more @ 1..) = problems.len().checked_sub(LISTED) {
            lines.push(("", format!("and {more} more")));
        }
        lines
    }
}

impl ProblemReport {
    /// The problem for people, on a graph of so many vertices.
    fn text(&self, vertices: u32) -> String {
        let (source, ms) = (self.source, milliseconds(self.ms));
        let answer = match (self.target, self.distance) {
            (Some(target), Some(distance)) => format!("{source} to {target}: length {distance}"),
            (Some(target), None) => format!("{source} to {target}: no path"),
            (None, _) => {
                let reached = self.reached.unwrap_or(0);
                let greatest = match self.greatest {
                    Some(greatest) => format!("distance up to {greatest}"),
                    None => "it was deleted".to_owned(),
                };
                format!("{source}: {reached} of {vertices} vertices reached, {greatest}")
            }
        };
        format!("{answer}; {ms} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(source: u64) -> ProblemReport {
        ProblemReport {
            source,
            target: Some(7),
            distance: None,
            reached: None,
            greatest: None,
            sum: None,
            steps: 3,
            ms: 0.25,
        }
    }

    fn report(problems: Vec<ProblemReport>) -> ProblemsReport {
        let times: Vec<f64> = problems.iter().map(|problem| problem.ms).collect();
        ProblemsReport {
            kind: "point-to-point".to_owned(),
            count: problems.len() as u64,
            problem_ms: ProblemTimes::new(times).unwrap(),
            problems,
            ms: Samples::new(vec![1.0]).unwrap(),
        }
    }

    #[test]
    fn times_are_summarised() {
        let times = ProblemTimes::new(vec![4.0, 1.0, 1.0]).unwrap();
        let text = "median 1.000 ms, mean 2.000, min 1.000, max 4.000";
        assert_eq!(times.to_string(), text);
        assert_eq!(ProblemTimes::new(Vec::new()), None);
    }

    #[test]
    fn the_first_problems_are_listed() {
        let lines = report((1..=12).map(problem).collect()).lines(9);
        assert_eq!(lines.len(), 12);
        assert_eq!(lines[1].1, "1 to 7: no path; 0.2500 ms");
        assert_eq!(lines[11].1, "and 2 more");
        let all = report((1..=10).map(problem).collect()).lines(9);
        assert_eq!(all.len(), 11);
    }

    #[test]
    fn sums_of_integers_keep_all_digits() {
        let sum = WeightSum::Integer((1 << 62) - 1);
        let text = serde_json::to_string(&sum).unwrap();
        assert_eq!(text, "4611686018427387903");
        assert_eq!(serde_json::from_str::<WeightSum>(&text).unwrap(), sum);
        let real = serde_json::from_str::<WeightSum>("2.0").unwrap();
        assert_eq!(real, WeightSum::Real(2.0));
    }
}
