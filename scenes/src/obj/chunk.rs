//! Some lines of OBJ text: which of them make triangles, and what is wrong with one.
//!
//! Bytes alone show that nearly all lines are sound ([`plain`]); those stay where they are in the
//! text. No number is parsed here that `tobj` parses, but where its form leaves open whether it is
//! sound.

use super::line::{end_of_line, goes_on, libraries, push_line, without_comment};
use super::pieces::Pieces;
use super::plain::{Plain, plain, push_vertices};
use super::{keyword, logical_line};
use crate::error::excerpt;
use crate::{LineProblem, MAX_COORDINATE};
use std::fmt::Write;

/// Some whole lines of a file.
pub(super) struct Lines<'a> {
    pub text: &'a str,
    pub separator: u8,
}

/// The content of some lines. Line numbers count from their first, which is 1.
#[derive(Default)]
pub(super) struct Chunk<'a> {
    pub libraries: Vec<(String, usize)>,
    pub vertices: Pieces<'a>,
    pub body: Pieces<'a>,
    pub vertex_count: usize,
    /// `vn` lines.
    pub normal_count: usize,
    pub faces: usize,
    /// The largest index of a vertex, counted from 1.
    pub largest: usize,
    pub lines: usize,
    pub used_materials: Vec<(String, usize)>,
    pub without_area: Skipped,
    pub unknown: Skipped,
    /// Colours, as they are written: the number of the vertex among those of these lines, and the
    /// line.
    pub colours: Vec<(usize, usize, [f32; 3])>,
    /// Vertices that are not finite or too large: their numbers among those of these lines, their
    /// lines, and what is wrong.
    pub unsound: Vec<(usize, usize, LineProblem)>,
    /// Whether there is an index that depends on how many vertices are above these lines, which
    /// was not given.
    pub is_relative: bool,
    /// The first fault; nothing after it was looked at.
    pub fault: Option<(usize, LineProblem)>,
}

impl<'a> Chunk<'a> {
    /// Scans lines with so many vertices above them, where that is known, in which indices may
    /// be at most `most`.
    pub fn scan(part: &Lines<'a>, above: Option<usize>, most: usize) -> Self {
        let mut chunk = Self::default();
        chunk.fault = chunk.read(part, above, most).err();
        chunk
    }

    fn read(
        &mut self,
        &Lines { text, separator }: &Lines<'a>,
        above: Option<usize>,
        most: usize,
    ) -> Result<(), (usize, LineProblem)> {
        let mut start = 0;
        while start < text.len() {
            self.lines += 1;
            let number = self.lines;
            let rest = &text.as_bytes()[start..];
            // Its bytes are looked at for the end of lines that `tobj` knows.
            let plain = (separator == b'\n').then(|| plain(rest)).flatten();
            let mut end = match &plain {
                Some((_, after)) => text.len() - after.len(),
                None => end_of_line(text, start, separator),
            };
            match plain.map(|(kind, _)| kind) {
                Some(Plain::Nothing) => {}
                Some(Plain::Normal) => self.normal_count += 1,
                Some(Plain::Vertex) => {
                    self.vertices.keep(text, start..end);
                    self.vertex_count += 1;
                }
                Some(Plain::Coloured { behind_position }) => {
                    let (position, colour) = text[start..end].split_at(behind_position);
                    let colour = colour_of(colour).map_err(|problem| (number, problem))?;
                    let vertices = self.vertices.written();
                    vertices.push_str(position);
                    vertices.push('\n');
                    self.colours.push((self.vertex_count, number, colour));
                    self.vertex_count += 1;
                }
                Some(Plain::Face(largest)) => {
                    self.body.keep(text, start..end);
                    self.face(number, largest as usize, most)?;
                }
                Some(Plain::Slashed(largest)) => {
                    push_vertices(&text[start..end], self.body.written());
                    self.face(number, largest as usize, most)?;
                }
                None => {
                    // To the end of the last line that it goes on in.
                    let mut last = start;
                    while goes_on(&text[last..end]) && end < text.len() {
                        self.lines += 1;
                        last = end;
                        end = end_of_line(text, end, separator);
                    }
                    let mut lines = text[start..end].split(char::from(separator));
                    let first = lines.next().unwrap_or_default();
                    let line = logical_line(first, lines);
                    self.line(number, &line, above, most)?;
                }
            }
            start = end;
        }
        Ok(())
    }

