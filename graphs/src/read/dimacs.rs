//! The two older DIMACS formats, whose lines start with a letter, and that of PACE.
//!
//! DIMACS-9 `.gr`: `p sp n m`, then `a from to weight`, directed, with integers as weights. PACE
//! `.gr`: `p tw n m`, then `u v`, undirected. Colouring and clique files `.col`, `.clq`: `p edge n m`
//! or `p col n m`, then `e u v`, undirected; the lines `n`, `d`, `v` and `x` of that format, which say
//! how a graph is drawn or was made, are passed over. Ids count from 1; lines that start with `c` are
//! comments.

use super::entries::{Entries, parse_lines};
use super::text::{self, Fault, Line, Words, lines};
use super::weights::{WeightForm, read_as};
use super::{Note, Parsed, ReadWeights};
use crate::error::excerpt;
use crate::{EdgeList, LineProblem, MAX_VERTICES};

/// The differences between the formats.
struct Dialect {
    /// The problem types after `p`.
    problems: &'static [&'static str],
    header: &'static str,
    keywords: &'static str,
    directed: bool,
    /// Reads a line other than comments.
    line: ReadLine,
}

/// Takes a line's keyword, its other words, the number of vertices and how weights are taken.
type ReadLine = fn(&[u8], Words<'_>, u32, WeightForm, &mut Entries<u32>) -> Result<(), LineProblem>;

const GR: Dialect = Dialect {
    problems: &["sp"],
    header: "`p sp vertices arcs` is needed before the arcs",
    keywords: "lines start with c, p or a",
    directed: true,
    line: arc,
};

/// The challenges of PACE whose instances are graphs: treewidth, treedepth, vertex cover (which
/// says `td` too), cluster editing, twinwidth, dominating sets.
const PACE: Dialect = Dialect {
    problems: &["tw", "td", "tdp", "vc", "cep", "tww", "ds"],
    header: "`p tw vertices edges` is needed before the edges",
    keywords: "lines start with c, p or a vertex",
    directed: false,
    line: pair,
};

const COL: Dialect = Dialect {
    problems: &["edge", "edges", "col"],
    header: "`p edge vertices edges` is needed before the edges",
    keywords: "lines start with c, p, e, n, d, v or x",
    directed: false,
    line: edge,
};

impl Dialect {
    fn has(&self, problem: &[u8]) -> bool {
        let mut known = self.problems.iter();
        known.any(|known| known.as_bytes() == problem)
    }
}

/// Whether a word after `p` is that of a `.gr`.
pub(super) fn is_gr(problem: &[u8]) -> bool {
    GR.has(problem) || PACE.has(problem)
}

/// Reads DIMACS-9, or PACE if the header is of that.
pub(super) fn read_gr(text: &[u8], weights: ReadWeights) -> Result<Parsed, Fault> {
    let problem = header(text).and_then(|line| {
        let mut words = line.words();
        words.word();
        words.word()
    });
    if problem.is_some_and(|problem| PACE.has(problem)) {
        return without_weights(text, &PACE);
    }
    let asked = match weights {
        // The format has no others.
        ReadWeights::ByFile => ReadWeights::Integer,
        asked => asked,
    };
    let edges = read(text, &GR, asked)?;
    let notes = Vec::from_iter(edges.weights.is_none().then_some(Note::Weights));
    Ok(Parsed { edges, notes })
}

/// Reads the colouring and clique format.
pub(super) fn read_col(text: &[u8]) -> Result<Parsed, Fault> {
    without_weights(text, &COL)
}

fn without_weights(text: &[u8], dialect: &Dialect) -> Result<Parsed, Fault> {
    let edges = read(text, dialect, ReadWeights::None)?;
    let notes = Vec::new();
    Ok(Parsed { edges, notes })
}

/// The first line that is no comment.
fn header(text: &[u8]) -> Option<Line<'_>> {
    let mut skipped = lines(text, 0..text.len());
    skipped.find(|line| !matches!(line.words().word(), None | Some(b"c")))
}

