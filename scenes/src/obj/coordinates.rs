//! Texture coordinates of OBJ text: a pass of its own, which only scenes with textures take.

use super::line::without_comment;
use super::{keyword, numbered_lines};
use crate::Warning;
use crate::texture::{NO_COORDINATES, sound};

/// The coordinates of faces.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    /// Of the corners of all faces in the order of the file.
    pub corners: Vec<[f32; 2]>,
    /// Coordinates that were set to 0: how many, and the first line.
    faults: usize,
    first: Option<usize>,
}

/// An index that is none, since those of OBJ start at 1.
const NONE: i64 = 0;

impl Coordinates {
    /// Those of a text that the scan has found to be sound.
    pub fn read(text: &str) -> Self {
        let mut all = Self::default();
        let mut given: Vec<[f32; 2]> = Vec::new();
        // Of each corner its index, absolute and from 1 on, and of each face the line: a face
        // may use coordinates below it.
        let mut indices: Vec<i64> = Vec::new();
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for (number, line) in numbered_lines(text) {
            let (word, rest) = keyword(&line);
            match word {
                "vt" => {
                    let mut values = without_comment(rest).split_whitespace();
                    // A coordinate that is left out is 0; a word that is no number is none.
                    let mut next = || values.next().map_or(0.0, |w| w.parse().unwrap_or(f32::NAN));
                    let (value, is_faulty) = sound([next(), next()]);
                    all.count(is_faulty, number);
                    given.push(value);
                }
                "f" => {
                    for corner in without_comment(rest).split_whitespace() {
                        let index = corner.split('/').nth(1).unwrap_or_default();
                        let index: Option<i64> = index.parse().ok();
                        let absolute = |index: i64| match index {
                            ..0 => (given.len() as i64).saturating_add(index).saturating_add(1),
                            _ => index,
                        };
                        // 0 as it stands is one that is not there.
                        indices.push(index.map_or(NONE, |index| match absolute(index) {
                            ..=0 => i64::MAX,
                            index => index,
                        }));
                    }
                    lines.push((indices.len(), number));
                }
                _ => {}
            }
        }
        let mut at = 0;
        for (end, line) in lines {
            for &index in &indices[at..end] {
                let place = usize::try_from(index - 1).ok();
                let found = place.and_then(|place| given.get(place)).copied();
                all.count(index != NONE && found.is_none(), line);
                let missing = if index == NONE {
                    NO_COORDINATES
                } else {
                    [0.0; 2]
                };
                all.corners.push(found.unwrap_or(missing));
            }
            at = end;
        }
        all
    }

    fn count(&mut self, is_faulty: bool, line: usize) {
        if is_faulty {
            self.faults += 1;
            self.first = Some(self.first.map_or(line, |first| first.min(line)));
        }
    }

    /// The warning about the coordinates of a file, if one was set to 0.
    pub fn warning(&self, path: &str) -> Option<Warning> {
        (self.faults > 0).then(|| Warning::TextureCoordinates {
            path: path.to_owned(),
            count: self.faults,
            line: self.first,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_have_the_coordinates_that_they_name() {
        let text = "vt 0.5 0.25 # c\nvt 1\nf 1/1 2/2/9 3/-1/1 4/3\nvt 7 8 9\nf 1//1 2 3/-3\n";
        let found = Coordinates::read(text);
        let none = |corner: &[f32; 2]| corner[0].is_nan();
        assert_eq!(
            found.corners[..4],
            [[0.5, 0.25], [1.0, 0.0], [1.0, 0.0], [7.0, 8.0]]
        );
        assert!(none(&found.corners[4]) && none(&found.corners[5]));
        assert_eq!(found.corners[6..], [[0.5, 0.25]]);
        assert_eq!(found.warning("t"), None);
    }

    #[test]
    fn what_is_unsound_becomes_0_and_is_counted() {
        for (text, count, line) in [
            ("\nvt nan 1\nf 1/1 1/1 1/1", 1, 2),
            ("vt 1e7 inf\nvt x\nf 1/1 1/2 1/2", 2, 1),
            ("vt 1 1\nf 1/0 1/2 1/-2", 3, 2),
            (
                "f 1/9223372036854775807 1/-9223372036854775808 1/1\nvt nan 0",
                3,
                1,
            ),
        ] {
            let found = Coordinates::read(text);
            let Some(Warning::TextureCoordinates {
                count: n, line: at, ..
            }) = found.warning("t")
            else {
                panic!("{text}");
            };
            assert_eq!((n, at), (count, Some(line)), "{text}");
            assert!(
                found.corners.iter().all(|corner| corner[0].abs() <= 1e6),
                "{text}"
            );
        }
    }
}
