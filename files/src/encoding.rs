//! Text in other encodings than UTF-8, as programs on Windows write it.

/// The two bytes that begin a text in UTF-16, of either order.
const MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Whether `bytes` begin as a text in UTF-16 does, and whether the less significant byte of a unit
/// comes first: with a mark, or with two characters of ASCII.
fn little_endian(bytes: &[u8]) -> Option<bool> {
    let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    match bytes {
        // The mark of UTF-32 begins as that of UTF-16.
        [0xff, 0xfe, 0, 0, ..] => None,
        [a, b, ..] if MARKS.contains(&[*a, *b]) => Some(*a == 0xff),
        &[a, 0, b, 0, ..] if is_ascii(a) && is_ascii(b) => Some(true),
        &[0, a, 0, b, ..] if is_ascii(a) && is_ascii(b) => Some(false),
        _ => None,
    }
}

/// Whether a text begins as UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    little_endian(bytes).is_some()
}

/// A text in UTF-8 and without a mark, of UTF-16 where it begins so. Of others nothing is changed.
pub fn to_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let Some(is_little) = little_endian(&bytes) else {
        return bytes;
    };
    let is_marked = MARKS.iter().any(|mark| bytes.starts_with(mark));
    let units = bytes.chunks(2).skip(usize::from(is_marked));
    let units = units.map(|unit| match (unit, is_little) {
        (&[a, b], true) => u16::from_le_bytes([a, b]),
        (&[a, b], false) => u16::from_be_bytes([a, b]),
        // Half a unit at the end is no character.
        _ => 0xdc00,
    });
    let characters = char::decode_utf16(units);
    let text = characters.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    text.collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_of_either_order_becomes_utf_8() {
        let text = "0 1\r\n\u{e9} \u{1f332}\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for (mark, bytes) in [(MARKS[0], &little), (MARKS[1], &big)] {
            assert_eq!(to_utf8(bytes.clone()), text.as_bytes());
            let marked = [&mark[..], bytes].concat();
            assert!(is_utf16(&marked));
            assert_eq!(to_utf8(marked.clone()), text.as_bytes());
            // Half a unit.
            let cut = to_utf8(marked[..marked.len() - 1].to_vec());
            assert!(cut.ends_with("\u{fffd}".as_bytes()));
        }
    }

    #[test]
    fn half_a_pair_is_no_character() {
        let text = to_utf8(b"\xff\xfe\x00\xd8".to_vec());
        assert_eq!(text, "\u{fffd}".as_bytes());
    }

    #[test]
    fn other_bytes_stay() {
        for bytes in [
            &b""[..],
            b"0",
            b"\xff",
            b"0 1\n",
            b"\xef\xbb\xbf0 1\n",
            b"\xff\xfe\0\0",
            b"\x01\0\x02\0",
            b"0\0\0\0",
            b"\0\0\0\0",
        ] {
            assert_eq!(to_utf8(bytes.to_vec()), bytes);
        }
    }
}
