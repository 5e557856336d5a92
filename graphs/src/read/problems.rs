//! Problems of shortest paths on a graph, in the formats of DIMACS's ninth challenge or as lists.
//!
//! `.ss`: `p aux sp ss n`, then `s source`. `.p2p`: `p aux sp p2p n`, then `q source target`. Lines
//! that start with `c` are comments. A list has one source a line, or a source and a target; its
//! comments start with `#` or `%`. A vector of Matrix Market has sources. The format is decided by the
//! first line that is no comment.
//! Source: <https://www.diag.uniroma1.it/challenge9/format.shtml>.

use std::path::Path;

use super::auxiliary::{Body, is_dimacs};
use super::load_list;
use super::text::Fault;
use super::vertices::{KnownVertices, listed, read_lines, read_vector};
use crate::{GraphError, Ids};

/// Problems of shortest paths, by vertices of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problems {
    /// From each of these vertices to all others.
    SingleSource(Vec<u32>),
    /// From the first vertex of each pair to the second.
    PointToPoint(Vec<[u32; 2]>),
}

impl Problems {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::SingleSource(sources) => sources.len(),
            Self::PointToPoint(pairs) => pairs.len(),
        }
    }
}

/// Reads problems, plain or compressed, of a graph that has `vertices` with these ids.
///
/// ```
/// use heapwood_graphs::{Ids, Problems, load_problems};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("queries.p2p");
/// std::fs::write(&file, "c one of three vertices\np aux sp p2p 1\nq 3 1\n")?;
/// let problems = load_problems(&file, &Ids::from(1), 3)?;
/// assert_eq!(problems, Problems::PointToPoint(vec![[2, 0]]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for a fault in its text, the line. A file without
/// problems is [`GraphError::NoProblems`].
pub fn load_problems(
    path: impl AsRef<Path>,
    ids: &Ids,
    vertices: u32,
) -> Result<Problems, GraphError> {
    let path = path.as_ref();
    let known = KnownVertices { ids, vertices };
    let problems = load_list(path, |text| match read_vector(text, &known) {
        Some(sources) => sources.map(Problems::SingleSource),
        None if is_dimacs(text) => read_dimacs(text, &known),
        None => read_list(text, &known),
    })?;
    match problems.count() {
        0 => Err(GraphError::NoProblems {
            path: path.display().to_string(),
        }),
        _ => Ok(problems),
    }
}

fn read_dimacs(text: &[u8], known: &KnownVertices) -> Result<Problems, Fault> {
    let rule = "`p aux sp ss problems` or `p aux sp p2p problems` is needed before the problems";
    let body = Body::find(text, &["ss", "p2p"], rule)?;
    if body.kind == "ss" {
        let keyword = ["s", "lines behind the header start with c or s"];
        let source = |words| known.vertices::<1>(words, "`s` takes a source");
        let sources = body.read(keyword, "problems", source)?;
        return Ok(Problems::SingleSource(sources.concat()));
    }
    let keyword = ["q", "lines behind the header start with c or q"];
    let pair = |words| known.vertices(words, "`q` takes a source and a target");
    let pairs = body.read(keyword, "problems", pair)?;
    Ok(Problems::PointToPoint(pairs))
}

