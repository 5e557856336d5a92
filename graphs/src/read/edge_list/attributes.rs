//! The attributes of an edge, as networkx writes them: a dictionary of Python, which may be nested
//! and hold strings.

use super::super::text::Words;

/// The rest of a line, if it is a dictionary.
#[cold]
pub(super) fn attributes<'a>(rest: Words<'a>, line: Words<'a>) -> Option<&'a [u8]> {
    let is_dictionary = rest.trimmed().starts_with(b"{") && line.trimmed().ends_with(b"}");
    let from = line.rest().iter().position(|&byte| byte == b'{')?;
    is_dictionary.then(|| line.rest()[from..].trim_ascii())
}

/// The value of the attribute `weight`.
pub(super) fn weight_of(attributes: &[u8]) -> Option<&[u8]> {
    let inside = attributes.strip_prefix(b"{")?.strip_suffix(b"}")?;
    split(inside, b',').find_map(|attribute| {
        let mut parts = split(attribute, b':');
        let name = parts.next()?.trim_ascii();
        let value = parts.next()?.trim_ascii();
        matches!(name, b"'weight'" | b"\"weight\"").then_some(value)
    })
}

/// The parts of a text between separators outside of strings and brackets.
fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut quote, mut is_escaped, mut depth) = (None, false, 0_u32);
        let end = text.iter().position(|&byte| {
            match (quote, byte) {
                (Some(_), _) if is_escaped => is_escaped = false,
                (Some(_), b'\\') => is_escaped = true,
                (Some(mark), _) if mark == byte => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'{' | b'[' | b'(') => depth += 1,
                (None, b'}' | b']' | b')') => depth = depth.saturating_sub(1),
                (None, _) => return byte == separator && depth == 0,
            }
            false
        });
        let end = end.unwrap_or(text.len());
        rest = text.get(end + 1..);
        Some(&text[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_is_found_by_its_name() {
        for (text, weight) in [
            ("{'weight': 3}", Some("3")),
            ("{'colour': 'a, b', \"weight\" : 0.5 }", Some("0.5")),
            ("{'w': {'weight': 1}, 'weight': 2}", Some("2")),
            ("{'l': [1, 'weight'], 'weight': 'x'}", Some("'x'")),
            (r"{'a': 'it\'s, \'weight\': 1', 'weight': 2}", Some("2")),
            ("{'a': \"'weight': 1, \", 'b': ''}", None),
            ("{'w': {'weight': 1}}", None),
            ("{'weights': 1, weight: 2}", None),
            ("{'weight'}", None),
            ("{}", None),
            ("{", None),
        ] {
            let found = weight_of(text.as_bytes());
            assert_eq!(found, weight.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn dictionaries_end_with_their_line() {
        let of = |rest: &'static str| {
            let line = Words::of(b"0 1 {'a': 1} ");
            attributes(Words::of(rest.as_bytes()), line)
        };
        assert_eq!(of(" {'a':"), Some(&b"{'a': 1}"[..]));
        assert_eq!(of("x"), None);
        assert_eq!(attributes(Words::of(b"{"), Words::of(b"0 1 {'a': 1")), None);
    }
}
