//! The graph of a job and batches of edges for it, read from files or made.

use std::path::{Path, PathBuf};

use heapwood_files::stem;
use heapwood_graphs::{
    CsrOptions, Direction, Format, GraphError, Ids, Loaded, Note, Numbering, Parallel, ReadOptions,
    ReadWeights, WeightKind, Weights, files_read, load,
};

use serde::{Deserialize, Serialize};

use crate::generate::{GraphSpec, Source};
use crate::graph::{Change, EdgeBatch};
use crate::job::Progress;
use crate::word;
use crate::workload::graph::Input;
use crate::{Error, OptionError};

/// The graph, and how its file is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Input")
)]
#[serde(rename_all = "kebab-case")]
pub struct InputOptions {
    /// Graph file or edge list, plain or compressed, or gen:KIND,OPTION=VALUE,...
    ///
    /// The formats are DIMACS-10/METIS .graph, DIMACS-9 and PACE .gr, .col, Matrix Market .mtx, edge
    /// lists, and pairs of .v and .e. The options after gen: are those of `heapwood generate graph`.
    #[cfg_attr(feature = "cli", arg(help_heading = clap::builder::Resettable::Reset, value_name = "GRAPH", value_parser = crate::generate::source::<GraphSpec>()))]
    #[serde(rename = "graph", with = "word")]
    pub file: Source<GraphSpec>,
    /// Format of the file: metis, gr, col, mtx or edges [default: detected]
    #[cfg_attr(
        feature = "cli",
        arg(long, hide_short_help = true, value_name = "FORMAT")
    )]
    #[serde(with = "word::option")]
    pub file_format: Option<Format>,
    /// Number vertices of edge lists and generators from 1, not from 0
    #[cfg_attr(feature = "cli", arg(long))]
    pub one_based: bool,
    /// Keep the 64-bit ids of edge lists, which may have gaps
    ///
    /// The vertices are the ids that occur, in ascending order.
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "one_based"))]
    pub compact_ids: bool,
    /// Take the two ends of an edge, or rows and columns, as two sets of vertices
    ///
    /// Those on the right are numbered after those on the left.
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, conflicts_with_all = ["compact_ids", "directed"]))]
    pub bipartite: bool,
    /// Treat edges as directed; an undirected one becomes two
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "undirected"))]
    pub directed: bool,
    /// Treat edges as undirected
    #[cfg_attr(feature = "cli", arg(long))]
    pub undirected: bool,
    /// Keep self-loops, and accept them in batches
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub self_loops: bool,
    /// Read the weights of edges: none, integer or real [default: those of the file]
    ///
    /// Integers have 32 bits, and real numbers are single floats.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            hide_short_help = true,
            value_name = "KIND",
            default_value_t,
            hide_default_value = true
        )
    )]
    #[serde(default, with = "word")]
    pub weights: ReadWeights,
    /// Of edges between the same ends keep the last weight or the least [default: last]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            hide_short_help = true,
            value_name = "last|least",
            default_value_t,
            hide_default_value = true
        )
    )]
    #[serde(default, with = "word")]
    pub parallel: Parallel,
}

impl InputOptions {
    /// A graph that is read by the rules of its format.
    pub fn new(file: Source<GraphSpec>) -> Self {
        Self {
            file,
            file_format: None,
            one_based: false,
            compact_ids: false,
            bipartite: false,
            directed: false,
            undirected: false,
            self_loops: false,
            weights: ReadWeights::default(),
            parallel: Parallel::default(),
        }
    }

    /// The files that are read, with those that belong to them.
    pub fn files(&self) -> Vec<PathBuf> {
        let file = self.file.file().into_iter();
        let options = self.options();
        file.flat_map(|path| files_read(path, &options)).collect()
    }