    fn face(
        &mut self,
        number: usize,
        largest: usize,
        most: usize,
    ) -> Result<(), (usize, LineProblem)> {
        if largest > most {
            let index = largest as i64;
            return Err((number, LineProblem::IndexRange { index, count: most }));
        }
        self.largest = self.largest.max(largest);
        self.faces += 1;
        Ok(())
    }

    /// Looks at a line of any kind.
    fn line(
        &mut self,
        number: usize,
        line: &str,
        above: Option<usize>,
        most: usize,
    ) -> Result<(), (usize, LineProblem)> {
        let (word, rest) = keyword(line);
        match word {
            "v" => {
                let vertex = vertex(without_comment(rest)).map_err(|problem| (number, problem))?;
                push_line(self.vertices.written(), "v", vertex.values);
                if let Some(colour) = vertex.colour {
                    self.colours.push((self.vertex_count, number, colour));
                }
                if let Some(problem) = vertex.problem {
                    self.unsound.push((self.vertex_count, number, problem));
                }
                self.vertex_count += 1;
            }
            "f" => {
                let above = above.map(|above| above + self.vertex_count);
                let largest = face(without_comment(rest), above, self.body.written());
                match largest.map_err(|problem| (number, problem))? {
                    Some(largest) => self.face(number, largest, most)?,
                    None => self.is_relative = true,
                }
            }
            "g" | "o" => push_line(self.body.written(), word, rest),
            "usemtl" if !rest.is_empty() => {
                push_line(self.body.written(), word, rest);
                self.used_materials.push((rest.to_owned(), number));
            }
            "mtllib" if !rest.is_empty() => {
                let names = libraries(rest).map(|name| (name.to_owned(), number));
                self.libraries.extend(names);
            }
            "p" | "l" | "curv" | "curv2" => self.without_area.add(number, word),
            "vn" => self.normal_count += 1,
            "" | "vt" | "vp" | "s" | "lod" | "bevel" | "usemap" | "maplib" | "c_interp"
            | "d_interp" | "shadow_obj" | "trace_obj" => {}
            _ if word.starts_with('#') => {}
            _ => self.unknown.add(number, word),
        }
        Ok(())
    }
}

/// Lines of one kind that were skipped: how many, and the first.
#[derive(Default)]
pub(super) struct Skipped {
    pub count: usize,
    pub first: Option<(usize, String)>,
}

impl Skipped {
    fn add(&mut self, line: usize, word: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (line, excerpt(word)));
    }

    /// Adds those of later lines, which begin after so many.
    pub fn append(&mut self, others: Self, lines: usize) {
        self.count += others.count;
        let first = others.first.map(|(line, word)| (lines + line, word));
        self.first = self.first.take().or(first);
    }
}

/// A vertex that was checked.
#[derive(Debug, PartialEq)]
struct Vertex<'a> {
    /// The part of its text that `tobj` shall see: `x y z` or `x y z w`.
    values: &'a str,
    /// Its colour, if it has one.
    colour: Option<[f32; 3]>,
    /// Why no face may use it.
    problem: Option<LineProblem>,
}

/// Checks one vertex.
fn vertex(text: &str) -> Result<Vertex<'_>, LineProblem> {
    let mut values = [0.0; 7];
    let mut count = 0;
    let mut end_of_position = 0;
    let mut problem = None;
    for word in text.split_whitespace() {
        let value: f32 = word
            .parse()
            .map_err(|_| LineProblem::NotANumber(excerpt(word)))?;
        if count < 3 {
            if value.is_nan() || value.abs() > MAX_COORDINATE {
                problem.get_or_insert_with(|| LineProblem::Coordinate(excerpt(word)));
            }
            end_of_position = word.as_ptr() as usize + word.len() - text.as_ptr() as usize;
        }
        if count < values.len() {
            values[count] = value;
        }
        count += 1;
    }
    let colour = match count {
        6 => Some([values[3], values[4], values[5]]),
        7 => Some([values[4], values[5], values[6]]),
        _ => None,
    };
    let values = match count {
        3 | 6 | 7 => &text[..end_of_position],
        4 => {
            let [x, y, z, w, ..] = values;
            let weighted = [x / w, y / w, z / w];
            if problem.is_none()
                && !(w.is_finite() && weighted.iter().all(|c| c.abs() <= MAX_COORDINATE))
            {
                return Err(LineProblem::Weight(w.to_string()));
            }
            text
        }
        _ => return Err(LineProblem::VertexSize(count)),
    };
    Ok(Vertex {
        values,
        colour,
        problem,
    })
}

