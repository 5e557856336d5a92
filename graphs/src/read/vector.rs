//! Lists of vertices as vectors of Matrix Market, counted from 1, as the SuiteSparse collection has the
//! sources of the GAP benchmark suite.
//!
//! An `array` has a vertex a line. A line of `coordinate` has the row and the column of an entry, which
//! is a vertex. Without entries, by `pattern`, the places in the vector are the vertices.

use super::matrix_market::{banner_words, header};
use super::text::{Fault, Line, lines};
use crate::LineProblem;

const BANNER_RULE: &str = "a list of vertices is `array integer general`, or `coordinate` with \
                           `integer` or `pattern`";

/// Reads the vertices of a graph that has so many.
pub(super) fn read(text: &[u8], vertices: u32) -> Result<Vec<u32>, Fault> {
    let mut all = lines(text, 0..text.len());
    let first = all.next().unwrap_or(Line::beyond(text));
    let words = banner_words(&first, BANNER_RULE).map_err(|problem| Fault::new(0, problem))?;
    let (has_places, has_values) = match words.each_ref().map(String::as_str) {
        ["array", "integer", "general"] => (false, true),
        ["coordinate", "integer", "general"] => (true, true),
        ["coordinate", "pattern", "general"] => (true, false),
        _ => return Err(Fault::new(0, header(&first, BANNER_RULE))),
    };
    let mut body = all.filter(|line| !matches!(line.words().peek(), None | Some(b'%')));
    let line = body.next().unwrap_or(Line::beyond(text));
    let size = Size::parse(&line, has_places).map_err(|problem| Fault::new(line.at, problem))?;

    let mut found: Vec<(u64, usize, u32)> = Vec::new();
    for line in body {
        let words = line.words();
        let entry = || match (has_places, has_values) {
            (true, true) => {
                let [row, column, id] = words.numbers("a row, a column and a vertex are needed")?;
                Ok((size.place([row, column])?, id))
            }
            (true, false) => {
                let place = size.place(words.numbers("a row and a column are needed")?)?;
                Ok((place, place))
            }
            _ => {
                let [id] = words.numbers("a vertex a line is needed")?;
                Ok((found.len() as u64 + 1, id))
            }
        };
        let entry = entry().and_then(|(place, id)| Ok((place, line.at, vertex(id, vertices)?)));
        found.push(entry.map_err(|problem| Fault::new(line.at, problem))?);
    }
    if found.len() as u64 != size.entries {
        let problem = LineProblem::Count {
            what: "vertices",
            declared: size.entries,
            found: found.len() as u64,
        };
        return Err(Fault::new(line.at, problem));
    }
    found.sort_unstable();
    let mut pairs = found.windows(2);
    if let Some(pair) = pairs.find(|pair| pair[0].0 == pair[1].0) {
        let (place, at, _) = pair[1];
        return Err(Fault::new(at, size.wrong(place)));
    }
    Ok(found.into_iter().map(|(_, _, vertex)| vertex).collect())
}

/// The line of sizes.
struct Size {
    is_row: bool,
    /// The length of the vector.
    places: u64,
    entries: u64,
}

impl Size {
    fn parse(line: &Line<'_>, has_places: bool) -> Result<Self, LineProblem> {
        let words = line.words();
        let [rows, columns, entries] = match has_places {
            true => words.numbers("`rows columns entries` is needed")?,
            false => {
                let [rows, columns] = words.numbers("`rows columns` is needed")?;
                [rows, columns, rows.saturating_mul(columns)]
            }
        };
        if rows != 1 && columns != 1 {
            return Err(header(line, "a list of vertices has one column or one row"));
        }
        Ok(Self {
            is_row: columns != 1,
            places: rows.max(columns),
            entries,
        })
    }

    /// The place of an entry of this row and this column, from 1.
    fn place(&self, [row, column]: [u64; 2]) -> Result<u64, LineProblem> {
        let [place, other] = match self.is_row {
            true => [column, row],
            false => [row, column],
        };
        match other == 1 && (1..=self.places).contains(&place) {
            true => Ok(place),
            false => Err(self.wrong(place)),
        }
    }

