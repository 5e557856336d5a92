//! Lists of vertices: an id a line, as the file of the graph has them. Lines that start with
//! `#` or `%` are comments, blank lines are passed over.

use std::path::Path;

use super::load_list;
use super::text::{Fault, Line, lines};
use crate::{GraphError, Ids, LineProblem};

/// Reads a list of vertices, plain or compressed, of a graph that has `vertices` with these ids.
///
/// ```
/// use heapwood_graphs::{Ids, load_vertices};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("closed.txt");
/// std::fs::write(&file, "# two of three\n3\n1\n")?;
/// assert_eq!(load_vertices(&file, &Ids::from(1), 3)?, [2, 0]);
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
    load_list(path.as_ref(), |text| {
        let listed = lines(text, 0..text.len()).filter_map(|line| {
            let vertex = parse_line(&line, ids, vertices);
            vertex
                .map_err(|problem| Fault::new(line.at, problem))
                .transpose()
        });
        listed.collect()
    })
}

fn parse_line(line: &Line<'_>, ids: &Ids, vertices: u32) -> Result<Option<u32>, LineProblem> {
    let mut words = line.words();
    if matches!(words.peek(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let found = words.count();
    let Some(id) = words.wide().transpose()? else {
        return Ok(None);
    };
    if found != 1 {
        let rule = "a vertex a line is needed";
        return Err(LineProblem::Values { found, rule });
    }
    match ids.vertex(id, vertices) {
        Some(vertex) => Ok(Some(vertex)),
        None => Err(LineProblem::UnknownId(id)),
    }
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
