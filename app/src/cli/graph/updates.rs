//! The batches of the command line: drawn or from files, in rounds.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::super::common::parse_count;
use super::input::{Input, InputArguments};
use crate::Error;
use crate::graph::{Change, Draw, Edge, Pattern, StoreError};

/// Edges of the largest batch.
const MOST: u64 = 1 << 30;

/// Which edges are inserted and deleted.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("updates").multiple(true))]
pub struct UpdateArguments {
    /// Insert so many random edges, or those of a graph file, whose format says how
    /// it numbers vertices
    #[arg(long, value_name = "COUNT|FILE", value_parser = parse_source, group = "updates")]
    insert: Option<Source>,
    /// Delete so many random edges of those stored, or those of a graph file, likewise
    #[arg(long, value_name = "COUNT|FILE", value_parser = parse_source, group = "updates")]
    delete: Option<Source>,
    /// Where random edges start [default: uniform]
    #[arg(long, value_enum, requires = "updates")]
    pattern: Option<Pattern>,
    /// Edges of a batch [default: all at once]
    #[arg(long, value_name = "N", value_parser = parse_batch, requires = "updates")]
    batch: Option<usize>,
    /// Times to insert and then delete, with other random edges each time [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "updates")]
    rounds: Option<u32>,
    /// Seed of the random edges
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Where edges come from, as written.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    Count(usize),
    File(PathBuf),
}

/// Where edges come from.
pub(super) enum Edges {
    /// So many are drawn.
    Drawn(usize),
    /// These, in every round.
    Given(Vec<Edge>),
}

/// All updates of a run.
pub(super) struct Plan {
    /// What is inserted and what is deleted, in this order, in every round.
    pub kinds: Vec<(Change, Edges)>,
    /// Rounds; none without updates.
    pub rounds: u32,
    /// Edges of a batch.
    pub batch: usize,
    /// How edges are drawn.
    pub pattern: Pattern,
    /// From which seed.
    pub seed: u64,
}

impl UpdateArguments {
    fn sources(&self) -> impl Iterator<Item = (Change, &Source)> {
        let insert = self.insert.iter().map(|source| (Change::Insert, source));
        let delete = self.delete.iter().map(|source| (Change::Delete, source));
        insert.chain(delete)
    }

    /// The files that edges come from.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.sources().filter_map(|(_, source)| match source {
            Source::File(path) => Some(path),
            Source::Count(_) => None,
        })
    }

    /// Finds what makes no sense before a file is read.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for batches that are too large, and for flags of random
    /// edges where there are none.
    pub(super) fn check(&self) -> Result<(), Error> {
        let counts = || {
            self.sources().filter_map(|(_, source)| match source {
                Source::Count(count) => Some(*count),
                Source::File(_) => None,
            })
        };
        if counts().next().is_none() && self.pattern.is_some() {
            let why = "--pattern is for random edges: --insert or --delete with a count";
            return Err(Error::Usage(why.to_owned()));
        }
        match counts().find(|&count| count.min(self.batch.unwrap_or(count)) as u64 > MOST) {
            Some(edges) => Err(StoreError::Batch { edges }.into()),
            None => Ok(()),
        }
    }

    /// The updates of a graph, with those of files read.
    ///
    /// # Errors
    ///
    /// Files that cannot be used, and random edges of a graph without vertices.
    pub(super) fn plan(&self, files: &InputArguments, graph: &Input) -> Result<Plan, Error> {
        let mut kinds = Vec::new();
        for (change, source) in self.sources() {
            let edges = match source {
                Source::Count(_) if graph.rows.vertices() == 0 => {
                    let why = "the graph has no vertices, between which edges could be drawn";
                    return Err(Error::Usage(why.to_owned()));
                }
                Source::Count(count) => Edges::Drawn(*count),
                Source::File(path) => Edges::Given(files.read_batch(path, graph)?),
            };
            kinds.push((change, edges));
        }
        Ok(Plan {
            rounds: if kinds.is_empty() {
                0
            } else {
                self.rounds.unwrap_or(1)
            },
            kinds,
            batch: self.batch.unwrap_or(usize::MAX),
            pattern: self.pattern.unwrap_or_default(),
            seed: self.seed,
        })
    }
}

impl Plan {
    /// What the batches of a round are drawn from.
    pub fn draw(&self, round: u32) -> Draw {
        Draw {
            seed: self.seed,
            round,
            pattern: self.pattern,
        }
    }
}

/// A count, or else a file.
fn parse_source(text: &str) -> Result<Source, String> {
    let is_count = text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && text.chars().all(|c| c.is_ascii_digit() || "-^".contains(c));
    if !is_count {
        return Ok(Source::File(text.into()));
    }
    match parse_count(text) {
        Ok(count @ 1..=0xffff_ffff) => Ok(Source::Count(count as usize)),
        _ => Err("write a number of edges from 1 to 2^32 - 1, or a graph file".to_owned()),
    }
}

fn parse_batch(text: &str) -> Result<usize, String> {
    match parse_count(text) {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count as usize),
        _ => Err("write a number of edges from 1 to 2^30".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_counts_or_files() {
        assert_eq!(parse_source("1000"), Ok(Source::Count(1000)));
        assert_eq!(parse_source("2^20"), Ok(Source::Count(1 << 20)));
        for file in ["more.el", "./1000", "2024.gr", "1e6"] {
            assert_eq!(parse_source(file), Ok(Source::File(file.into())));
        }
        for bad in ["0", "-1", "2^32", "2^", "99999999999999999999"] {
            assert!(parse_source(bad).is_err(), "{bad}");
        }
    }
}
