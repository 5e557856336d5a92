//! Graphs as LDBC Graphalytics has them: `NAME.v` with an id a line, `NAME.e` with the edges,
//! and `NAME.properties`, which tells whether they are directed. Ids are numbers of 64 bits,
//! with gaps. The vertices are those listed, whether they have edges or not.

use std::path::{Path, PathBuf};

use heapwood_files::unpacked;
use rayon::prelude::*;

use super::entries::{Entries, parse_lines};
use super::properties::properties;
use super::text::{Fault, Line, lines};
use super::{Loaded, Note, Numbering, Parsed, ReadOptions};
use super::{check_text, edge_list, located, plain, weights};
use crate::format::suffix;
use crate::{Format, GraphError, Ids, LineProblem, MAX_VERTICES};

/// The files of a graph, which are there.
pub(super) struct Pair {
    vertices: PathBuf,
    edges: PathBuf,
    /// Where the properties are, if there are any.
    properties: PathBuf,
}

impl Pair {
    /// The pair that a file is of; none if it is of none, or is to be read as something else.
    ///
    /// # Errors
    /// [`GraphError::NoEdges`] for vertices that stand alone.
    pub fn of(path: &Path, options: &ReadOptions) -> Result<Option<Self>, GraphError> {
        let is_graph = matches!(options.format, None | Some(Format::EdgeList))
            && !matches!(options.numbering, Numbering::Known { .. });
        let suffix = suffix(path).filter(|_| is_graph);
        let is_vertices = match suffix.as_deref() {
            Some("v") => true,
            Some("e") => false,
            _ => return Ok(None),
        };
        let pair = Self {
            vertices: beside(path, "v"),
            edges: beside(path, "e"),
            properties: beside(path, "properties"),
        };
        match (pair.vertices.is_file(), pair.edges.is_file()) {
            (true, true) => Ok(Some(pair)),
            (true, false) if is_vertices => Err(GraphError::NoEdges {
                path: path.display().to_string(),
                edges: pair.edges.display().to_string(),
            }),
            _ => Ok(None),
        }
    }

    /// The files that are there.
    pub fn files(self) -> Vec<PathBuf> {
        let mut files = vec![self.vertices, self.edges];
        files.extend(Some(self.properties).filter(|path| path.is_file()));
        files
    }

    /// Reads the graph.
    ///
    /// # Errors
    /// A [`GraphError`] that names the file and, for a fault in its text, the line.
    pub fn load(&self, options: ReadOptions) -> Result<Loaded, GraphError> {
        if options.bipartite {
            let format = Format::EdgeList;
            let path = self.edges.display().to_string();
            return Err(GraphError::NoSides { path, format });
        }
        let mut loaded = load_files(&self.vertices, &self.edges, options)?;
        let directed = match self.properties.is_file() {
            true => with_text(&self.properties, &options, |text| Ok(directed(text)))?,
            false => None,
        };
        match directed {
            Some(directed) => loaded.edges.directed = directed,
            None => loaded.notes.push(Note::NoProperties {
                path: self.properties.display().to_string(),
            }),
        }
        Ok(loaded)
    }
}

/// Reads the vertices that one file lists, and the edges between them of another.
///
/// # Errors
/// A [`GraphError`] that names the file and, for a fault in its text, the line.
pub(super) fn load_files(
    vertices: &Path,
    edges: &Path,
    options: ReadOptions,
) -> Result<Loaded, GraphError> {
    let ids = with_text(vertices, &options, read_vertices)?;
    let count = ids.len() as u32;
    let ids = Ids::listed(ids);
    let numbering = Numbering::Known {
        ids: &ids,
        vertices: count,
    };
    let known = ReadOptions {
        numbering,
        ..options
    };
    let (parsed, _) = with_text(edges, &options, |text| edge_list::read(text, known))?;
    let path = |file: &Path| file.display().to_string();
    if count == 0 {
        let path = path(vertices);
        return Err(GraphError::Empty { path });
    }
    let Parsed {
        edges: mut list,
        notes,
    } = parsed;
    weights::require(options.weights, &mut list, || path(edges))?;
    Ok(Loaded {
        edges: list,
        format: Format::EdgeList,
        ids,
        notes,
    })
}

/// The file of another suffix, compressed as `path` is if it is there so.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let (plain, packing) = unpacked(path);
    let plain = plain.with_extension(suffix);
    let packed = packing.map(|packing| plain.with_extension(format!("{suffix}.{packing}")));
    packed.filter(|packed| packed.is_file()).unwrap_or(plain)
}

/// The result of `parse` for a file's text.
fn with_text<T>(
    path: &Path,
    options: &ReadOptions,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
) -> Result<T, GraphError> {
    let name = path.display().to_string();
    let bytes = heapwood_files::read_text(path, options.largest_text);
    let bytes = bytes.map_err(|error| GraphError::reading(&name, error))?;
    let text = plain(&bytes);
    check_text(&text).map_err(|error| GraphError::reading(&name, error))?;
    parse(&text).map_err(located(&name, &text))
}

/// The ids, ascending.
fn read_vertices(text: &[u8]) -> Result<Vec<u64>, Fault> {
    let listed = parse_lines(text, 0, |mut words, ids: &mut Entries<u64>| {
        if matches!(words.peek(), None | Some(b'#' | b'%')) {
            return Ok(());
        }
        let found = words.count();
        let Some(id) = words.wide().transpose()? else {
            return Ok(());
        };
        if found != 1 {
            let rule = "a vertex a line is needed";
            return Err(LineProblem::Values { found, rule });
        }
        ids.push([id, 0], None);
        Ok(())
    })?;
    let mut ids: Vec<u64> = listed.edges.into_par_iter().map(|[id, _]| id).collect();
    let count = ids.len() as u64;
    if count > u64::from(MAX_VERTICES) {
        let limit = MAX_VERTICES;
        return Err(Fault::new(0, LineProblem::TooManyVertices { count, limit }));
    }
    ids.par_sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(ids),
        Some(pair) => {
            let is_repeated = |line: &Line<'_>| line.words().wide() == Some(Ok(pair[0]));
            let second = lines(text, 0..text.len()).filter(is_repeated).nth(1);
            let at = second.map_or(0, |line| line.at);
            Err(Fault::new(at, LineProblem::Repeated(pair[0])))
        }
    }
}

/// The value of `graph.NAME.directed` in a file of properties.
fn directed(text: &[u8]) -> Option<bool> {
    let entries = properties(text).into_iter();
    let mut of_graphs = entries.filter(|entry| entry.key.starts_with("graph."));
    of_graphs.find_map(|entry| {
        entry.key.strip_suffix(".directed")?;
        entry.value.parse().ok()
    })
}
