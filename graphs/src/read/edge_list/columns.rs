//! Lines of fields with commas, semicolons or tabs between them. Blanks around a field are no
//! part of it, and quotes may stand around it.
//!
//! Without names of columns, the first two fields are the ends, and at most two numbers follow, a
//! weight first. With names, the ends and the weight are found by these, and other fields may hold
//! anything.

use std::borrow::Cow;

use super::super::Note;
use super::super::text::{Line, Words};
use super::Edge;
use super::attributes::{attributes, weight_of};
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
    weight: Option<usize>,
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

/// Names of the column of weights. The first of them that a list has counts.
const WEIGHTS: [&str; 5] = ["weight", "value", "distance", "length", "cost"];
/// The column of weights where columns have no names.
const THIRD: usize = 2;

/// How the lines of a text are divided, and what the columns are.
pub(super) struct Division {
    /// None where blanks divide.
    pub columns: Option<Columns>,
    /// The names of the columns of both ends, if the first line holds names.
    pub names: Option<Note>,
    /// The column of weights, if there is one.
    pub weight: Option<usize>,
}

/// How `first`, the first line that is no comment, and those after it are divided. Between tabs and
/// blanks a line of words may name vertices: numbers have to follow.
pub(super) fn division(first: &Line<'_>, next: Option<&Line<'_>>) -> Division {
    // Text in braces holds attributes.
    let plain = first.bytes.split(|&byte| byte == b'{').next();
    let has = |separator: &u8| plain.is_some_and(|line| line.contains(separator));
    let is_numbered = || {
        let start = next.and_then(|line| line.words().word());
        start.is_some_and(|word| unquoted(word).first().is_some_and(u8::is_ascii_digit))
    };
    let unnamed = |columns| Division {
        columns,
        names: None,
        weight: Some(THIRD),
    };
    match [b';', b',', b'\t'].into_iter().find(has) {
        Some(separator) if separator != b'\t' || is_numbered() => {
            match Named::of(first, separator, next) {
                Some((named, names)) => Division {
                    weight: named.weight,
                    columns: Some(Columns {
                        separator,
                        named: Some(named),
                    }),
                    names: Some(names),
                },
                // Tabs without names are blanks.
                None => unnamed((separator != b'\t').then_some(Columns {
                    separator,
                    named: None,
                })),
            }
        }
        None if is_numbered() => {
            let mut words = first.words();
            let words: Vec<&[u8]> = std::iter::from_fn(|| words.word()).collect();
            match words[..] {
                [source, target, ..] if is_name(source) && is_name(target) => Division {
                    columns: None,
                    names: Some(note([source, target])),
                    weight: weight_column(&words, [0, 1]),
                },
                _ => unnamed(None),
            }
        }
        _ => unnamed(None),
    }
}

/// The column of weights by the names of columns; none of the ends is it.
fn weight_column(names: &[&[u8]], ends: [usize; 2]) -> Option<usize> {
    let column = |wanted: &str| {
        let mut named = names.iter().enumerate();
        let is_wanted = |name: &[u8]| unquoted(name).eq_ignore_ascii_case(wanted.as_bytes());
        let found = named.find(|&(column, name)| !ends.contains(&column) && is_wanted(name));
        found.map(|(column, _)| column)
    };
    WEIGHTS.iter().find_map(|name| column(name))
}

impl Columns {
    /// Whether a column of types says that edges are undirected; none without one.
    pub fn undirected(&self) -> Option<bool> {
        let kind = self.named.as_ref()?.kind;
        kind.map(|(_, undirected)| undirected)
    }

    /// A line: source, target, and what else there is.
    #[inline]
    pub fn parse_line<'a, N: ReadId>(
        &self,
        line: Words<'a>,
        numbering: &N,
    ) -> Result<Edge<'a, N::Id>, LineProblem> {
        match &self.named {
            Some(named) => named.parse_line(line, self.separator, numbering),
            None => self.parse_plain(line, numbering),
        }
    }

    /// A line without names: source, target, at most two numbers more.
    #[inline]
    fn parse_plain<'a, N: ReadId>(
        &self,
        line: Words<'a>,
        numbering: &N,
    ) -> Result<Edge<'a, N::Id>, LineProblem> {
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
        let mut weight = None;
        for field in fields.by_ref().take(2) {
            if let Err(problem) = self.number(field) {
                let attributes = attributes(field, line).ok_or(problem)?;
                return Ok((ends, weight.or_else(|| weight_of(attributes))));
            }
            weight = weight.or(Some(field.trimmed()));
        }
        match fields.next() {
            None => Ok((ends, weight)),
            Some(_) => Err(wrong()),
        }
    }

    /// Passes over a number, which may have a decimal comma where semicolons separate.
    #[inline]
    fn number(&self, field: Words<'_>) -> Result<(), LineProblem> {
        let number = |field: Words<'_>| whole_field(field, Words::number).map(|_| ());
        let read = number(field);
        match self.with_point(field.trimmed()) {
            Cow::Owned(point) if read.is_err() => number(Words::of(&point)).or(read),
            _ => read,
        }
    }

    /// A number with a decimal point where semicolons separate, since it may have a comma there.
    pub fn with_point<'a>(&self, number: &'a [u8]) -> Cow<'a, [u8]> {
        match self.separator {
            b';' if number.contains(&b',') => {
                let bytes = number.iter();
                bytes.map(|&b| if b == b',' { b'.' } else { b }).collect()
            }
            _ => number.into(),
        }
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
        let ends = by_names.or_else(|| are_names().then_some([0, 1]))?;
        let [source, target] = ends;
        // Other programs may use this name for anything.
        let kind = place("type").and_then(|kind| {
            let field = fields(next?.words(), separator).nth(kind)?;
            Some((kind, is_undirected(field)?))
        });
        let note = note(ends.map(|end| names[end]));
        let count = names.len();
        let named = Self {
            source,
            target,
            weight: weight_column(&names, ends),
            kind,
            count,
        };
        Some((named, note))
    }

    /// A line. An empty field is no weight.
    fn parse_line<'a, N: ReadId>(
        &self,
        line: Words<'a>,
        separator: u8,
        numbering: &N,
    ) -> Result<Edge<'a, N::Id>, LineProblem> {
        let mut found = 0;
        let (mut source, mut target, mut weight) = (None, None, None);
        for field in fields(line, separator) {
            if found == self.source {
                source = Some(read_id(Words::of(field), numbering)?);
            } else if found == self.target {
                target = Some(read_id(Words::of(field), numbering)?);
            } else if Some(found) == self.weight {
                weight = Some(unquoted(field).trim_ascii()).filter(|text| !text.is_empty());
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
            (Some(source), Some(target)) if found <= self.count => Ok(([source, target], weight)),
            _ => Err(LineProblem::Values {
                found,
                rule: "source and target are needed, and no more than the first line names",
            }),
        }
    }
}

/// The note on the names of both ends.
fn note(names: [&[u8]; 2]) -> Note {
    let [source, target] = names.map(excerpt);
    Note::Columns { source, target }
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
