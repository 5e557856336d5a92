//! Matrix Market `coordinate`: the banner, `%` comments, `rows columns entries`,
//! then one entry a line, counted from 1.
//!
//! A general matrix is a directed graph with an edge from row to column; one of
//! another symmetry, of which the file holds one triangle, is undirected. Values
//! are checked and left out: an entry is an edge whatever its value.

use super::text::{self, Fault, Line, lines, parse_lines};
use super::{Note, Parsed};
use crate::error::excerpt;
use crate::{EdgeList, LineProblem, MOST_VERTICES};

/// How every such file starts, in any case.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

const BANNER_RULE: &str =
    "`%%MatrixMarket matrix coordinate FIELD SYMMETRY` is needed in the first line";
const SIZE_RULE: &str = "`rows columns entries` is needed";

/// What the banner says.
struct Banner {
    /// Values of an entry: 0, 1 or 2.
    values: usize,
    directed: bool,
}

/// Reads a matrix.
pub(super) fn read(text: &[u8]) -> Result<Parsed, Fault> {
    let mut all = lines(text, 0..text.len());
    let first = all.next().unwrap_or(Line { at: 0, bytes: b"" });
    let banner = parse_banner(&first).map_err(|problem| Fault::new(0, problem))?;
    let size = all.find(|line| !matches!(line.words().peek(), None | Some(b'%')));
    let size = size.unwrap_or(Line {
        at: text.len(),
        bytes: b"",
    });
    let (vertices, declared) = parse_size(&size).map_err(|problem| Fault::new(size.at, problem))?;

    let rule = [
        "row and column are needed",
        "row, column and value are needed",
        "row, column, real and imaginary part are needed",
    ][banner.values];
    let edges = parse_lines(text, size.next_line(), |mut words, edges| {
        if matches!(words.peek(), None | Some(b'%')) {
            return Ok(());
        }
        let all = words;
        let wrong = || LineProblem::Values {
            found: all.count(),
            rule,
        };
        let row = words.vertex(vertices).ok_or_else(wrong)??;
        let column = words.vertex(vertices).ok_or_else(wrong)??;
        for _ in 0..banner.values {
            words.number().ok_or_else(wrong)??;
        }
        if !words.is_empty() {
            return Err(wrong());
        }
        edges.push([row, column]);
        Ok(())
    })?;
    let found = edges.len() as u64;
    if found != declared {
        return Err(Fault::new(
            size.at,
            LineProblem::EdgeCount { declared, found },
        ));
    }
    let edges = EdgeList {
        vertices,
        edges,
        directed: banner.directed,
    };
    let notes = Vec::from_iter((banner.values > 0).then_some(Note::Weights));
    Ok(Parsed { edges, notes })
}

fn parse_banner(line: &Line<'_>) -> Result<Banner, LineProblem> {
    let wrong = |rule| LineProblem::Header {
        text: excerpt(line.bytes.trim_ascii()),
        rule,
    };
    let mut words = line.words();
    let mut word = || {
        let word = words.word().unwrap_or_default();
        String::from_utf8_lossy(word).to_ascii_lowercase()
    };
    let start = [word(), word()];
    let [format, field, symmetry] = [word(), word(), word()];
    let banner = String::from_utf8_lossy(BANNER).to_ascii_lowercase();
    if start != [banner, "matrix".to_owned()] || !words.is_empty() {
        return Err(wrong(BANNER_RULE));
    }
    if format != "coordinate" {
        return Err(wrong("only `coordinate` is a graph, not `array`"));
    }
    let values = match field.as_str() {
        "pattern" => 0,
        "integer" | "real" => 1,
        "complex" => 2,
        _ => return Err(wrong("the field is pattern, integer, real or complex")),
    };
    let directed = match symmetry.as_str() {
        "general" => true,
        "symmetric" | "skew-symmetric" | "hermitian" => false,
        _ => {
            return Err(wrong(
                "the symmetry is general, symmetric, skew-symmetric or hermitian",
            ));
        }
    };
    Ok(Banner { values, directed })
}

/// Vertices and entries.
fn parse_size(line: &Line<'_>) -> Result<(u32, u64), LineProblem> {
    let wrong = |rule| LineProblem::Header {
        text: excerpt(line.bytes.trim_ascii()),
        rule,
    };
    let mut words = line.words();
    let rows = words.whole().ok_or_else(|| wrong(SIZE_RULE))??;
    let columns = words.whole().ok_or_else(|| wrong(SIZE_RULE))??;
    let entries = text::count(words.word().ok_or_else(|| wrong(SIZE_RULE))?)?;
    if !words.is_empty() {
        return Err(wrong(SIZE_RULE));
    }
    if rows != columns {
        return Err(wrong("a graph is a matrix of as many rows as columns"));
    }
    if rows > MOST_VERTICES {
        return Err(LineProblem::TooManyVertices {
            count: rows.into(),
            limit: MOST_VERTICES,
        });
    }
    Ok((rows, entries))
}
