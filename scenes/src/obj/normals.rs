//! Normals of OBJ text: a pass of its own, which only files with `vn` lines take, beside `tobj`.
//!
//! Threads share the text in the chunks of the scan, which has counted the normals above each.

use super::chunk::Lines;
use super::line::{end_of_line, goes_on, without_comment};
use super::{keyword, logical_line};
use crate::Warning;
use crate::normals::{Faults, NO_NORMAL, sound};
use glam::Vec3;
use rayon::prelude::*;

/// The normals of faces.
#[derive(Debug, Default)]
pub(super) struct Normals {
    given: Vec<Vec3>,
    /// For each corner of all faces, in the order of the file, the number of its normal, counted
    /// from 1.
    corners: Vec<u32>,
    faults: Faults,
}

/// The number of a normal that is not there, since those of OBJ start at 1.
const NONE: u32 = 0;

impl Normals {
    /// Those of a text that the scan has found to be sound, in its chunks; `counts` are how many
    /// `vn` lines each has.
    pub fn read(chunks: &[Lines], counts: &[usize]) -> Self {
        let mut all = 0;
        let above: Vec<usize> = (counts.iter())
            .map(|count| {
                all += count;
                all - count
            })
            .collect();
        let parts: Vec<Part> = (chunks.par_iter().zip(above))
            .map(|(lines, above)| Part::read(lines, above, all))
            .collect();
        let mut normals = Self::default();
        let mut lines = 0;
        for part in parts {
            normals.given.extend(part.given);
            normals.corners.extend(part.corners);
            normals.faults.append(part.faults, lines);
            lines += part.lines;
        }
        normals
    }

    /// The normal of a corner, counted from the first face on.
    pub fn of_corner(&self, corner: usize) -> Vec3 {
        match self.corners[corner] {
            NONE => NO_NORMAL,
            number => self.given[number as usize - 1],
        }
    }

    /// The warning about the normals of a file, if one is unsound.
    pub fn warning(&self, path: &str) -> Option<Warning> {
        self.faults.warning(path)
    }
}

/// The normals of a chunk. Line numbers count from its first, which is 1.
#[derive(Default)]
struct Part {
    given: Vec<Vec3>,
    corners: Vec<u32>,
    lines: usize,
    faults: Faults,
}

impl Part {
    /// Reads a chunk with so many normals above it, in a file of so many.
    fn read(&Lines { text, separator }: &Lines, above: usize, all: usize) -> Self {
        let mut part = Self::default();
        let mut start = 0;
        while start < text.len() {
            part.lines += 1;
            let number = part.lines;
            let mut end = end_of_line(text, start, separator);
            if !part.plain(number, &text[start..end], above, all) {
                let mut last = start;
                while goes_on(&text[last..end]) && end < text.len() {
                    part.lines += 1;
                    last = end;
                    end = end_of_line(text, end, separator);
                }
                let mut lines = text[start..end].split(char::from(separator));
                let first = lines.next().unwrap_or_default();
                let line = logical_line(first, lines);
                match keyword(&line) {
                    ("vn", rest) => part.normal(number, without_comment(rest)),
                    ("f", rest) => part.face(number, without_comment(rest), above, all),
                    _ => {}
                }
            }
            start = end;
        }
        part
    }

    /// Reads a line as nearly all are, by its bytes; says whether it was one.
    fn plain(&mut self, number: usize, line: &str, above: usize, all: usize) -> bool {
        // Other lines may go on in the next one, or begin with blanks of any alphabet.
        let bytes = line.as_bytes().trim_ascii_end();
        let is_whole = (bytes.last()).is_some_and(|&end| end.is_ascii_graphic() && end != b'\\');
        if !is_whole {
            return false;
        }
        match bytes {
            [b'v', b'n', b' ', ..] => {
                let mut words = line.split_ascii_whitespace().skip(1);
                let mut next = || words.next()?.parse::<f32>().ok();
                let (Some(x), Some(y), Some(z)) = (next(), next(), next()) else {
                    return false;
                };
                self.push_normal(number, [x, y, z].map(f64::from));
                true
            }
            [b'f', b' ', corners @ ..] => {
                let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'/' | b'-' | b' ');
                if !corners.iter().all(is_plain) {
                    return false;
                }
                let words = corners.split(|byte| *byte == b' ');
                for corner in words.filter(|corner| !corner.is_empty()) {
                    self.corner(number, third(corner), above, all);
                }
                true
            }
            [b'v', b'n', ..] | [b'f', ..] => false,
            [start, ..] => start.is_ascii_graphic(),
            [] => false,
        }
    }

    fn normal(&mut self, number: usize, text: &str) {
        let mut values = text.split_whitespace();
        // A component that is left out is no number either.
        let mut next = || {
            let value: Option<f32> = values.next().and_then(|word| word.parse().ok());
            value.map_or(f64::NAN, f64::from)
        };
        self.push_normal(number, [next(), next(), next()]);
    }

    fn push_normal(&mut self, number: usize, vector: [f64; 3]) {
        let (normal, is_faulty) = sound(vector);
        self.faults.count(is_faulty, Some(number));
        self.given.push(normal);
    }

    fn face(&mut self, number: usize, text: &str, above: usize, all: usize) {
        for corner in text.split_whitespace() {
            self.corner(number, third(corner.as_bytes()), above, all);
        }
    }

    /// Appends a corner by its index, if it has one.
    fn corner(&mut self, number: usize, index: Option<i64>, above: usize, all: usize) {
        let absolute = index.map(|index| match index {
            ..0 => ((above + self.given.len()) as i64 + 1).saturating_add(index),
            _ => index,
        });
        let found = absolute.filter(|index| (1..=all as i64).contains(index));
        let found = found.and_then(|index| u32::try_from(index).ok());
        let is_faulty = index.is_some() && found.is_none();
        self.faults.count(is_faulty, Some(number));
        self.corners.push(found.unwrap_or(NONE));
    }
}

