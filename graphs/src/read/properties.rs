//! Properties of Java: a key and a value a line, between them a blank, `=` or `:`. Lines that start
//! with `#` or `!` are comments. A line that ends in a backslash goes on in the next one.

use super::text::lines;

/// A key with its value, neither with blanks around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PropertyEntry {
    /// Its line, counted from 1.
    pub line: usize,
    /// The key.
    pub key: String,
    /// The value, which may be empty.
    pub value: String,
}

/// The entries of a text in their order.
pub(super) fn properties(text: &[u8]) -> Vec<PropertyEntry> {
    let mut entries = Vec::new();
    let mut lines = (1..).zip(lines(text, 0..text.len()));
    while let Some((number, line)) = lines.next() {
        let start = String::from_utf8_lossy(line.bytes);
        let start = start.trim_ascii_start();
        if start.is_empty() || start.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = start.to_owned();
        while is_continued(&logical) {
            logical.pop();
            let Some((_, next)) = lines.next() else { break };
            logical.push_str(String::from_utf8_lossy(next.bytes).trim_ascii_start());
        }
        let (key, value) = divided(&logical);
        entries.push(PropertyEntry {
            line: number,
            key: unescaped(key),
            value: unescaped(value),
        });
    }
    entries
}

/// The value of a key; the last one counts, as in Java.
pub(super) fn find<'a>(entries: &'a [PropertyEntry], key: &str) -> Option<&'a PropertyEntry> {
    entries.iter().rfind(|entry| entry.key == key)
}

/// Whether a line ends in a backslash that no other one escapes.
fn is_continued(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// The key and the value of a line that begins with the key.
fn divided(line: &str) -> (&str, &str) {
    let is_blank = |sign: char| sign.is_ascii_whitespace();
    let mut is_escaped = false;
    let end = line.find(|sign: char| {
        let ends = !is_escaped && (is_blank(sign) || matches!(sign, '=' | ':'));
        is_escaped = sign == '\\' && !is_escaped;
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches(is_blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, value.trim_matches(is_blank))
}

/// A text in which a sign stands for itself behind a backslash.
fn unescaped(text: &str) -> String {
    let mut signs = text.chars();
    let next = || match signs.next() {
        Some('\\') => signs.next(),
        sign => sign,
    };
    std::iter::from_fn(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String, String)> {
        let entries = properties(text.as_bytes()).into_iter();
        entries
            .map(|entry| (entry.line, entry.key, entry.value))
            .collect()
    }

    fn one(key: &str, value: &str) -> Vec<(usize, String, String)> {
        vec![(1, key.to_owned(), value.to_owned())]
    }

    #[test]
    fn a_line_has_a_key_and_a_value() {
        for (text, key, value) in [
            ("a.b = c d", "a.b", "c d"),
            ("a=b=c:d", "a", "b=c:d"),
            ("a:b", "a", "b"),
            ("\t a \t b \r\n", "a", "b"),
            ("a", "a", ""),
            ("a =", "a", ""),
            ("a\\ b\\=c = d\\\\e", "a b=c", "d\\e"),
            ("a = b, \\\n   c,\\\r\n\td\n", "a", "b, c,d"),
            ("a = b\\", "a", "b"),
            ("a = b\\\\\n", "a", "b\\"),
        ] {
            assert_eq!(read(text), one(key, value), "{text:?}");
        }
    }

    #[test]
    fn comments_and_blank_lines_are_passed_over() {
        let text = "# a = b\n\n  ! c = d \\\ne = f # g\n";
        let expected = vec![(4, "e".to_owned(), "f # g".to_owned())];
        assert_eq!(read(text), expected);
        assert!(read("").is_empty());
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let entries = properties(b"a = 1\nb = 2\na = 3\n");
        assert_eq!(find(&entries, "a").map(|entry| entry.line), Some(3));
        assert_eq!(find(&entries, "c"), None);
    }
}
