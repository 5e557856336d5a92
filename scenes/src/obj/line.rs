//! Lines of OBJ text: where they end, their comments, and names in them.

use crate::beside::unquoted;

/// Where the line ends that starts at a place, its separator included.
pub(super) fn end_of_line(text: &str, start: usize, separator: u8) -> usize {
    let at = memchr::memchr(separator, &text.as_bytes()[start..]);
    at.map_or(text.len(), |at| start + at + 1)
}

/// Whether a line goes on in the next one.
pub(super) fn goes_on(line: &str) -> bool {
    line.trim_end().ends_with('\\')
}

/// The text before a comment.
pub(super) fn without_comment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(before, _)| before)
}

/// Appends a line of a word and the rest.
pub(super) fn push_line(out: &mut String, word: &str, rest: &str) {
    out.push_str(word);
    out.push(' ');
    out.push_str(rest);
    out.push('\n');
}

/// Splits the names after `mtllib`. They are separated by spaces, and yet a name may contain some:
/// it is between quotes, or ends where a word ends in `.mtl`.
pub(super) fn libraries(names: &str) -> impl Iterator<Item = &str> {
    const SUFFIX: &str = ".mtl";
    let mut rest = names;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.find('"'));
        let end = match quoted {
            Some(end) => end + 2,
            None => {
                let mut ends = rest
                    .char_indices()
                    .filter(|(_, letter)| letter.is_whitespace());
                let is_end = |end: usize| {
                    let start = end.checked_sub(SUFFIX.len());
                    let suffix = start.and_then(|start| rest.get(start..end));
                    suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(SUFFIX))
                };
                ends.find(|(end, _)| is_end(*end))
                    .map_or(rest.len(), |(end, _)| end)
            }
        };
        let (name, behind) = rest.split_at(end);
        rest = behind;
        (!name.is_empty()).then(|| unquoted(name))
    })
}
