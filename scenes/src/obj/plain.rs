//! Lines of OBJ text that bytes alone show to be sound, which nearly all are: three or six decimal
//! numbers after `v`, positive indices after `f`. Any other line is looked at with more care.

/// The kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// A vertex that `tobj` may have as it stands.
    Vertex,
    /// A vertex with a colour, which `tobj` is not to have: its position ends after so many bytes
    /// of the line.
    Coloured { behind_position: usize },
    /// A face that `tobj` may have as it stands, by its largest index.
    Face(u32),
    /// A face that has more than vertices, by its largest index.
    Slashed(u32),
    /// A normal, if it is sound.
    Normal,
    /// Nothing that makes triangles.
    Nothing,
}

/// Digits before the point that a number may have to be at most 1e18.
const MAX_DIGITS: usize = 18;
/// Digits of an index that fit 32 bits in any case.
const MAX_INDEX_DIGITS: usize = 9;

/// The kind of the first line of a text, if its bytes show it, and the bytes after its end. A line
/// that the text ends in before a line's end is none.
pub(super) fn plain(text: &[u8]) -> Option<(Plain, &[u8])> {
    match text {
        [b'v', b' ' | b'\t', ..] => vertex(text),
        [b'f', b' ' | b'\t', rest @ ..] => face(rest),
        [b'\n' | b'#', ..] | [b'v', b't' | b'n', b' ', ..] | [b's', b' ', ..] => {
            let (line, rest) = text.split_at(memchr::memchr(b'\n', text)? + 1);
            // Unless it goes on in the next line.
            let end = line.trim_ascii_end().last();
            let is_all = end.is_none_or(|&end| end != b'\\' && end.is_ascii());
            let kind = match text {
                [b'v', b'n', ..] => Plain::Normal,
                _ => Plain::Nothing,
            };
            is_all.then_some((kind, rest))
        }
        _ => None,
    }
}