fn read(text: &[u8], dialect: &Dialect, weights: ReadWeights) -> Result<EdgeList, Fault> {
    let header = header(text);
    let at = header.map_or(0, |line| line.at);
    let (vertices, declared) =
        parse_header(header.as_ref(), dialect).map_err(|problem| Fault::new(at, problem))?;
    let body = header.map_or(text.len(), |line| line.next_line());
    let (entries, kind) = read_as(weights, |form| {
        parse_lines(text, body, |mut words, entries| match words.word() {
            None | Some(b"c") => Ok(()),
            Some(keyword) => (dialect.line)(keyword, words, vertices, form, entries),
        })
    })?;
    let (edges, weights) = entries.weighted(kind);
    let found = edges.len() as u64;
    if found != declared {
        return Err(Fault::new(at, LineProblem::EdgeCount { declared, found }));
    }
    Ok(EdgeList {
        vertices,
        edges,
        weights,
        directed: dialect.directed,
    })
}

/// The counts of vertices and edges.
fn parse_header(line: Option<&Line<'_>>, dialect: &Dialect) -> Result<(u32, u64), LineProblem> {
    let wrong = || LineProblem::Header {
        text: excerpt(line.map_or(&b""[..], |line| line.bytes).trim_ascii()),
        rule: dialect.header,
    };
    let mut words = line.ok_or_else(wrong)?.words();
    let problem = words.word().filter(|&word| word == b"p");
    let problem = problem.and_then(|_| words.word()).ok_or_else(wrong)?;
    if !dialect.has(problem) {
        return Err(wrong());
    }
    let vertices = words.whole().ok_or_else(wrong)??;
    let edges = text::count(words.word().ok_or_else(wrong)?)?;
    if !words.is_empty() {
        return Err(wrong());
    }
    if vertices > MAX_VERTICES {
        return Err(LineProblem::TooManyVertices {
            count: vertices.into(),
            limit: MAX_VERTICES,
        });
    }
    Ok((vertices, edges))
}

/// `a from to weight`.
fn arc(
    keyword: &[u8],
    mut words: Words<'_>,
    vertices: u32,
    form: WeightForm,
    entries: &mut Entries<u32>,
) -> Result<(), LineProblem> {
    if keyword != b"a" {
        return Err(unknown(keyword, &GR));
    }
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule: "`a` takes a source, a target and a weight",
    };
    let from = words.vertex(vertices).ok_or_else(wrong)??;
    let to = words.vertex(vertices).ok_or_else(wrong)??;
    let weight = words.number().ok_or_else(wrong)??;
    if !words.is_empty() {
        return Err(wrong());
    }
    entries.push([from, to], form.parse(weight)?);
    Ok(())
}

/// Reads `u v`; the caller took the first word for a keyword.
fn pair(
    from: &[u8],
    mut words: Words<'_>,
    vertices: u32,
    _: WeightForm,
    entries: &mut Entries<u32>,
) -> Result<(), LineProblem> {
    let wrong = |found| LineProblem::Values {
        found,
        rule: "an edge is two vertices",
    };
    if !from[0].is_ascii_digit() && from[0] != b'-' {
        return Err(unknown(from, &PACE));
    }
    let u = Words::of(from).vertex(vertices).ok_or(wrong(0))??;
    let all = words;
    let v = words.vertex(vertices).ok_or(wrong(1))??;
    if !words.is_empty() {
        return Err(wrong(1 + all.count()));
    }
    entries.push([u, v], None);
    Ok(())
}

/// `e u v`, or `n v value`, which labels a vertex, or what describes the graph.
fn edge(
    keyword: &[u8],
    mut words: Words<'_>,
    vertices: u32,
    _: WeightForm,
    entries: &mut Entries<u32>,
) -> Result<(), LineProblem> {
    let rule = match keyword {
        b"e" => "`e` takes two vertices",
        b"n" => "`n` takes a vertex and a value",
        b"d" | b"v" | b"x" => return Ok(()),
        _ => return Err(unknown(keyword, &COL)),
    };
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule,
    };
    let u = words.vertex(vertices).ok_or_else(wrong)??;
    if keyword == b"e" {
        let v = words.vertex(vertices).ok_or_else(wrong)??;
        entries.push([u, v], None);
    } else {
        words.number().ok_or_else(wrong)??;
    }
    if words.is_empty() {
        Ok(())
    } else {
        Err(wrong())
    }
}

fn unknown(keyword: &[u8], dialect: &Dialect) -> LineProblem {
    LineProblem::Keyword {
        word: excerpt(keyword),
        rule: dialect.keywords,
    }
}
