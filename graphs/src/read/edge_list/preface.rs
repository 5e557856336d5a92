//! What stands before the first edge: comments that tell counts, and names of columns.

use super::super::Note;
use super::super::text::{self, Fault, Line, lines};
use crate::error::excerpt;
use crate::{LineProblem, MOST_VERTICES};

/// What the text says before its first edge.
#[derive(Default)]
pub(super) struct Preface {
    /// Vertices by a comment, and where it stands.
    pub vertices: Option<(u64, usize)>,
    /// Edges by a comment.
    pub edges: Option<u64>,
    pub undirected: bool,
    /// Whether commas separate.
    pub commas: bool,
    /// The names of the first two columns.
    pub header: Option<Note>,
    /// Where the lines of the edges begin.
    pub body: usize,
}

impl Preface {
    /// Vertices by a comment, 0 without one.
    pub fn vertices(&self) -> Result<u32, Fault> {
        let (count, at) = self.vertices.unwrap_or_default();
        if count > u64::from(MOST_VERTICES) {
            let limit = MOST_VERTICES;
            return Err(Fault::new(
                at,
                LineProblem::TooManyVertices { count, limit },
            ));
        }
        Ok(count as u32)
    }
}

/// Looks at all before the first edge.
pub(super) fn preface(text: &[u8]) -> Preface {
    let mut preface = Preface::default();
    for line in lines(text, 0..text.len()) {
        match line.words().peek() {
            None => {}
            Some(b'#' | b'%') => parse_comment(&line, &mut preface),
            Some(_) => {
                preface.commas = line.bytes.contains(&b',');
                preface.header = preface.commas.then(|| names(&line)).flatten();
                preface.body = match preface.header {
                    Some(_) => line.next_line(),
                    None => line.at,
                };
                break;
            }
        }
    }
    preface
}

/// The names of the first two columns, if both are names.
fn names(line: &Line<'_>) -> Option<Note> {
    let is_name = |field: &&[u8]| {
        let unquoted = field.strip_prefix(b"\"").unwrap_or(field);
        unquoted.first().is_some_and(u8::is_ascii_alphabetic)
    };
    let mut fields = line.words().fields().map(|field| field.trimmed());
    let [source, target] = [(); 2].map(|()| fields.next().filter(is_name).map(excerpt));
    Some(Note::Columns {
        source: source?,
        target: target?,
    })
}

/// Looks for `undirected graph`, `Nodes: N` and `Edges: N` in a comment.
fn parse_comment(line: &Line<'_>, preface: &mut Preface) {
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
