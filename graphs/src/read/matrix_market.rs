//! Matrix Market `coordinate`: the banner, `%` comments, `rows columns entries`,
//! then one entry a line, counted from 1. As networkrepository has them, the banner may begin
//! with one `%`, and the sizes may stand in a comment.
//!
//! A general matrix is a directed graph with an edge from row to column. A matrix of another
//! symmetry is an undirected graph; the file holds one triangle of it. Integer and real values are
//! weights, complex ones are checked and left out. An entry is an edge whatever its value. The rows
//! and columns of a matrix that is not square are two sets of vertices.

use super::entries::{Entries, parse_lines};
use super::text::{self, Fault, Line, Words, lines};
use super::weights::{WeightForm, read_as};
use super::{Note, Parsed, ReadWeights, sides};
use crate::error::excerpt;
use crate::{EdgeList, LineProblem, MAX_VERTICES, WeightKind, WeightProblem};

/// How every such file starts, in any case.
const BANNER: &str = "%%matrixmarket";

/// Whether a text starts with the banner, or with one that lacks a `%`.
pub(super) fn has_banner(text: &[u8]) -> bool {
    let banners = [BANNER, &BANNER[1..]].map(str::as_bytes);
    banners.into_iter().any(|banner| {
        let start = text.get(..banner.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(banner)
    })
}

const BANNER_RULE: &str =
    "`%%MatrixMarket matrix coordinate FIELD SYMMETRY` is needed in the first line";
const SIZE_RULE: &str = "`rows columns entries` is needed";

/// The facts that the banner gives.
struct Banner {
    /// Values of an entry: 0, 1 or 2.
    values: usize,
    /// The kind of weights that they are.
    weights: Option<WeightKind>,
    directed: bool,
    /// Whether the other triangle has the opposite values.
    is_skew: bool,
}

/// The line of sizes.
#[derive(Clone, Copy)]
struct Size {
    at: usize,
    rows: u32,
    columns: u32,
    entries: u64,
    /// Where the entries begin.
    body: usize,
}

/// Reads a matrix; `bipartite` if rows and columns are two sets of vertices.
pub(super) fn read(text: &[u8], bipartite: bool, weights: ReadWeights) -> Result<Parsed, Fault> {
    let first = lines(text, 0..text.len()).next();
    let first = first.unwrap_or(Line::beyond(text));
    let banner = parse_banner(&first).map_err(|problem| Fault::new(0, problem))?;
    let asked = match (weights, banner.weights) {
        (_, None) => ReadWeights::None,
        (ReadWeights::ByFile, Some(WeightKind::Integer)) => ReadWeights::Integer,
        (ReadWeights::ByFile, Some(WeightKind::Real)) => ReadWeights::Real,
        (asked, Some(_)) => asked,
    };
    if banner.is_skew && asked != ReadWeights::None {
        return Err(Fault::new(0, WeightProblem::SkewSymmetric.into()));
    }
    let size = find_size(text, first.next_line())?;
    let Size { rows, columns, .. } = size;
    if rows != columns && !bipartite {
        let line = lines(text, size.at..text.len()).next();
        let text = excerpt(line.unwrap_or(Line::beyond(text)).bytes.trim_ascii());
        return Err(Fault::new(size.at, LineProblem::NotSquare { text }));
    }

    let rule = [
        "row and column are needed",
        "row, column and value are needed",
        "row, column, real and imaginary part are needed",
    ][banner.values];
    let parse = |mut words: Words<'_>, form: WeightForm, entries: &mut Entries<u32>| {
        if matches!(words.peek(), None | Some(b'%')) {
            return Ok(());
        }
        let all = words;
        let wrong = || LineProblem::Values {
            found: all.count(),
            rule,
        };
        let row = words.vertex(rows).ok_or_else(wrong)??;
        let column = words.vertex(columns).ok_or_else(wrong)??;
        let mut weight = None;
        for _ in 0..banner.values {
            weight = form.parse(words.number().ok_or_else(wrong)??)?;
        }
        if !words.is_empty() {
            return Err(wrong());
        }
        entries.push([row, column], weight);
        Ok(())
    };
    let (entries, kind) = read_as(asked, |form| {
        parse_lines(text, size.body, |words, entries| {
            parse(words, form, entries)
        })
    })?;
    let (mut edges, weights) = entries.weighted(kind);
    let (found, declared) = (edges.len() as u64, size.entries);
    if found != declared {
        return Err(Fault::new(
            size.at,
            LineProblem::EdgeCount { declared, found },
        ));
    }
    let is_unused = banner.values > 0 && weights.is_none();
    let mut notes = Vec::from_iter(is_unused.then_some(Note::Weights));
    let mut vertices = rows;
    if bipartite {
        let [left, right] = sides::separate(&mut edges, [rows, columns])?;
        let first_right = u64::from(left) + 1;
        notes.push(Note::Sides { left, first_right });
        vertices = left + right;
    }
    let edges = EdgeList {
        vertices,
        edges,
        weights,
        directed: banner.directed && !bipartite,
    };
    Ok(Parsed { edges, notes })
}