/// The third index of a corner, which the scan has found to be of integers.
fn third(corner: &[u8]) -> Option<i64> {
    let mut parts = corner.split(|byte| *byte == b'/');
    let index = parts.nth(2)?;
    let digits = index.iter().filter(|byte| byte.is_ascii_digit());
    let more = |value: i64, digit: &u8| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    };
    let value = digits.fold(0, more);
    match index {
        [] => None,
        [b'-', ..] => Some(-value),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;
    use proptest::prelude::*;

    /// Those of a text in chunks of so many bytes, as the scan divides it.
    fn read(text: &str, bytes: usize) -> Normals {
        let (chunks, counts) = scan::normals_in_chunks(text, bytes);
        Normals::read(&chunks, &counts)
    }

    fn corners(normals: &Normals) -> Vec<Vec3> {
        let count = normals.corners.len();
        (0..count).map(|corner| normals.of_corner(corner)).collect()
    }

    const LONG: &str = "v 0 0 0\nvn 0 0 2 # c\nf 1//1 1/7/3 1//-1\nvn 3 0 \\\n 4\nf 1/1 1 1//\n \
        vn 0 -1 0\nvn\t1 0 0 9\n#vn 1 1 1\nvt 0 0\nf 1//-2 1//-3 1//4 1//1\nvn 0 0 0\nf 1//5 1//1 1//2";

    #[test]
    fn corners_have_the_normals_that_they_name() {
        let slanted = Vec3::new(0.6, 0.0, 0.8);
        let expected = [
            [Vec3::Z, Vec3::NEG_Y, Vec3::Z].as_slice(),
            &[NO_NORMAL; 3],
            &[Vec3::NEG_Y, slanted, Vec3::X, Vec3::Z],
            &[NO_NORMAL, Vec3::Z, slanted],
        ];
        for ending in ["\n", "\r\n", "\r"] {
            let text = LONG.replace('\n', ending);
            for bytes in 1..text.len() {
                let found = read(&text, bytes);
                assert_eq!(corners(&found), expected.concat(), "{bytes}");
                assert_eq!(found.warning("t"), None);
            }
        }
    }

    #[test]
    fn what_is_unsound_is_none_and_counted_by_line() {
        for (text, count, line, expected) in [
            ("\nvn nan 0 1\nf 1//1 1 1", 1, 2, [NO_NORMAL; 3]),
            (
                "vn 0 0\nvn x 0 0\nvn inf 0 0\nf 1//1 1//2 1//3",
                3,
                1,
                [NO_NORMAL; 3],
            ),
            (
                "vn 0 1 0\n\nf 1//0 1//2 1//-2\nf 1//9223372036854775807 1//-9223372036854775808 1//1",
                5,
                3,
                [NO_NORMAL; 3],
            ),
            (
                "vn 0 1 0\nf 1//1 1//1 1//1\n\nf 1//4294967297 1 1",
                1,
                4,
                [Vec3::Y; 3],
            ),
        ] {
            for bytes in [1, 1000] {
                let found = read(text, bytes);
                let expected_warning = Warning::Normals {
                    path: "t".to_owned(),
                    count,
                    line: Some(line),
                };
                assert_eq!(found.warning("t"), Some(expected_warning), "{text}");
                assert_eq!(corners(&found)[..3], expected, "{text}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_bytes_show_is_what_a_closer_look_finds(
            start in prop::sample::select(vec!["vn ", "f ", "vn", "f\t", " vn ", "v ", "#", "g "]),
            words in prop::collection::vec("[-+]?[0-9]{0,3}[.]?[0-9]{0,3}(e-?[0-9]{1,2})?|[0-9]{1,3}(/-?[0-9]{0,2}){0,2}|#|nan|\u{a0}", 0..6),
            end in prop::sample::select(vec!["\n", "\r\n", " \n", "\\\n", "\\ \n", ""]),
        ) {
            let line = format!("{start}{}{end}", words.join(" "));
            let (mut plain, mut other) = (Part::default(), Part::default());
            // The scan refuses other corners.
            let is_corner = |word: &str| {
                let parts: Vec<&str> = word.split('/').collect();
                parts[0].parse::<i64>().is_ok() && parts[1..].iter().all(|part| part.is_empty() || part.parse::<i64>().is_ok())
            };
            let (word, rest) = keyword(line.trim());
            let rest = without_comment(rest);
            prop_assume!(word != "f" || rest.split_whitespace().all(is_corner));
            if plain.plain(7, &line, 5, 9) {
                prop_assert!(!goes_on(&line));
                match word {
                    "vn" => other.normal(7, rest),
                    "f" => other.face(7, rest, 5, 9),
                    _ => {}
                }
                let parts = [plain, other].map(|part| (part.given, part.corners, part.faults));
                prop_assert_eq!(&parts[0], &parts[1], "{}", line);
            } else {
                prop_assert!(plain.given.is_empty() && plain.corners.is_empty());
            }
        }
    }
}
