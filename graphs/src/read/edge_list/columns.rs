//! Lines of fields with commas, semicolons or tabs between them. Blanks around a field are no
//! part of it, and quotes may stand around it.
//!
//! Without names of columns, the first two fields are the ends, and at most two numbers follow.
//! With names, the ends are found by these, and other fields may hold anything.

use super::super::Note;
use super::super::text::{Line, Words};
use super::is_attributes;
use super::numbering::ReadId;
use crate::LineProblem;
use crate::error::excerpt;

/// How the lines of a text are divided.
pub(super) struct Columns {
    separator: u8,
    named: Option<Named>,
}

/// Columns found by the names in the first line.
struct Named {
    source: usize,
    target: usize,
    /// The column of Gephi's `Directed` and `Undirected`, and whether the first edge is the latter.
    kind: Option<(usize, bool)>,
    /// How many names there are.
    count: usize,
}

/// Names of the columns of both ends in Gephi, igraph and pandas, SNAP.
const ENDS: [[&str; 2]; 4] = [
    ["source", "target"],
    ["from", "to"],
    ["src", "dst"],
    ["fromnodeid", "tonodeid"],
];

/// How `first`, the first line that is no comment, and those after it are divided, none by
/// blanks; and a note if it holds names. Between tabs and blanks a line of words may name
/// vertices: numbers have to follow.
pub(super) fn columns(
    first: &Line<'_>,
    next: Option<&Line<'_>>,
) -> (Option<Columns>, Option<Note>) {
    // Text in braces holds attributes.
    let plain = first.bytes.split(|&byte| byte == b'{').next();
    let has = |separator: &u8| plain.is_some_and(|line| line.contains(separator));
    let is_numbered = || {
        let start = next.and_then(|line| line.words().word());
        start.is_some_and(|word| unquoted(word).first().is_some_and(u8::is_ascii_digit))
    };
    match [b';', b',', b'\t'].into_iter().find(has) {
        Some(separator @ (b';' | b',')) => {
            let (named, names) = Named::of(first, separator, next).unzip();
            (Some(Columns { separator, named }), names)
        }
        Some(separator) if is_numbered() => match Named::of(first, separator, next) {
            Some((named, names)) => {
                let named = Some(named);
                (Some(Columns { separator, named }), Some(names))
            }
            None => (None, None),
        },
        None if is_numbered() => {
            let mut words = first.words();
            let names = [(); 2].map(|()| words.word().filter(|word| is_name(word)));
            (None, note(names))
        }
        _ => (None, None),
    }
}

impl Columns {
    /// Whether a column of types says that edges are undirected; none without one.
    pub fn undirected(&self) -> Option<bool> {
        let kind = self.named.as_ref()?.kind;
        kind.map(|(_, undirected)| undirected)
    }

    /// A line: source, target, and what else there is.
    #[inline]
    pub fn parse_line<N: ReadId>(
        &self,
        line: Words<'_>,
        numbering: &N,
    ) -> Result<Option<[N::Id; 2]>, LineProblem> {
        // A copy: a tab in front ends an empty field.
        let mut start = line;
        if matches!(start.peek(), None | Some(b'#' | b'%')) {
            return Ok(None);
        }
        let ends = match &self.named {
            Some(named) => named.parse_line(line, self.separator, numbering),
            None => self.parse_plain(line, numbering),
        };
        ends.map(Some)
    }

    /// A line without names: source, target, at most two numbers more.
    #[inline]
    fn parse_plain<N: ReadId>(
        &self,
        line: Words<'_>,
        numbering: &N,
    ) -> Result<[N::Id; 2], LineProblem> {
        let mut fields = line.fields(self.separator);
        let wrong = || LineProblem::Values {
            found: line.fields(self.separator).count(),
            rule: match self.separator {
                b';' => {
                    "source and target are needed, and at most two numbers more, with semicolons \
                     between"
                }
                _ => {
                    "source and target are needed, and at most two numbers more, with commas \
                     between"
                }
            },
        };
        let mut ends = [N::Id::default(); 2];
        for end in &mut ends {
            *end = read_id(fields.next().ok_or_else(wrong)?, numbering)?;
        }
        for field in fields.by_ref().take(2) {
            if let Err(problem) = self.number(field) {
                return match is_attributes(field, line) {
                    true => Ok(ends),
                    false => Err(problem),
                };
            }
        }
        match fields.next() {
            None => Ok(ends),
            Some(_) => Err(wrong()),
        }
    }

    /// Passes over a number, which may have a decimal comma where semicolons separate.
    #[inline]
    fn number(&self, field: Words<'_>) -> Result<(), LineProblem> {
        let read = whole_field(field, Words::number);
        if read.is_err() && self.separator == b';' {
            let text = field.trimmed().iter();
            let point: Vec<u8> = text.map(|&b| if b == b',' { b'.' } else { b }).collect();
            return whole_field(Words::of(&point), Words::number).or(read);
        }
        read
    }
}

