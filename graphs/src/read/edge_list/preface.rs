//! The lines before the first edge: comments that give counts, and names of columns.

use std::borrow::Cow;

use super::super::Note;
use super::super::text::{self, Fault, Line, lines};
use super::columns::{Columns, Division, division};
use super::konect::{self, Konect};
use crate::{LineProblem, MAX_VERTICES};

/// The facts that the lines before the first edge give.
#[derive(Default)]
pub(super) struct Preface {
    /// Vertices by a comment, and where it stands.
    pub vertices: Option<(u64, usize)>,
    /// Edges by a comment.
    pub edges: Option<u64>,
    pub undirected: bool,
    /// The header of KONECT, and where it stands.
    pub konect: Option<(Konect, usize)>,
    /// How a line is divided; by blanks without it.
    pub columns: Option<Columns>,
    /// The names of the columns of both ends.
    pub names: Option<Note>,
    /// The column of weights; none if names or KONECT's header tell that there is none.
    pub weight: Option<usize>,
    /// Where the lines of the edges begin.
    pub body: usize,
}

impl Preface {
    /// Vertices by a comment, 0 without one.
    pub fn vertices(&self) -> Result<u32, Fault> {
        let (count, at) = self.vertices.unwrap_or_default();
        within_limit(count, at)
    }

    /// Vertices of each side by a comment, 0 without one.
    pub fn sides(&self) -> Result<[u32; 2], Fault> {
        let konect = self
            .konect
            .and_then(|(konect, at)| Some((konect.sides?, at)));
        let ([left, right], at) = konect.unwrap_or_default();
        Ok([within_limit(left, at)?, within_limit(right, at)?])
    }

    /// A number with a decimal point, also where the text has a comma.
    pub fn with_point<'a>(&self, number: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.columns {
            None => number.into(),
            Some(columns) => columns.with_point(number),
        }
    }
}

fn within_limit(count: u64, at: usize) -> Result<u32, Fault> {
    if count > u64::from(MAX_VERTICES) {
        let limit = MAX_VERTICES;
        let problem = LineProblem::TooManyVertices { count, limit };
        return Err(Fault::new(at, problem));
    }
    Ok(count as u32)
}

/// Looks at all before the first edge.
pub(super) fn preface(text: &[u8]) -> Preface {
    let mut preface = Preface::default();
    let mut comments = 0;
    for line in lines(text, 0..text.len()) {
        match line.words().peek() {
            None => {}
            Some(b'#' | b'%') => {
                parse_comment(&line, comments, &mut preface);
                comments += 1;
            }
            Some(_) => {
                let next = lines(text, line.next_line()..text.len()).find(is_edge);
                let Division {
                    columns,
                    names,
                    weight,
                } = division(&line, next.as_ref());
                let is_unweighted = preface.konect.is_some_and(|(konect, _)| konect.unweighted);
                preface.columns = columns;
                preface.names = names;
                preface.weight = weight.filter(|_| !is_unweighted);
                preface.body = match preface.names {
                    Some(_) => line.next_line(),
                    None => line.at,
                };
                break;
            }
        }
    }
    preface
}

/// Whether a line is neither blank nor a comment.
pub(super) fn is_edge(line: &Line<'_>) -> bool {
    !matches!(line.words().peek(), None | Some(b'#' | b'%'))
}

/// Looks for the headers of KONECT, `undirected graph`, `Nodes: N` and `Edges: N` in a comment,
/// before which there are so many others.
fn parse_comment(line: &Line<'_>, before: usize, preface: &mut Preface) {
    match (before, &preface.konect) {
        (0, _) => preface.konect = Konect::of(line).map(|konect| (konect, line.at)),
        (1, Some(_)) => {
            if let Some(sizes) = konect::sizes(line) {
                preface.edges = Some(sizes.edges);
                preface.vertices = Some((sizes.left.max(sizes.right), line.at));
                preface.konect = preface.konect.map(|(konect, at)| {
                    let sides = Some([sizes.left, sizes.right]);
                    (Konect { sides, ..konect }, at)
                });
                return;
            }
        }
        _ => {}
    }
    let mut words = line.words();
    let mut last: &[u8] = b"";
    while let Some(word) = words.word() {
        let number = || text::count(word).ok();
        match &last.to_ascii_lowercase()[..] {
            b"undirected" | b"#undirected" if word.to_ascii_lowercase().starts_with(b"graph") => {
                preface.undirected = true;
            }
            b"nodes:" => preface.vertices = number().map(|count| (count, line.at)),
            b"edges:" => preface.edges = number(),
            _ => {}
        }
        last = word;
    }
}