/// The three numbers of a colour.
fn colour_of(text: &str) -> Result<[f32; 3], LineProblem> {
    let mut words = text.split_ascii_whitespace();
    let mut next = || {
        let word = words.next().unwrap_or_default();
        let not_a_number = |_| LineProblem::NotANumber(excerpt(word));
        word.parse().map_err(not_a_number)
    };
    Ok([next()?, next()?, next()?])
}

/// Checks one face of a file that has `above` vertices so far, appends its
/// line to `body`, and returns its largest vertex index, counted from 1; none
/// if `above` is asked for and not known.
fn face(text: &str, above: Option<usize>, body: &mut String) -> Result<Option<usize>, LineProblem> {
    let mut corners = 0;
    let mut largest = 0;
    body.push('f');
    for word in text.split_whitespace() {
        let index = corner(word)?;
        if index == 0 {
            return Err(LineProblem::IndexZero);
        }
        let is_plain = (1..=i64::from(u32::MAX)).contains(&index);
        let Some(above) = above.or(is_plain.then_some(0)) else {
            return Ok(None);
        };
        let absolute = if index < 0 {
            above as i64 + 1 + index
        } else {
            index
        };
        if absolute < 1 || absolute > i64::from(u32::MAX) {
            let count = above;
            return Err(LineProblem::IndexRange { index, count });
        }
        largest = largest.max(absolute as usize);
        corners += 1;
        write!(body, " {absolute}").expect("writing to a string succeeds");
    }
    body.push('\n');
    if corners < 3 {
        return Err(LineProblem::FaceSize(corners));
    }
    Ok(Some(largest))
}

/// The vertex index of a face corner. The other indices must be integers or
/// absent; what they point at is never read.
fn corner(word: &str) -> Result<i64, LineProblem> {
    let wrong = || LineProblem::Corner(excerpt(word));
    let mut parts = word.split('/');
    let vertex = parts.next().and_then(|part| part.parse().ok());
    let others = parts.try_fold(0, |count, part| {
        let sound = part.is_empty() || part.parse::<i64>().is_ok();
        sound.then_some(count + 1)
    });
    match (vertex, others) {
        (Some(vertex), Some(0..=2)) => Ok(vertex),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_bytes_show_is_what_a_closer_look_finds(
            start in prop::sample::select(vec!["v ", "f ", "v", "f\t", "vt ", "vn ", "vn", "#", ""]),
            words in prop::collection::vec("[-+]?[0-9]{0,20}[.]?[0-9]{0,3}(e-?[0-9]{1,2})?|[0-9]{1,10}(/-?[0-9]*){0,3}", 0..8),
            end in prop::sample::select(vec!["\n", "\r\n", " \n", "\\\n", ""]),
        ) {
            let line = format!("{start}{}{end}", words.join(" "));
            let found = plain(line.as_bytes());
            let rest = without_comment(keyword(line.trim()).1);
            match found.map(|(kind, _)| kind) {
                None => {}
                Some(Plain::Vertex) => {
                    let expected = Vertex { values: rest, colour: None, problem: None };
                    prop_assert_eq!(vertex(rest), Ok(expected));
                }
                Some(Plain::Coloured { behind_position }) => {
                    let (position, colour) = line.split_at(behind_position);
                    let expected = Vertex {
                        values: keyword(position).1,
                        colour: Some(colour_of(colour).unwrap()),
                        problem: None,
                    };
                    prop_assert_eq!(vertex(rest), Ok(expected));
                }
                Some(Plain::Face(largest)) => {
                    let mut out = String::new();
                    prop_assert_eq!(face(rest, None, &mut out), Ok(Some(largest as usize)));
                    let same = line.split_whitespace().eq(out.split_whitespace());
                    prop_assert!(same || words.iter().any(|word| word.starts_with('0')));
                }
                Some(Plain::Slashed(largest)) => {
                    let (mut out, mut quick) = (String::new(), String::new());
                    prop_assert_eq!(face(rest, None, &mut out), Ok(Some(largest as usize)));
                    push_vertices(&line, &mut quick);
                    let numbers = |text: &str| -> Vec<u32> {
                        text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect()
                    };
                    prop_assert_eq!(numbers(&out), numbers(&quick));
                }
                Some(Plain::Normal) => prop_assert_eq!(keyword(&line).0, "vn"),
                Some(Plain::Nothing) => {
                    prop_assert!(!line.starts_with(['f']) && !line.starts_with("v "));
                    prop_assert_ne!(keyword(line.trim()).0, "vn");
                }
            }
        }
    }
}