impl Named {
    /// The columns that a line names, with a note; none if it names none. Ends without a name
    /// that programs give them are the first two.
    fn of(first: &Line<'_>, separator: u8, next: Option<&Line<'_>>) -> Option<(Self, Note)> {
        let names: Vec<&[u8]> = fields(first.words(), separator).collect();
        let lower = names.iter().map(|name| unquoted(name).to_ascii_lowercase());
        let lower: Vec<Vec<u8>> = lower.collect();
        let place = |name: &str| lower.iter().position(|other| other == name.as_bytes());
        let by_names = ENDS.iter().find_map(|[s, t]| Some([place(s)?, place(t)?]));
        let are_names = || names.len() > 1 && names[..2].iter().all(|name| is_name(name));
        let [source, target] = by_names.or_else(|| are_names().then_some([0, 1]))?;
        // Other programs may use this name for anything.
        let kind = place("type").and_then(|kind| {
            let field = fields(next?.words(), separator).nth(kind)?;
            Some((kind, is_undirected(field)?))
        });
        let note = note([source, target].map(|end| Some(names[end])))?;
        let count = names.len();
        let named = Self {
            source,
            target,
            kind,
            count,
        };
        Some((named, note))
    }

    fn parse_line<N: ReadId>(
        &self,
        line: Words<'_>,
        separator: u8,
        numbering: &N,
    ) -> Result<[N::Id; 2], LineProblem> {
        let mut found = 0;
        let (mut source, mut target) = (None, None);
        for field in fields(line, separator) {
            if found == self.source {
                source = Some(read_id(Words::of(field), numbering)?);
            } else if found == self.target {
                target = Some(read_id(Words::of(field), numbering)?);
            } else if let Some((kind, undirected)) = self.kind
                && found == kind
                && is_undirected(field) != Some(undirected)
            {
                return Err(LineProblem::MixedTypes {
                    found: excerpt(field),
                    before: if undirected { "Undirected" } else { "Directed" },
                });
            }
            let quotes = || field.iter().filter(|&&byte| byte == b'"').count();
            if field.first() == Some(&b'"') && quotes() % 2 == 1 {
                return Err(LineProblem::OpenQuote(excerpt(field)));
            }
            found += 1;
        }
        match (source, target) {
            (Some(source), Some(target)) if found <= self.count => Ok([source, target]),
            _ => Err(LineProblem::Values {
                found,
                rule: "source and target are needed, and no more than the first line names",
            }),
        }
    }
}

/// The note on the names of both ends, if both have one.
fn note(names: [Option<&[u8]>; 2]) -> Option<Note> {
    let [source, target] = names.map(|name| name.map(excerpt));
    Some(Note::Columns {
        source: source?,
        target: target?,
    })
}

fn is_name(field: &[u8]) -> bool {
    unquoted(field).first().is_some_and(u8::is_ascii_alphabetic)
}

/// Gephi's types of edges.
fn is_undirected(field: &[u8]) -> Option<bool> {
    match &unquoted(field).to_ascii_lowercase()[..] {
        b"undirected" => Some(true),
        b"directed" => Some(false),
        _ => None,
    }
}

/// A field without the quotes around it.
fn unquoted(field: &[u8]) -> &[u8] {
    let inside = field.strip_prefix(b"\"");
    inside.map_or(field, |inside| inside.strip_suffix(b"\"").unwrap_or(inside))
}

/// The fields of a line, without blanks around them. In a field that begins with a quote, a
/// separator between quotes is none.
fn fields<'a>(line: Words<'a>, separator: u8) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(line.rest());
    std::iter::from_fn(move || {
        let line = rest?;
        let has_quotes = line.trim_ascii_start().starts_with(b"\"");
        let mut is_quoted = false;
        // Two quotes inside a quoted field stand for one: they close it and open it again.
        let end = line.iter().position(|&byte| {
            is_quoted ^= has_quotes && byte == b'"';
            byte == separator && !is_quoted
        });
        let end = end.unwrap_or(line.len());
        rest = line.get(end + 1..);
        Some(line[..end].trim_ascii())
    })
}

/// An id that fills a field, with or without quotes.
#[inline]
fn read_id<N: ReadId>(field: Words<'_>, numbering: &N) -> Result<N::Id, LineProblem> {
    let read = whole_field(field, |words| numbering.read(words));
    match read {
        Ok(id) => Ok(id),
        Err(problem) => match field.trimmed() {
            [b'"', inside @ .., b'"'] => {
                whole_field(Words::of(inside), |words| numbering.read(words)).or(Err(problem))
            }
            _ => Err(problem),
        },
    }
}

/// A field that is one word.
#[inline]
fn whole_field<'a, T>(
    mut field: Words<'a>,
    read: impl FnOnce(&mut Words<'a>) -> Option<Result<T, LineProblem>>,
) -> Result<T, LineProblem> {
    let all = field;
    let wrong = || LineProblem::NotANumber(excerpt(all.trimmed()));
    let value = read(&mut field).ok_or_else(wrong)??;
    if field.is_empty() {
        Ok(value)
    } else {
        Err(wrong())
    }
}
