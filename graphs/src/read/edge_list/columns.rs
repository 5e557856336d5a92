//! Lines of fields with commas between them. Blanks around a field are no part of it; a field
//! that is empty is wrong, and so are quotes.

use super::super::text::Words;
use super::numbering::ReadId;
use crate::LineProblem;
use crate::error::excerpt;

/// A line: source, target, at most two numbers more.
pub(super) fn parse_line<N: ReadId>(
    mut line: Words<'_>,
    numbering: &N,
) -> Result<Option<[N::Id; 2]>, LineProblem> {
    if matches!(line.peek(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let mut fields = line.fields();
    let wrong = || LineProblem::Values {
        found: line.fields().count(),
        rule: "source and target are needed, and at most two numbers more, with commas between",
    };
    let mut ends = [N::Id::default(); 2];
    for end in &mut ends {
        let field = fields.next().ok_or_else(wrong)?;
        *end = whole_field(field, |words| numbering.read(words))?;
    }
    for field in fields.by_ref().take(2) {
        whole_field(field, Words::number)?;
    }
    match fields.next() {
        None => Ok(Some(ends)),
        Some(_) => Err(wrong()),
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