    /// Makes sure that the graph can be read; returns its name and, if it is wanted, its hash, which
    /// takes making its rows.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub fn look(
        &self,
        hash: bool,
        progress: &mut dyn Progress,
    ) -> Result<(String, Option<u64>), Error> {
        let hash = match hash {
            true => Some(self.read(false, progress)?.rows.graph_hash()),
            false => {
                self.load(progress)?;
                None
            }
        };
        Ok((self.name(), hash))
    }

    /// The graph's name: of a file, without folders and suffix.
    pub(in crate::job) fn name(&self) -> String {
        match &self.file {
            Source::File(path) => stem(path),
            Source::Generated { text, .. } => text.clone(),
        }
    }

    /// Reads the graph, with its edges kept if runs are to be verified.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub fn read(&self, verify: bool, progress: &mut dyn Progress) -> Result<Input, Error> {
        let loaded = self.load(progress)?;
        let direction = match (self.directed, self.undirected) {
            (true, _) => Direction::Directed,
            (_, true) => Direction::Undirected,
            _ => Direction::AsRead,
        };
        let options = CsrOptions {
            keep_self_loops: self.self_loops,
            direction,
            parallel: self.parallel,
        };
        let make = match verify {
            true => Input::verified,
            false => Input::new,
        };
        Ok(Input {
            ids: loaded.ids,
            ..make(&self.name(), loaded.edges, options)
        })
    }

    /// How the file of the graph is read.
    pub fn options(&self) -> ReadOptions<'static> {
        let numbering = match self.compact_ids {
            true => Numbering::Compact,
            false => Numbering::Consecutive,
        };
        ReadOptions {
            format: self.file_format,
            one_based: self.one_based,
            bipartite: self.bipartite,
            numbering,
            weights: self.weights,
            ..ReadOptions::default()
        }
    }

    /// Loads the graph.
    fn load(&self, progress: &mut dyn Progress) -> Result<Loaded, Error> {
        let loaded = read_source(&self.file, self.options(), progress)?;
        tell(&self.file, &loaded.notes, progress);
        Ok(loaded)
    }

    /// Reads the edges of a batch for a graph, which has `vertices` when it is applied. Edges to
    /// insert have weights as the graph has them: 1 if the file has none.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(super) fn read_batch(
        &self,
        (source, change): (&Source<GraphSpec>, Change),
        graph: &Input,
        vertices: u32,
        progress: &mut dyn Progress,
    ) -> Result<EdgeBatch, Error> {
        let weights = match change {
            Change::Insert => graph.rows.weight_kind().into(),
            Change::Delete => ReadWeights::None,
        };
        let ids = &graph.ids;
        let numbering = match ids.are_listed() {
            true => Numbering::Known { ids, vertices },
            false => Numbering::Consecutive,
        };
        let options = ReadOptions {
            one_based: self.one_based,
            numbering,
            weights,
            ..ReadOptions::default()
        };
        let mut loaded = match read_source(source, options, progress) {
            Err(error) if is_unweighted(&error) => {
                let options = ReadOptions {
                    weights: ReadWeights::None,
                    ..options
                };
                let mut loaded = read_source(source, options, progress)?;
                let count = loaded.edges.edges.len();
                loaded.edges.weights = graph.rows.weight_kind().map(|kind| Weights {
                    kind,
                    words: vec![kind.one(); count],
                });
                progress.note(format!("{source} {ONES}"));
                loaded
            }
            read => read?,
        };
        // A batch need not have an edge of each vertex.
        let is_deletion = change == Change::Delete;
        loaded.notes.retain(|note| match note {
            Note::NoZero => false,
            // Edges are deleted whatever their weights.
            Note::Weights => !is_deletion,
            _ => true,
        });
        tell(source, &loaded.notes, progress);
        if loaded.ids != *ids {
            progress.note(format!(
                "{source} numbers vertices from {}, {} from {}",
                loaded.ids.first(),
                self.file,
                ids.first()
            ));
        }
        Ok(graph.batch(loaded.edges))
    }
}

/// The note about edges that join a weighted graph without weights.
pub(super) const ONES: &str = "has no weights: its edges get the weight 1";

/// Whether a file was not read since it has no weights.
pub(super) fn is_unweighted(error: &Error) -> bool {
    matches!(error, Error::Graph(GraphError::NoWeights { .. }))
}

/// Loads a file, or makes what stands for one.
fn read_source(
    source: &Source<GraphSpec>,
    options: ReadOptions,
    progress: &mut dyn Progress,
) -> Result<Loaded, Error> {
    match (source, options.numbering) {
        (Source::File(path), _) => read(path, options, progress),
        (Source::Generated { text, .. }, _) if options.bipartite => {
            Err(OptionError::Bipartite(text.clone()).into())
        }
        (Source::Generated { text, spec }, Numbering::Consecutive) => {
            let ids = Ids::from(u32::from(options.one_based));
            let mut made = make(text, spec, ids, progress)?;
            select_weights(text, &mut made, options.weights)?;
            Ok(made)
        }
        (Source::Generated { text, .. }, _) => Err(OptionError::CompactIds(text.clone()).into()),
    }
}

/// Reports what is odd about a file.
fn tell(source: &Source<GraphSpec>, notes: &[Note], progress: &mut dyn Progress) {
    for note in notes {
        progress.graph(&source.to_string(), note);
    }
}

/// Makes what the edge list would hold that `heapwood generate graph` writes.
fn make(
    text: &str,
    spec: &GraphSpec,
    ids: Ids,
    progress: &mut dyn Progress,
) -> Result<Loaded, Error> {
    progress.begin(format!("making {text}"));
    let made = spec.make();
    progress.end();
    Ok(Loaded {
        edges: made?.0.to_edges(),
        format: Format::EdgeList,
        ids,
        notes: Vec::new(),
    })
}

/// Leaves the weights that are asked for, as readers do. Generators make integers.
fn select_weights(text: &str, made: &mut Loaded, asked: ReadWeights) -> Result<(), Error> {
    let weights = &mut made.edges.weights;
    match asked {
        ReadWeights::None if weights.is_some() => {
            *weights = None;
            made.notes.push(Note::Weights);
        }
        ReadWeights::Integer | ReadWeights::Real if weights.is_none() => {
            let path = text.to_owned();
            return Err(GraphError::NoWeights { path }.into());
        }
        ReadWeights::Real => {
            let words = weights.iter_mut().flat_map(|weights| {
                weights.kind = WeightKind::Real;
                &mut weights.words
            });
            words.for_each(|word| *word = (*word as f32).to_bits());
        }
        _ => {}
    }
    Ok(())
}

/// Loads a file.
fn read(path: &Path, options: ReadOptions, progress: &mut dyn Progress) -> Result<Loaded, Error> {
    progress.begin(format!("reading {}", path.display()));
    let loaded = load(path, options);
    progress.end();
    Ok(loaded?)
}