    fn wrong(&self, place: u64) -> LineProblem {
        let places = self.places;
        LineProblem::Place { place, places }
    }
}

/// The vertex that a vector counts so.
fn vertex(id: u64, vertices: u32) -> Result<u32, LineProblem> {
    match id.checked_sub(1) {
        None => Err(LineProblem::ZeroId),
        Some(vertex) if vertex >= vertices.into() => Err(LineProblem::UnknownId(id)),
        Some(vertex) => Ok(vertex as u32),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ids, load_vertices};

    /// Of a graph whose five vertices are numbered from 0 in its file.
    fn read(text: &str) -> Result<Vec<u32>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mtx");
        std::fs::write(&path, text).unwrap();
        let folder = format!("{}/", folder.path().display());
        let vertices = load_vertices(&path, &Ids::from(0), 5);
        vertices.map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn vectors_of_every_form_count_from_1() {
        for (text, vertices) in [
            (
                "array integer general\n% GAP\n3 1\n5\n\n1\n5\n",
                &[4, 0, 4][..],
            ),
            ("ARRAY Integer General\r\n1 2\r\n2\r\n3\r\n", &[1, 2]),
            ("array integer general\n0 1\n", &[]),
            (
                "coordinate integer general\n9 1 3\n9 1 2\n1 1 4\n3 1 1\n",
                &[3, 0, 1],
            ),
            ("coordinate integer general\n1 2 2\n1 2 5\n1 1 5\n", &[4, 4]),
            ("coordinate pattern general\n5 1 2\n4 1\n2 1\n", &[1, 3]),
        ] {
            let banner = "%%MatrixMarket matrix ";
            assert_eq!(
                read(&format!("{banner}{text}")),
                Ok(vertices.to_vec()),
                "{text}"
            );
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let array = "array integer general\n";
        let vector = "coordinate integer general\n3 1 2\n";
        for (text, line, why) in [
            (
                "array real general\n1 1\n1.0\n".to_owned(),
                1,
                "a list of vertices is `array integer",
            ),
            (
                "coordinate integer symmetric\n1 1 1\n1 1 1\n".to_owned(),
                1,
                "a list of vertices is",
            ),
            (
                format!("{array}2 2\n1\n2\n3\n4\n"),
                2,
                "has one column or one row",
            ),
            (
                format!("{array}2\n1\n"),
                2,
                "a line of 1 values: `rows columns` is needed",
            ),
            (
                array.to_owned(),
                2,
                "a line of 0 values: `rows columns` is needed",
            ),
            (
                format!("{array}3 1\n1\n2\n"),
                2,
                "declares 3 vertices, but the text has 2",
            ),
            (format!("{array}2 1\n1\n0\n"), 4, "ids start at 1 here"),
            (
                format!("{array}2 1\n1\n6\n"),
                4,
                "vertex id 6 is not one of the graph's",
            ),
            (
                format!("{array}2 1\n1 2\n"),
                3,
                "a line of 2 values: a vertex a line is needed",
            ),
            (
                format!("{array}1 1\n1.5\n"),
                3,
                "`1.5` is not a whole number",
            ),
            (
                format!("{vector}1 1\n2 1 5\n"),
                3,
                "a row, a column and a vertex are needed",
            ),
            (
                format!("{vector}1 1 5\n4 1 5\n"),
                4,
                "place 4 is listed twice or not one of the 3",
            ),
            (
                format!("{vector}2 1 5\n2 1 4\n"),
                4,
                "place 2 is listed twice or not one of the 3",
            ),
        ] {
            let error = read(&format!("%%MatrixMarket matrix {text}")).unwrap_err();
            assert!(
                error.starts_with(&format!("a.mtx:{line}: ")),
                "{text}: {error}"
            );
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
