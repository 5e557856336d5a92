//! The batches of a job: drawn or from files, in rounds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use heapwood_graphs::load_vertices;

use serde::{Deserialize, Serialize};

use super::input::InputOptions;
use crate::generate::{GraphSpec, ParseSpecError, Source};

use crate::graph::{Change, Pattern, WeightRange};
use crate::job::Progress;
use crate::size::parse_count;
use crate::word::{self, Word, WordError, by_text};
use crate::workload::graph::{Drawn, Edges, Input, UpdateStream, Vertices};
use crate::{Error, OptionError};

/// Edges of the largest batch.
pub const MAX_BATCH_EDGES: u64 = 1 << 30;

/// Which edges are inserted and deleted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(next_help_heading = "Updates", group = clap::ArgGroup::new("updates").multiple(true)))]
#[serde(rename_all = "kebab-case")]
pub struct UpdateOptions {
    /// Insert random edges, or those of a graph file or gen:KIND,...
    ///
    /// Counts that are separated by commas follow each other. A file numbers vertices by the rule of
    /// its format.
    #[cfg_attr(feature = "cli", arg(long, value_name = "COUNTS|FILE", value_parser = parse_source, group = "updates"))]
    #[serde(with = "word::option")]
    pub insert: Option<EdgeSource>,
    /// Delete random stored edges, or those of a graph file
    ///
    /// Each count follows that of the insertions.
    #[cfg_attr(feature = "cli", arg(long, value_name = "COUNTS|FILE", value_parser = parse_source, group = "updates"))]
    #[serde(with = "word::option")]
    pub delete: Option<EdgeSource>,
    /// Insert N vertices without edges, first in each round
    ///
    /// Their numbers follow the last vertex.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_vertices, group = "updates"))]
    pub insert_vertices: Option<u32>,
    /// Delete random vertices or those of a file, last in each round
    ///
    /// The file has one id per line, or is a vector of Matrix Market.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N|FILE", value_parser = parse_victims, group = "updates"))]
    #[serde(with = "word::option")]
    pub delete_vertices: Option<VertexSelection>,
    /// Sources of random edges [default: uniform]
    ///
    /// A list applies all counts once per pattern.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            hide_short_help = true,
            value_enum,
            value_name = "uniform|pressure",
            value_delimiter = ',',
            requires = "updates"
        )
    )]
    pub pattern: Vec<Pattern>,
    /// Edges or events per batch [default: all edges at once]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_batch, requires = "updates"))]
    pub batch: Option<usize>,
    /// Rounds of insertions and deletions [default: 1]
    ///
    /// Each round has random edges of its own.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "updates"))]
    pub rounds: Option<u32>,
    /// Seed of the random edges
    #[cfg_attr(
        feature = "cli",
        arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)
    )]
    pub seed: u64,
}

/// The vertices to delete.
#[derive(Clone, Debug, PartialEq)]
pub enum VertexSelection {
    /// So many at random.
    Count(u32),
    /// Those of a file.
    File(PathBuf),
}

/// The edges to insert or to delete.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeSource {
    /// Random edges, so many for each change.
    Counts(Vec<usize>),
    /// Those of a graph.
    Graph(Source<GraphSpec>),
}

impl UpdateOptions {
    fn sources(&self) -> impl Iterator<Item = (Change, &EdgeSource)> {
        let insert = self.insert.iter().map(|source| (Change::Insert, source));
        let delete = self.delete.iter().map(|source| (Change::Delete, source));
        insert.chain(delete)
    }

    /// The counts of random edges.
    pub fn counts(&self) -> impl Iterator<Item = usize> {
        self.sources()
            .flat_map(|(_, source)| source.counts())
            .copied()
    }

    /// The files that edges come from.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let edges = self.sources().filter_map(|(_, source)| match source {
            EdgeSource::Graph(graph) => graph.file(),
            EdgeSource::Counts(_) => None,
        });
        let vertices = self
            .delete_vertices
            .iter()
            .filter_map(|victims| match victims {
                VertexSelection::File(path) => Some(path.as_path()),
                VertexSelection::Count(_) => None,
            });
        edges.chain(vertices)
    }

    /// The updates of a graph, with those of files read.
    ///
    /// # Errors
    ///
    /// Files that cannot be used, and random edges of a graph without vertices.
    pub(super) fn stream(
        &self,
        files: &InputOptions,
        graph: &Input,
        progress: &mut dyn Progress,
    ) -> Result<UpdateStream, Error> {
        let inserted = self.insert_vertices.unwrap_or(0);
        // In the first round, before its edges.
        let vertices = graph.rows.vertices().saturating_add(inserted);
        let rounds = u64::from(self.rounds.unwrap_or(1));
        let most = u64::from(graph.rows.vertices()) + u64::from(inserted) * rounds;
        if !graph.ids.have(u32::try_from(most).unwrap_or(u32::MAX)) {
            return Err(OptionError::NoIds.into());
        }
        if vertices == 0 && self.counts().next().is_some() {
            let why = "the graph has no vertices, between which edges could be drawn";
            return Err(Error::Usage(why.to_owned()));
        }
        let uniform = [Pattern::default()];
        let patterns = match self.pattern.as_slice() {
            [] => uniform.as_slice(),
            patterns => patterns,
        };
        let turns = self
            .sources()
            .map(|(_, source)| source.counts().len().max(1));
        let turns = turns.max().unwrap_or(0);
        let mut changes = Vec::new();
        let mut number = 0;
        for &pattern in patterns {
            for turn in 0..turns {
                for (change, source) in self.sources() {
                    let edges = match source {
                        EdgeSource::Graph(source) if number == 0 => {
                            let source = (source, change);
                            Edges::Given(files.read_batch(source, graph, vertices, progress)?)
                        }
                        EdgeSource::Counts(counts) if turn < counts.len() => Edges::Drawn(Drawn {
                            count: counts[turn],
                            pattern,
                            number,
                        }),
                        _ => continue,
                    };
                    changes.push((change, edges));
                }
                number += 1;
            }
        }
        let delete_vertices = match &self.delete_vertices {
            None => None,
            Some(VertexSelection::Count(count)) => Some(Vertices::Drawn(*count as usize)),
            Some(VertexSelection::File(path)) => {
                Some(Vertices::Given(load_vertices(path, &graph.ids, vertices)?))
            }
        };
        let rounds = match (changes.as_slice(), inserted, &delete_vertices) {
            ([], 0, None) => 0,
            _ => self.rounds.unwrap_or(1),
        };
        Ok(UpdateStream {
            changes,
            insert_vertices: inserted,
            delete_vertices,
            rounds,
            batch: self.batch.unwrap_or(usize::MAX),
            seed: self.seed,
            weights: WeightRange::of(&graph.rows),
        })
    }
}