/// The format, the field and the symmetry of a banner, in small letters.
pub(super) fn banner_words(
    line: &Line<'_>,
    rule: &'static str,
) -> Result<[String; 3], LineProblem> {
    let mut words = line.words();
    let mut word = || {
        let word = words.word().unwrap_or_default();
        String::from_utf8_lossy(word).to_ascii_lowercase()
    };
    let start = [word(), word()];
    let found = [word(), word(), word()];
    let is_banner = [BANNER, &BANNER[1..]].contains(&start[0].as_str());
    match is_banner && start[1] == "matrix" && words.is_empty() {
        true => Ok(found),
        false => Err(header(line, rule)),
    }
}

fn parse_banner(line: &Line<'_>) -> Result<Banner, LineProblem> {
    let wrong = |rule| header(line, rule);
    let [format, field, symmetry] = banner_words(line, BANNER_RULE)?;
    if format != "coordinate" {
        return Err(wrong("only `coordinate` is a graph, not `array`"));
    }
    let (values, weights) = match field.as_str() {
        "pattern" => (0, None),
        "integer" => (1, Some(WeightKind::Integer)),
        "real" => (1, Some(WeightKind::Real)),
        "complex" => (2, None),
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
    Ok(Banner {
        values,
        weights,
        directed,
        is_skew: symmetry == "skew-symmetric",
    })
}

/// The sizes: the first line from byte `from` on that is no comment, or a comment before it
/// that tells as many entries as lines follow.
fn find_size(text: &[u8], from: usize) -> Result<Size, Fault> {
    let is_entry = |line: &Line<'_>| !matches!(line.words().peek(), None | Some(b'%'));
    let all = || lines(text, from..text.len());
    let first = all().find(is_entry).unwrap_or(Line::beyond(text));
    let comments = all().take_while(|line| line.at < first.at);
    let commented = comments.filter_map(|line| {
        let words = line.words().trimmed().strip_prefix(b"%")?;
        parse_size(Words::of(words), &line).ok()
    });
    if let Some(size) = commented.last() {
        let entries = lines(text, first.at..text.len()).filter(is_entry).count();
        if entries as u64 == size.entries {
            let body = first.at;
            return Ok(Size { body, ..size });
        }
    }
    parse_size(first.words(), &first).map_err(|problem| Fault::new(first.at, problem))
}

/// The sizes that the words of a line tell.
fn parse_size(mut words: Words<'_>, line: &Line<'_>) -> Result<Size, LineProblem> {
    let wrong = || header(line, SIZE_RULE);
    let rows = words.whole().ok_or_else(wrong)??;
    let columns = words.whole().ok_or_else(wrong)??;
    let entries = text::count(words.word().ok_or_else(wrong)?)?;
    if !words.is_empty() {
        return Err(wrong());
    }
    if let Some(count) = [rows, columns]
        .into_iter()
        .find(|&count| count > MAX_VERTICES)
    {
        return Err(LineProblem::TooManyVertices {
            count: count.into(),
            limit: MAX_VERTICES,
        });
    }
    Ok(Size {
        at: line.at,
        rows,
        columns,
        entries,
        body: line.next_line(),
    })
}

/// The problem of a line that breaks a rule.
pub(super) fn header(line: &Line<'_>, rule: &'static str) -> LineProblem {
    LineProblem::Header {
        text: excerpt(line.bytes.trim_ascii()),
        rule,
    }
}