/// Reads a list, whose first line decides between sources and pairs.
fn read_list(text: &[u8], known: &KnownVertices) -> Result<Problems, Fault> {
    let first = listed(text).next().map(|line| line.words().count());
    if first == Some(2) {
        let rule = "a source and a target a line are needed, as in the first line";
        return read_lines(text, known, rule).map(Problems::PointToPoint);
    }
    let rule = "a source a line is needed, or a source and a target in each";
    let sources = read_lines::<1>(text, known, rule)?;
    Ok(Problems::SingleSource(sources.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ids: &Ids) -> Result<Problems, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text).unwrap();
        let folder = format!("{}/", folder.path().display());
        load_problems(&path, ids, 5).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn both_kinds_are_read() {
        let sources = |sources: &[u32]| Ok(Problems::SingleSource(sources.to_vec()));
        let pairs = |pairs: &[[u32; 2]]| Ok(Problems::PointToPoint(pairs.to_vec()));
        let from_1 = Ids::from(1);
        let text = "\u{feff}c a\r\n\np  aux sp ss 3\nc\ns 5\n\n s 1 \ncomment\ns 5\n";
        assert_eq!(
            read(&text.replace("comment", "c"), &from_1),
            sources(&[4, 0, 4])
        );
        assert_eq!(
            read("p aux sp p2p 2\nq 5 1\nq 2 2\nc end", &from_1),
            pairs(&[[4, 0], [1, 1]])
        );
        assert_eq!(read("% GAP\n1\n\n 3 \n", &Ids::from(0)), sources(&[1, 3]));
        assert_eq!(read("# a\n1 2\n3\t4\n", &from_1), pairs(&[[0, 1], [2, 3]]));
        let vector = "%%MatrixMarket matrix array integer general\n2 1\n3\n1\n";
        assert_eq!(read(vector, &Ids::from(0)), sources(&[2, 0]));
        let listed = Ids::listed(vec![7, 9, 1 << 40]);
        assert_eq!(read("1099511627776\n", &listed), sources(&[2]));
    }

    #[test]
    fn compressed_problems_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ss.gz");
        let text = heapwood_files::compress(b"p aux sp ss 1\ns 2\n").unwrap();
        std::fs::write(&path, text).unwrap();
        let problems = load_problems(&path, &Ids::from(1), 2).unwrap();
        assert_eq!(problems, Problems::SingleSource(vec![1]));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let header = |text: &str| {
            format!(
                "list:1: header `{text}`: `p aux sp ss problems` or `p aux sp p2p problems` is needed \
                 before the problems"
            )
        };
        for (text, expected) in [
            ("s 1\n", header("s 1")),
            ("p sp 5 1\na 1 2 3\n", header("p sp 5 1")),
            ("p aux sp co 1\nv 1 2 3\n", header("p aux sp co 1")),
            ("p aux sp ss\n", header("p aux sp ss")),
            ("p aux sp ss 1 2\n", header("p aux sp ss 1 2")),
            ("c\n", header("").replace(":1:", ":2:")),
            (
                "p aux sp ss x\n",
                "list:1: `x` is not a whole number".to_owned(),
            ),
        ] {
            assert_eq!(read(text, &Ids::from(1)), Err(expected));
        }
        for (text, expected) in [
            (
                "p aux sp ss 2\ns 1\n",
                "list:1: the header declares 2 problems, but the text has 1",
            ),
            (
                "c\np aux sp p2p 1\nq 1 2\nq 1 2\n",
                "list:2: the header declares 1 problems, but the text has 2",
            ),
            (
                "p aux sp ss 1\ns 0\n",
                "list:2: vertex id 0 is not one of the graph's",
            ),
            (
                "p aux sp p2p 1\nq 1 6\n",
                "list:2: vertex id 6 is not one of the graph's",
            ),
            (
                "p aux sp ss 1\nc\nq 1 2\n",
                "list:3: `q` starts no line of this format: lines behind the header start with c or s",
            ),
            (
                "p aux sp p2p 1\np aux sp p2p 1\nq 1 2\n",
                "list:2: `p` starts no line of this format: lines behind the header start with c or q",
            ),
            (
                "p aux sp ss 1\ns\n",
                "list:2: a line of 0 values: `s` takes a source",
            ),
            (
                "p aux sp ss 1\ns 1 2\n",
                "list:2: a line of 2 values: `s` takes a source",
            ),
            (
                "p aux sp p2p 1\nq 1\n",
                "list:2: a line of 1 values: `q` takes a source and a target",
            ),
            (
                "p aux sp ss 1\ns -1\n",
                "list:2: `-1` is negative: ids and counts are not",
            ),
            (
                "1\n2 3\n",
                "list:2: a line of 2 values: a source a line is needed, or a source and a target in each",
            ),
            (
                "1 2\n3\n",
                "list:2: a line of 1 values: a source and a target a line are needed, as in the first \
                 line",
            ),
            ("xy\n", "list:1: `xy` is not a whole number"),
            ("", "list is empty: there are no problems in it"),
            ("# a\n", "list is empty: there are no problems in it"),
            (
                "p aux sp ss 0\n",
                "list is empty: there are no problems in it",
            ),
        ] {
            assert_eq!(read(text, &Ids::from(1)), Err(expected.to_owned()));
        }
        let absent = load_problems("/no/list", &Ids::from(0), 5).unwrap_err();
        assert!(absent.to_string().starts_with("cannot read /no/list: "));
    }
}