impl EdgeSource {
    /// The counts, none if it is a graph.
    fn counts(&self) -> &[usize] {
        match self {
            Self::Counts(counts) => counts,
            Self::Graph(_) => &[],
        }
    }
}

impl Word for EdgeSource {
    fn word(&self) -> OsString {
        match self {
            Self::Counts(counts) => {
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                counts.join(",").into()
            }
            Self::Graph(source) => source.word(),
        }
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        by_text(word, parse_source)
    }
}

impl Word for VertexSelection {
    fn word(&self) -> OsString {
        match self {
            Self::Count(count) => count.to_string().into(),
            Self::File(path) => path.into(),
        }
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        by_text(word, parse_victims)
    }
}

/// A value of an option of updates that cannot be read. Each displays as one line that says how it
/// is written.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
enum ParseUpdatesError {
    #[error("write a number of vertices from 1 to 2^31 - 1")]
    Vertices,
    #[error("write a number of vertices from 1 to 2^31 - 1, or a file")]
    VerticesOrFile,
    #[error("write numbers of edges from 1 to 2^32 - 1, or a graph file")]
    Edges,
    #[cfg(feature = "cli")]
    #[error("write a number of edges from 1 to 2^30")]
    Batch,
    #[error(transparent)]
    Source(#[from] ParseSpecError),
}

fn parse_vertices(text: &str) -> Result<u32, ParseUpdatesError> {
    match parse_count(text) {
        Ok(count @ 1..=0x7fff_ffff) => Ok(count as u32),
        _ => Err(ParseUpdatesError::Vertices),
    }
}

/// A count, or else a file.
fn parse_victims(text: &str) -> Result<VertexSelection, ParseUpdatesError> {
    match looks_like_counts(text) {
        false => Ok(VertexSelection::File(text.into())),
        true => parse_vertices(text)
            .map(VertexSelection::Count)
            .map_err(|_| ParseUpdatesError::VerticesOrFile),
    }
}

/// Whether a word is meant as numbers, not as the name of a file.
fn looks_like_counts(text: &str) -> bool {
    let mut letters = text.chars();
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && letters.all(|c| c.is_ascii_digit() || "-^,".contains(c))
}

/// Counts, or else a graph.
fn parse_source(text: &str) -> Result<EdgeSource, ParseUpdatesError> {
    if !looks_like_counts(text) {
        return Ok(EdgeSource::Graph(Source::parse(text.into())?));
    }
    let count = |text| match parse_count(text) {
        Ok(count @ 1..=0xffff_ffff) => Ok(count as usize),
        _ => Err(ParseUpdatesError::Edges),
    };
    let counts = text.split(',').map(count).collect::<Result<_, _>>()?;
    Ok(EdgeSource::Counts(counts))
}

#[cfg(feature = "cli")]
fn parse_batch(text: &str) -> Result<usize, ParseUpdatesError> {
    match parse_count(text) {
        Ok(count) if (1..=MAX_BATCH_EDGES).contains(&count) => Ok(count as usize),
        _ => Err(ParseUpdatesError::Batch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn victims_are_a_count_or_a_file() {
        assert_eq!(parse_victims("2^10"), Ok(VertexSelection::Count(1024)));
        for file in ["closed", "./1000", "gen:road"] {
            assert_eq!(parse_victims(file), Ok(VertexSelection::File(file.into())));
        }
        for bad in ["0", "-1", "2^31", "1,2", "2^"] {
            assert!(parse_victims(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sources_are_counts_or_graphs() {
        let counts = |counts: &[usize]| Ok(EdgeSource::Counts(counts.to_vec()));
        assert_eq!(parse_source("1000"), counts(&[1000]));
        assert_eq!(parse_source("2^20"), counts(&[1 << 20]));
        assert_eq!(parse_source("10,2^5,7"), counts(&[10, 32, 7]));
        for file in ["more.el", "./1000", "2024.gr", "1e6", "1,2.el"] {
            let source = Source::File(file.into());
            assert_eq!(parse_source(file), Ok(EdgeSource::Graph(source)));
        }
        for bad in [
            "0",
            "-1",
            "2^32",
            "2^",
            "1,",
            "1,,2",
            "99999999999999999999",
            "gen:cactus",
        ] {
            assert!(parse_source(bad).is_err(), "{bad}");
        }
    }
}
