//! Lists of vertices: an id a line, as the file of the graph has them, or a [vector] of Matrix Market.
//! In a list of lines, those that start with `#` or `%` are comments, and blank ones are passed over.

use std::path::Path;

use super::text::{Fault, Line, Words, lines};
use super::{load_list, matrix_market, vector};
use crate::{GraphError, Ids, LineProblem};

/// Reads a list of vertices, plain or compressed, of a graph that has `vertices` with these ids. A vector
/// of Matrix Market counts them from 1, whatever their ids are.
///
/// ```
/// use heapwood_graphs::{Ids, load_vertices};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("closed.txt");
/// std::fs::write(&file, "# two of three\n3\n1\n")?;
/// assert_eq!(load_vertices(&file, &Ids::from(1), 3)?, [2, 0]);
/// let file = folder.path().join("sources.mtx");
/// std::fs::write(&file, "%%MatrixMarket matrix array integer general\n2 1\n3\n1\n")?;
/// assert_eq!(load_vertices(&file, &Ids::from(0), 3)?, [2, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for what is no id of a vertex, the line.
pub fn load_vertices(
    path: impl AsRef<Path>,
    ids: &Ids,
    vertices: u32,
) -> Result<Vec<u32>, GraphError> {
    let known = KnownVertices { ids, vertices };
    load_list(path.as_ref(), |text| match read_vector(text, &known) {
        Some(read) => read,
        None => Ok(read_lines::<1>(text, &known, "a vertex a line is needed")?.concat()),
    })
}

/// Reads a list of vertices as [`load_vertices`] does, from which searches start.
///
/// # Errors
/// As there, and [`GraphError::NoSources`] for a file without vertices.
pub fn load_sources(
    path: impl AsRef<Path>,
    ids: &Ids,
    vertices: u32,
) -> Result<Vec<u32>, GraphError> {
    let path = path.as_ref();
    let sources = load_vertices(path, ids, vertices)?;
    match sources.is_empty() {
        true => Err(GraphError::NoSources {
            path: path.display().to_string(),
        }),
        false => Ok(sources),
    }
}

/// The vertices of the graph.
pub(super) struct KnownVertices<'a> {
    pub ids: &'a Ids,
    pub vertices: u32,
}

impl KnownVertices<'_> {
    /// All words that are left, as so many vertices.
    pub fn vertices<const N: usize>(
        &self,
        words: Words<'_>,
        rule: &'static str,
    ) -> Result<[u32; N], LineProblem> {
        let mut vertices = [0; N];
        for (vertex, id) in vertices.iter_mut().zip(words.numbers::<N>(rule)?) {
            let known = self.ids.vertex(id, self.vertices);
            *vertex = known.ok_or(LineProblem::UnknownId(id))?;
        }
        Ok(vertices)
    }
}

/// The vertices of a vector of Matrix Market, if the text is one.
pub(super) fn read_vector(text: &[u8], known: &KnownVertices) -> Option<Result<Vec<u32>, Fault>> {
    matrix_market::has_banner(text).then(|| vector::read(text, known.vertices))
}

/// The lines of a list that are no comments.
pub(super) fn listed(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let is_comment = |line: &Line| matches!(line.words().peek(), None | Some(b'#' | b'%'));
    lines(text, 0..text.len()).filter(move |line| !is_comment(line))
}

/// Reads a list with so many vertices a line, by the rule.
pub(super) fn read_lines<const N: usize>(
    text: &[u8],
    known: &KnownVertices,
    rule: &'static str,
) -> Result<Vec<[u32; N]>, Fault> {
    let read = |line: Line| {
        let vertices = known.vertices(line.words(), rule);
        vertices.map_err(|problem| Fault::new(line.at, problem))
    };
    listed(text).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ids: &Ids) -> Result<Vec<u32>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text).unwrap();
        let folder = format!("{}/", folder.path().display());
        load_vertices(&path, ids, 5).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn ids_are_those_of_the_graph() {
        let text = "\u{feff}# c\n 4 \n\n%\n1\r\n4";
        assert_eq!(read(text, &Ids::from(0)), Ok(vec![4, 1, 4]));
        assert_eq!(read(text, &Ids::from(1)), Ok(vec![3, 0, 3]));
        let ids = Ids::listed(vec![1, 2, 4, 1 << 40]);
        assert_eq!(read(text, &ids), Ok(vec![2, 0, 2]));
        // The fifth vertex came later.
        assert_eq!(read("1099511627777\n", &ids), Ok(vec![4]));
        assert_eq!(read("", &ids), Ok(vec![]));
    }

    #[test]
    fn what_is_no_id_is_named_with_its_line() {
        for (text, expected) in [
            ("1\n5\n", "list:2: vertex id 5 is not one of the graph's"),
            (
                "#\n1 2\n",
                "list:2: a line of 2 values: a vertex a line is needed",
            ),
            ("x\n", "list:1: `x` is not a whole number"),
            ("1,2\n", "list:1: `1,2` is not a whole number"),
            ("-1\n", "list:1: `-1` is negative: ids and counts are not"),
            (
                "\0",
                "list is not text: byte 0 is 0; graphs are read from text, plain or compressed",
            ),
        ] {
            assert_eq!(read(text, &Ids::from(0)), Err(expected.to_owned()));
        }
        let zero = read("0\n", &Ids::from(1)).unwrap_err();
        assert_eq!(zero, "list:1: vertex id 0 is not one of the graph's");
        let absent = load_vertices("/no/list", &Ids::from(0), 5).unwrap_err();
        assert!(absent.to_string().starts_with("cannot read /no/list: "));
    }
}
