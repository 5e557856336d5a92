//! Datasets of LDBC Graphalytics: a file of properties names the files of vertices and edges, and
//! the algorithms with their parameters.

mod algorithm;
mod properties;
mod values;

use std::path::{Path, PathBuf};

use super::{Loaded, Note, ReadOptions, ReadWeights, pair};
use crate::{GraphError, Ids};
pub use algorithm::DatasetAlgorithm;
use properties::DatasetProperties;
pub use values::ReferenceValues;

/// A graph with the algorithms to run on it.
///
/// ```
/// use heapwood_graphs::{Dataset, DatasetAlgorithm};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("arc.properties");
/// std::fs::write(&path, "graph.arc.vertex-file = arc.v\ngraph.arc.edge-file = arc.e\n\
///     graph.arc.directed = true\ngraph.arc.algorithms = bfs\ngraph.arc.bfs.source-vertex = 3\n")?;
/// std::fs::write(folder.path().join("arc.v"), "3\n8\n")?;
/// std::fs::write(folder.path().join("arc.e"), "3 8\n")?;
/// let dataset = Dataset::open(&path)?;
/// assert_eq!(dataset.algorithms, [DatasetAlgorithm::Bfs { source: 3 }]);
/// assert_eq!(dataset.load()?.edges.edges, [[0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The graph's name.
    pub name: String,
    /// The algorithms, in the order of their list.
    pub algorithms: Vec<DatasetAlgorithm>,
    /// The file of the properties.
    pub path: PathBuf,
    properties: DatasetProperties,
    vertices: PathBuf,
    edges: PathBuf,
    directed: bool,
    weights: ReadWeights,
}

impl Dataset {
    /// Reads the properties, and nothing of the graph.
    ///
    /// # Errors
    /// A [`GraphError`] that names the file and, for a value that breaks a rule, the line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        let path = path.as_ref();
        let properties = DatasetProperties::read(path)?;
        let beside = |key| {
            let entry = properties.require(key)?;
            Ok(path.with_file_name(&entry.value))
        };
        let directed = properties.require("directed")?;
        let algorithms = algorithms(&properties)?;
        let is_weighted = algorithms
            .iter()
            .any(|algorithm| matches!(algorithm, DatasetAlgorithm::Sssp { .. }));
        Ok(Self {
            name: properties.name.clone(),
            vertices: beside("vertex-file")?,
            edges: beside("edge-file")?,
            directed: match directed.value.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                other => {
                    let rule = "is neither true nor false";
                    return Err(properties.fault(directed, other, rule));
                }
            },
            // The specification computes with real numbers whatever the type is.
            weights: match is_weighted {
                true => ReadWeights::Real,
                false => ReadWeights::None,
            },
            path: path.to_owned(),
            algorithms,
            properties,
        })
    }

    /// The files that are read, of the reference output those that are there.
    pub fn files(&self) -> Vec<PathBuf> {
        let references = self.algorithms.iter();
        let references = references.map(|algorithm| self.reference_file(algorithm));
        [&self.path, &self.vertices, &self.edges]
            .into_iter()
            .cloned()
            .chain(references.filter(|file| file.is_file()))
            .collect()
    }

    /// The name of a file with the output of an algorithm: `GRAPH-BFS`.
    pub fn output_name(&self, algorithm: &DatasetAlgorithm) -> String {
        format!("{}-{}", self.name, algorithm.name().to_ascii_uppercase())
    }

    /// The file that has the reference output of an algorithm, if it is there.
    pub fn reference_file(&self, algorithm: &DatasetAlgorithm) -> PathBuf {
        self.path.with_file_name(self.output_name(algorithm))
    }

    /// Reads the graph. Notes tell of counts that are not those of the properties.
    ///
    /// # Errors
    /// A [`GraphError`] for files that cannot be used, and for a source that is no vertex.
    pub fn load(&self) -> Result<Loaded, GraphError> {
        let options = ReadOptions {
            weights: self.weights,
            ..ReadOptions::default()
        };
        let loaded = pair::load_files(&self.vertices, &self.edges, options);
        let mut loaded = loaded.map_err(|error| self.unweighted(error))?;
        loaded.edges.directed = self.directed;
        // No algorithm of the list asks for them.
        loaded.notes.retain(|note| *note != Note::Weights);
        for algorithm in &self.algorithms {
            self.check_source(algorithm, &loaded)?;
        }
        let counts = [
            ("vertices", u64::from(loaded.edges.vertices)),
            ("edges", loaded.edges.edges.len() as u64),
        ];
        for (what, found) in counts {
            let entry = self.properties.get(&format!("meta.{what}"));
            let declared = entry.and_then(|entry| entry.value.parse().ok());
            if let Some(declared) = declared.filter(|&declared| declared != found) {
                loaded.notes.push(Note::DeclaredCount {
                    what,
                    declared,
                    found,
                });
            }
        }
        Ok(loaded)
    }

    /// The error of reading the graph. Edges that lack the weight are a fault of the properties.
    fn unweighted(&self, error: GraphError) -> GraphError {
        let property = self.properties.get("sssp.weight-property");
        match (&error, property) {
            (GraphError::NoWeights { .. }, Some(entry)) => {
                let rule = "is no property that edges have: leave sssp out of the algorithms";
                self.properties.fault(entry, &entry.value, rule)
            }
            _ => error,
        }
    }

    /// Makes sure that an algorithm starts from a vertex, if it starts from one.
    fn check_source(&self, algorithm: &DatasetAlgorithm, graph: &Loaded) -> Result<(), GraphError> {
        let Some((id, key)) = algorithm.source() else {
            return Ok(());
        };
        match graph.ids.vertex(id, graph.edges.vertices) {
            Some(_) => Ok(()),
            None => {
                let entry = self.properties.require(key)?;
                let rule = "is no vertex of the graph";
                Err(self.properties.fault(entry, &entry.value, rule))
            }
        }
    }

    /// Reads the reference output of an algorithm, if it is there, of a graph of so many vertices
    /// with these ids.
    ///
    /// # Errors
    /// A [`GraphError`] for a file that has not one value for each vertex.
    pub fn reference(
        &self,
        algorithm: &DatasetAlgorithm,
        ids: &Ids,
        vertices: u32,
    ) -> Result<Option<ReferenceValues>, GraphError> {
        let file = self.reference_file(algorithm);
        match file.is_file() {
            true => ReferenceValues::load(&file, algorithm.rule(), ids, vertices).map(Some),
            false => Ok(None),
        }
    }
}

/// The algorithms that are listed, each once.
fn algorithms(properties: &DatasetProperties) -> Result<Vec<DatasetAlgorithm>, GraphError> {
    let list = properties.require("algorithms")?;
    let mut algorithms: Vec<DatasetAlgorithm> = Vec::new();
    for name in list.list() {
        let algorithm = DatasetAlgorithm::read(name, list, properties)?;
        if algorithms
            .iter()
            .any(|other| other.name() == algorithm.name())
        {
            return Err(properties.fault(list, name, "is listed twice"));
        }
        algorithms.push(algorithm);
    }
    if algorithms.is_empty() {
        let rule = "lists no algorithm: choose from bfs, cdlp, lcc, pr, sssp and wcc";
        return Err(properties.fault(list, &list.value, rule));
    }
    Ok(algorithms)
}

#[cfg(test)]
mod tests;
