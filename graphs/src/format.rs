//! The file formats, and how a text is told to be of one of them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use heapwood_files::unpacked;

/// A text format for graphs. Each may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// DIMACS-10 and METIS: a header, then the neighbours of one vertex a line.
    Metis,
    /// DIMACS-9: `p sp` and `a` lines, directed. PACE: `p tw` and pairs, undirected.
    Gr,
    /// DIMACS colouring and cliques: `p edge` and `e` lines, undirected.
    Col,
    /// Matrix Market, `coordinate`.
    MatrixMarket,
    /// Two ids a line and a weight, with blanks, a comma or a semicolon between.
    EdgeList,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Metis,
        Self::Gr,
        Self::Col,
        Self::MatrixMarket,
        Self::EdgeList,
    ];

    /// The suffixes that are written, for messages.
    pub const SUFFIXES: &str = ".graph, .gr, .col, .mtx, .el or .txt";

    /// A short name, as used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metis => "metis",
            Self::Gr => "gr",
            Self::Col => "col",
            Self::MatrixMarket => "mtx",
            Self::EdgeList => "edges",
        }
    }

    /// Whether the format holds undirected graphs only.
    pub fn is_undirected(self) -> bool {
        matches!(self, Self::Metis | Self::Col)
    }

    /// The format that a file's suffix stands for, `.gz` and the like left aside.
    pub fn by_suffix(path: &Path) -> Option<Self> {
        let suffix = suffix(path)?;
        match suffix.as_str() {
            "graph" | "metis" => Some(Self::Metis),
            "gr" => Some(Self::Gr),
            "col" | "clq" => Some(Self::Col),
            "mtx" => Some(Self::MatrixMarket),
            "el" | "wel" | "e" | "edges" | "edgelist" | "tsv" | "csv" | "txt" => {
                Some(Self::EdgeList)
            }
            _ => None,
        }
    }
}

/// There is no format of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose from {}", Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat;

/// By the short name.
impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let mut formats = Self::ALL.into_iter();
        let found = formats.find(|format| format.name() == name);
        found.ok_or(UnknownFormat)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metis => "DIMACS-10/METIS",
            Self::Gr => "DIMACS-9",
            Self::Col => "DIMACS edge format",
            Self::MatrixMarket => "Matrix Market",
            Self::EdgeList => "edge list",
        })
    }
}

/// The suffix without `.gz` and the like, in small letters.
pub(crate) fn suffix(path: &Path) -> Option<String> {
    let (plain, _) = unpacked(path);
    Some(plain.extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_name_formats() {
        let by = |name: &str| Format::by_suffix(Path::new(name));
        assert_eq!(by("a/b.graph"), Some(Format::Metis));
        assert_eq!(by("b.GR.gz"), Some(Format::Gr));
        assert_eq!(by("b.clq"), Some(Format::Col));
        assert_eq!(by("b.x.mtx.GZ"), Some(Format::MatrixMarket));
        assert_eq!(by("b.txt"), Some(Format::EdgeList));
        assert_eq!(by("b.graph.bz2"), Some(Format::Metis));
        assert_eq!(by("a.zst/b.gr.xz"), Some(Format::Gr));
        assert_eq!(by("b.e.ZST"), Some(Format::EdgeList));
        assert_eq!(by("b.wel.gz"), Some(Format::EdgeList));
        assert_eq!(by("b.CSV.gz"), Some(Format::EdgeList));
        for none in ["b", "b.gz", "graph", ".graph", "", "b.obj"] {
            assert_eq!(by(none), None, "{none}");
        }
    }

    #[test]
    fn names_are_found_again() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("obj".parse::<Format>(), Err(UnknownFormat));
    }
}
