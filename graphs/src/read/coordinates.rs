//! Coordinates of vertices in the plane, as DIMACS's ninth challenge has them: `p aux sp co n`, then
//! `v id x y`. Source: <https://www.diag.uniroma1.it/challenge9/format.shtml>.

use std::path::Path;

use super::auxiliary::Body;
use super::load_list;
use super::text::{Words, integer};
use crate::{GraphError, Ids, LineProblem};

/// Reads coordinates, plain or compressed, of all `vertices` of a graph with these ids. The result has
/// `[x, y]` of each vertex, in the unit of the file.
///
/// ```
/// use heapwood_graphs::{Ids, load_coordinates};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("roads.co");
/// std::fs::write(&file, "p aux sp co 2\nv 2 -73530767 41085396\nv 1 0 7\n")?;
/// let coordinates = load_coordinates(&file, &Ids::from(1), 2)?;
/// assert_eq!(coordinates, [[0, 7], [-73530767, 41085396]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for a fault in its text, the line. A vertex without
/// coordinates is [`GraphError::NoCoordinates`].
pub fn load_coordinates(
    path: impl AsRef<Path>,
    ids: &Ids,
    vertices: u32,
) -> Result<Vec<[i64; 2]>, GraphError> {
    let path = path.as_ref();
    let mut coordinates = vec![None; vertices as usize];
    load_list(path, |text| {
        let rule = "`p aux sp co vertices` is needed before the coordinates";
        let body = Body::find(text, &["co"], rule)?;
        let keyword = ["v", "lines behind the header start with c or v"];
        body.read(keyword, "vertices", |words| {
            let (id, place) = parse(words)?;
            let vertex = ids.vertex(id, vertices).ok_or(LineProblem::UnknownId(id))?;
            match coordinates[vertex as usize].replace(place) {
                None => Ok(()),
                Some(_) => Err(LineProblem::Repeated(id)),
            }
        })?;
        Ok(())
    })?;
    let placed = (0..).zip(coordinates).map(|(vertex, coordinates)| {
        coordinates.ok_or_else(|| GraphError::NoCoordinates {
            path: path.display().to_string(),
            vertex: ids.of(vertex),
        })
    });
    placed.collect()
}

/// `id x y`.
fn parse(mut words: Words<'_>) -> Result<(u64, [i64; 2]), LineProblem> {
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule: "`v` takes a vertex, x and y",
    };
    let id = words.wide().ok_or_else(wrong)??;
    let mut next = || integer(words.word().ok_or_else(wrong)?);
    let coordinates = [next()?, next()?];
    match words.is_empty() {
        true => Ok((id, coordinates)),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<[i64; 2]>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.co");
        std::fs::write(&path, text).unwrap();
        let folder = format!("{}/", folder.path().display());
        load_coordinates(&path, &Ids::from(1), 2)
            .map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn coordinates_are_in_the_order_of_vertices() {
        let text = "c a\np aux sp co 2\nc\nv 2 -5 +6\n\nv 1 9223372036854775807 0\n";
        assert_eq!(read(text), Ok(vec![[i64::MAX, 0], [-5, 6]]));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let head = "p aux sp co 2\n";
        for (text, expected) in [
            (
                "v 1 2 3\n",
                "a.co:1: header `v 1 2 3`: `p aux sp co vertices` is needed before the coordinates",
            ),
            (
                "p aux sp ss 2\n",
                "a.co:1: header `p aux sp ss 2`: `p aux sp co vertices` is needed before the \
                 coordinates",
            ),
            (
                "",
                "a.co:1: header ``: `p aux sp co vertices` is needed before the coordinates",
            ),
            (
                "+v 1 2 3\n",
                "a.co:1: the header declares 2 vertices, but the text has 1",
            ),
            (
                "+v 1 2 3\nv 1 2 3\n",
                "a.co:3: vertex id 1 is listed twice: each vertex has one line",
            ),
            (
                "+v 3 2 3\n",
                "a.co:2: vertex id 3 is not one of the graph's",
            ),
            (
                "+v 0 2 3\n",
                "a.co:2: vertex id 0 is not one of the graph's",
            ),
            (
                "+v 1 2\n",
                "a.co:2: a line of 2 values: `v` takes a vertex, x and y",
            ),
            (
                "+v 1 2 3 4\n",
                "a.co:2: a line of 4 values: `v` takes a vertex, x and y",
            ),
            ("+v 1 2 0.5\n", "a.co:2: `0.5` is not a whole number"),
            (
                "+v 1 2 9223372036854775808\n",
                "a.co:2: `9223372036854775808` does not fit in 64 bits",
            ),
            (
                "+a 1 2 3\n",
                "a.co:2: `a` starts no line of this format: lines behind the header start with c or v",
            ),
            (
                "p aux sp co 1\nv 2 0 0\n",
                "a.co: there are no coordinates of vertex 1, which the graph has",
            ),
        ] {
            let text = match text.strip_prefix('+') {
                Some(rest) => format!("{head}{rest}"),
                None => text.to_owned(),
            };
            assert_eq!(read(&text), Err(expected.to_owned()), "{text}");
        }
    }
}
