//! The algorithms of a dataset: their parameters, and the rules by which their output is compared.

use std::ops::RangeInclusive;

use super::properties::DatasetProperties;
use crate::GraphError;
use crate::read::properties::PropertyEntry;

/// An algorithm of LDBC Graphalytics with its parameters. Sources are ids.
#[derive(Clone, Debug, PartialEq)]
pub enum DatasetAlgorithm {
    /// Breadth-first search.
    Bfs {
        /// The vertex that it starts from.
        source: u64,
    },
    /// Communities by label propagation.
    Cdlp {
        /// Iterations.
        iterations: u32,
    },
    /// Local clustering coefficients.
    Lcc,
    /// PageRank by the power iteration.
    PageRank {
        /// The probability of following an edge.
        damping: f64,
        /// Iterations.
        iterations: u32,
    },
    /// Shortest paths by the weights of edges.
    Sssp {
        /// The vertex that they start from.
        source: u64,
        /// The property of edges that is their weight.
        weight: String,
    },
    /// Connected components, whatever the directions.
    Wcc,
}

/// The rule by which the specification compares output with that of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchRule {
    Exact,
    Equivalence,
    Epsilon,
}

impl DatasetAlgorithm {
    /// The name, as the properties have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bfs { .. } => "bfs",
            Self::Cdlp { .. } => "cdlp",
            Self::Lcc => "lcc",
            Self::PageRank { .. } => "pr",
            Self::Sssp { .. } => "sssp",
            Self::Wcc => "wcc",
        }
    }

    /// The parameters, by the names that the properties have for them.
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Bfs { source } => vec![("source-vertex", source.to_string())],
            Self::Sssp { source, weight } => vec![
                ("source-vertex", source.to_string()),
                ("weight-property", weight.clone()),
            ],
            Self::Cdlp { iterations } => vec![("max-iterations", iterations.to_string())],
            Self::PageRank {
                damping,
                iterations,
            } => vec![
                ("damping-factor", damping.to_string()),
                ("num-iterations", iterations.to_string()),
            ],
            Self::Lcc | Self::Wcc => Vec::new(),
        }
    }

    /// The rule by which the output is compared.
    pub(super) fn rule(&self) -> MatchRule {
        match self {
            Self::Bfs { .. } | Self::Cdlp { .. } => MatchRule::Exact,
            Self::Wcc => MatchRule::Equivalence,
            Self::Lcc | Self::PageRank { .. } | Self::Sssp { .. } => MatchRule::Epsilon,
        }
    }

    /// The algorithm of this name in the list of algorithms, with its parameters.
    pub(super) fn read(
        name: &str,
        list: &PropertyEntry,
        properties: &DatasetProperties,
    ) -> Result<Self, GraphError> {
        let source = |key| source(properties, key);
        let iterations = |key, range, rule| whole(properties, key, range, rule);
        Ok(match name.to_ascii_lowercase().as_str() {
            "bfs" => Self::Bfs {
                source: source("bfs.source-vertex")?,
            },
            "cdlp" => Self::Cdlp {
                iterations: iterations(
                    "cdlp.max-iterations",
                    1..=u32::MAX,
                    "is no number of iterations: write a whole number from 1",
                )?,
            },
            "lcc" => Self::Lcc,
            "pr" => Self::PageRank {
                damping: damping(properties)?,
                iterations: iterations(
                    "pr.num-iterations",
                    1..=100_000,
                    "is no number of iterations: write a whole number from 1 to 100000",
                )?,
            },
            "sssp" => Self::Sssp {
                source: source("sssp.source-vertex")?,
                weight: weight(properties)?,
            },
            "wcc" => Self::Wcc,
            _ => {
                let rule = "is no algorithm: choose from bfs, cdlp, lcc, pr, sssp and wcc";
                return Err(properties.fault(list, name, rule));
            }
        })
    }

    /// The vertex that it starts from, with the key of that.
    pub(super) fn source(&self) -> Option<(u64, &'static str)> {
        match *self {
            Self::Bfs { source } => Some((source, "bfs.source-vertex")),
            Self::Sssp { source, .. } => Some((source, "sssp.source-vertex")),
            _ => None,
        }
    }
}

fn source(properties: &DatasetProperties, key: &str) -> Result<u64, GraphError> {
    let entry = properties.require(key)?;
    let is_whole = entry.value.bytes().all(|byte| byte.is_ascii_digit());
    let id = entry.value.parse().ok().filter(|_| is_whole);
    let rule = "is no vertex id: write a whole number";
    id.ok_or_else(|| properties.fault(entry, &entry.value, rule))
}

/// The property that is the weight of shortest paths: a number, and the first property of edges, which
/// is the one that is read.
fn weight(properties: &DatasetProperties) -> Result<String, GraphError> {
    let property = properties.require("sssp.weight-property")?;
    let names = properties.require("edge-properties.names")?;
    let types = properties.require("edge-properties.types")?;
    match names.list().position(|name| name == property.value) {
        Some(0) => {}
        Some(_) => {
            let rule = "is not the first property of edges, which alone is read";
            return Err(properties.fault(property, &property.value, rule));
        }
        None => {
            let rule = "is no property of edges: list it in edge-properties.names";
            return Err(properties.fault(property, &property.value, rule));
        }
    }
    let of_weight = types.list().next().unwrap_or_default();
    match of_weight.to_ascii_lowercase().as_str() {
        "real" | "integer" => Ok(property.value.clone()),
        _ => Err(properties.fault(
            types,
            of_weight,
            "is no type of weights: write real or integer",
        )),
    }
}

fn whole(
    properties: &DatasetProperties,
    key: &str,
    range: RangeInclusive<u32>,
    rule: &'static str,
) -> Result<u32, GraphError> {
    let entry = properties.require(key)?;
    let number = entry.value.parse().ok();
    let number = number.filter(|number| range.contains(number));
    number.ok_or_else(|| properties.fault(entry, &entry.value, rule))
}

fn damping(properties: &DatasetProperties) -> Result<f64, GraphError> {
    let entry = properties.require("pr.damping-factor")?;
    let number = entry.value.parse().ok();
    let damping = number.filter(|damping| (0.0..1.0).contains(damping));
    let rule = "is no damping: write a number from 0 up to 1, but not 1 itself";
    damping.ok_or_else(|| properties.fault(entry, &entry.value, rule))
}