/// Bytes without the blanks before them.
fn after_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// The bytes after a line's end, if it is next but for blanks.
fn after_end(bytes: &[u8]) -> Option<&[u8]> {
    match after_blanks(bytes) {
        [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Whether a word ends here.
fn is_end_of_word(bytes: &[u8]) -> bool {
    matches!(bytes, [b' ' | b'\t' | b'\r' | b'\n', ..])
}

/// The bytes after a run of digits, and how many there were.
fn digits(bytes: &[u8]) -> (&[u8], usize) {
    let count = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (&bytes[count..], count)
}

/// The bytes after three numbers and the blanks between them.
fn three_numbers(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    for _ in 0..3 {
        rest = number(after_blanks(rest))?;
        if !is_end_of_word(rest) {
            return None;
        }
    }
    Some(rest)
}

/// A vertex, with a colour or without one, and the bytes after its line.
fn vertex(line: &[u8]) -> Option<(Plain, &[u8])> {
    let colour = three_numbers(&line[1..])?;
    if let Some(rest) = after_end(colour) {
        return Some((Plain::Vertex, rest));
    }
    let behind_position = line.len() - colour.len();
    let rest = after_end(three_numbers(colour)?)?;
    Some((Plain::Coloured { behind_position }, rest))
}

/// The bytes after a decimal number of at most 1e18.
fn number(bytes: &[u8]) -> Option<&[u8]> {
    let unsigned = match bytes {
        [b'-' | b'+', rest @ ..] => rest,
        _ => bytes,
    };
    let (mut rest, whole) = digits(unsigned);
    let mut count = whole;
    if let [b'.', fraction @ ..] = rest {
        let (after, parts) = digits(fraction);
        (rest, count) = (after, whole + parts);
    }
    if count == 0 || whole > MAX_DIGITS {
        return None;
    }
    if let [b'e' | b'E', b'-', exponent @ ..] = rest {
        let (after, count) = digits(exponent);
        return (count > 0).then_some(after);
    }
    Some(rest)
}

/// A face of three corners or more, without negative indices, and the bytes after its line.
fn face(bytes: &[u8]) -> Option<(Plain, &[u8])> {
    let mut rest = bytes;
    let (mut corners, mut largest, mut is_slashed) = (0, 0, false);
    let after = loop {
        let word = after_blanks(rest);
        let mut index = 0;
        let mut count = 0;
        while let Some(digit) = word.get(count).map(|byte| byte.wrapping_sub(b'0'))
            && digit <= 9
        {
            index = 10 * index + u64::from(digit);
            count += 1;
            if count > MAX_INDEX_DIGITS {
                return None;
            }
        }
        if index == 0 {
            return None;
        }
        largest = largest.max(index as u32);
        corners += 1;
        rest = &word[count..];
        for _ in 0..2 {
            if let [b'/', other @ ..] = rest {
                let unsigned = other.strip_prefix(b"-").unwrap_or(other);
                let (after, count) = digits(unsigned);
                if count > MAX_INDEX_DIGITS || (count == 0 && other.starts_with(b"-")) {
                    return None;
                }
                is_slashed = true;
                rest = after;
            }
        }
        if !is_end_of_word(rest) {
            return None;
        }
        if let Some(after) = after_end(rest) {
            break after;
        }
    };
    let kind = match is_slashed {
        true => Plain::Slashed(largest),
        false => Plain::Face(largest),
    };
    (corners >= 3).then_some((kind, after))
}

/// Appends the vertices of a slashed face as a line.
pub(super) fn push_vertices(line: &str, out: &mut String) {
    out.push('f');
    for word in line.split_ascii_whitespace().skip(1) {
        let end = word.find('/').unwrap_or(word.len());
        out.push(' ');
        out.push_str(&word[..end]);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a line that another one follows.
    fn kind(line: &str) -> Option<Plain> {
        let text = format!("{line}\nv 7 7 7\n");
        let (kind, rest) = plain(text.as_bytes())?;
        assert_eq!(rest, b"v 7 7 7\n", "{line}");
        Some(kind)
    }

    #[test]
    fn sound_lines_are_known_by_their_bytes() {
        for line in [
            "v 1 2 3",
            "v -1.5 +.25 3.",
            "v\t0\t0  0 \r",
            "v 1e-7 2.5E-30 -0e-0",
            "v 999999999999999999 0 0.00000000000000000000000001",
        ] {
            assert_eq!(kind(line), Some(Plain::Vertex), "{line}");
            assert!(
                line.split_whitespace()
                    .skip(1)
                    .all(|word| word.parse::<f32>().is_ok())
            );
        }
        for (line, expected) in [
            ("v 1 2 3 0.5 1 0", Plain::Coloured { behind_position: 7 }),
            (
                "v -1.5\t2 3e-1  1 0 .25 \r",
                Plain::Coloured {
                    behind_position: 13,
                },
            ),
            ("f 1 2 3", Plain::Face(3)),
            ("f 7\t22 3 4 \r", Plain::Face(22)),
            ("f 1/2/3 4//-5 6/7 8/ 9//", Plain::Slashed(9)),
            ("f 1 2 999999999", Plain::Face(999_999_999)),
            ("", Plain::Nothing),
            ("# 1 \\ 2", Plain::Nothing),
            ("vt 1 x", Plain::Nothing),
            ("vn 1 x", Plain::Normal),
            ("vn", Plain::Nothing),
            ("s off\r", Plain::Nothing),
        ] {
            let found = kind(line);
            assert_eq!(found, (line != "vn").then_some(expected), "{line}");
        }
    }

    #[test]
    fn all_others_are_left_to_a_closer_look() {
        for line in [
            "v 1 2",
            "v 1 2 3 4",
            "v 1 2 3 4 5",
            "v 1 2 3 4 5 6 7",
            "v 1 2 3 0 0 nan",
            "v 1 2 3 # c",
            "v 1 2 x",
            "v 1 2 -",
            "v 1 2 .",
            "v 1 2 3e5",
            "v 1 2 3e-",
            "v 1 2 nan",
            "v 1 2 1000000000000000000",
            "v 1 2 3\\",
            "v 1,2,3",
            "v 1 2 3-",
            "v",
            "v1 2 3",
            " v 1 2 3",
            "f 1 2",
            "f 0 1 2",
            "f -1 1 2",
            "f 1 2 3/4/5/6",
            "f 1 2 3/x",
            "f 1 2 3/-",
            "f 1 2 3 #",
            "f 1 2 1000000000",
            "f 1 2 3\\",
            "f /1 2 3",
            "# a \\",
            "vt 1 \\ \t",
            "# \u{a0}",
            "vp 1",
            "g a",
            "usemtl b",
            "l 1 2",
            "\\",
        ] {
            assert_eq!(kind(line), None, "{line}");
            assert_eq!(plain(line.as_bytes()), None, "without an end: {line}");
        }
    }

    #[test]
    fn vertices_are_left_of_slashed_faces() {
        let mut out = String::new();
        push_vertices("f 1/2/3\t4//-5  6/7 8 9// \r", &mut out);
        assert_eq!(out, "f 1 4 6 8 9\n");
    }
}
