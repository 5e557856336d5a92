//! The vertices that an algorithm starts from, as a flag has them: a list, all, or those of a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use heapwood_graphs::load_sources;

use super::vertex;
use crate::Error;
use crate::graph::Input;
use crate::word::{Word, WordError, by_text};

/// Vertices to start from. One that is there twice counts twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Sources {
    /// All vertices.
    All,
    /// These, by their numbers in the file of the graph.
    Listed(Vec<u64>),
    /// Those of a file.
    File(PathBuf),
}

/// Numbers of vertices that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write vertices with commas between them, all, or a file")]
pub struct ParseSourcesError;

impl Sources {
    /// The file, if they are those of one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::All | Self::Listed(_) => None,
        }
    }

    /// The vertices of a graph.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if there is no such vertex, and a file that cannot be used.
    pub(super) fn of(&self, graph: &Input) -> Result<Vec<u32>, Error> {
        let vertices = graph.rows.vertices();
        match self {
            Self::All => Ok((0..vertices).collect()),
            Self::Listed(ids) => ids
                .iter()
                .map(|&id| vertex(graph, id, "start from"))
                .collect(),
            Self::File(path) => Ok(load_sources(path, &graph.ids, vertices)?),
        }
    }
}

impl FromStr for Sources {
    type Err = ParseSourcesError;

    fn from_str(text: &str) -> Result<Self, ParseSourcesError> {
        let is_list = |byte: u8| byte.is_ascii_digit() || b"-, ".contains(&byte);
        match text {
            "all" => Ok(Self::All),
            _ if !text.bytes().all(is_list) => Ok(Self::File(text.into())),
            _ => {
                let ids = text.split(',').map(|id| id.trim().parse());
                let ids: Result<Vec<u64>, _> = ids.collect();
                ids.map(Self::Listed).map_err(|_| ParseSourcesError)
            }
        }
    }
}

impl Word for Sources {
    fn word(&self) -> OsString {
        match self {
            Self::All => "all".into(),
            Self::Listed(ids) => {
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                ids.join(",").into()
            }
            Self::File(path) => path.into(),
        }
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        by_text(word, str::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_ids_all_or_a_file() {
        for (text, sources) in [
            ("all", Sources::All),
            ("3,1", Sources::Listed(vec![3, 1])),
            ("a.mtx", Sources::File("a.mtx".into())),
            ("./1", Sources::File("./1".into())),
        ] {
            assert_eq!(text.parse(), Ok(sources.clone()));
            assert_eq!(sources.word(), text);
            assert_eq!(Sources::from_word(text.into()).unwrap(), sources);
        }
        assert_eq!("3, 1".parse(), Ok(Sources::Listed(vec![3, 1])));
        for wrong in ["", "1,", "-1", "1,,2", "99999999999999999999"] {
            assert_eq!(wrong.parse::<Sources>(), Err(ParseSourcesError), "{wrong}");
        }
    }
}
