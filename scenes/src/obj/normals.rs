//! Normals of OBJ text: a pass of its own, which only files with `vn` lines take, beside `tobj`.
//!
//! Threads share the text in the chunks of the scan, which has counted the normals above each.

use super::chunk::{Lines, end_of_line, goes_on, without_comment};
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

    /// What there is to say about those of a file.
    pub fn warning(&self, path: &str) -> Option<Warning> {
        self.faults.warning(path)
    }
}

/// What there is in a chunk. Line numbers count from its first, which is 1.
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
            let number = part.lines + 1;
            let mut end = start;
            loop {
                part.lines += 1;
                let last = end;
                end = end_of_line(text, end, separator);
                if end == text.len() || !goes_on(&text[last..end]) {
                    break;
                }
            }
            let mut lines = text[start..end].split(char::from(separator));
            let first = lines.next().unwrap_or_default();
            let line = logical_line(first, lines);
            match keyword(&line) {
                ("vn", rest) => part.normal(number, without_comment(rest)),
                ("f", rest) => part.face(number, without_comment(rest), above, all),
                _ => {}
            }
            start = end;
        }
        part
    }

    fn normal(&mut self, number: usize, text: &str) {
        let mut values = text.split_whitespace();
        // What is left out is no number either.
        let mut next = || {
            let value: Option<f32> = values.next().and_then(|word| word.parse().ok());
            value.map_or(f64::NAN, f64::from)
        };
        let (normal, is_faulty) = sound([next(), next(), next()]);
        self.faults.count(is_faulty, Some(number));
        self.given.push(normal);
    }

    fn face(&mut self, number: usize, text: &str, above: usize, all: usize) {
        for corner in text.split_whitespace() {
            let index = corner.split('/').nth(2).unwrap_or_default();
            let index: Option<i64> = index.parse().ok();
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
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;

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
}
