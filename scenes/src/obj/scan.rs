//! The checking pass over OBJ text.
//!
//! What it returns is the part of the file that makes triangles, in lines that
//! `tobj` reads without error: all vertices first, so that a face may use a
//! vertex below it, and negative indices made absolute, since only the place
//! in the original file gives them meaning. Texture coordinates, normals,
//! points and lines are left out.
//!
//! Threads share the text in chunks of whole lines. Bytes alone show that nearly
//! all lines are sound ([`plain`]); those stay where they are in the text. No number is parsed
//! here that `tobj` parses, but where its form leaves open whether it is sound.

use super::pieces::Pieces;
use super::plain::{Plain, plain, push_vertices};
use super::{keyword, logical_line};
use crate::error::excerpt;
use crate::{LineProblem, MAX_COORDINATE, SceneError, Warning};
use rayon::prelude::*;
use std::collections::HashSet;
use std::fmt::Write;

/// Bytes of a chunk, about.
const CHUNK: usize = 1 << 20;

/// The checked text, in three parts to be read one after the other.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    /// `mtllib` lines, one library each.
    pub libraries: String,
    /// `v` lines.
    pub vertices: Pieces<'a>,
    /// `f`, `g`, `o` and `usemtl` lines.
    pub body: Pieces<'a>,
    /// Number of faces.
    pub faces: usize,
    /// Materials by name, with the line of their first use.
    pub used_materials: Vec<(String, usize)>,
    /// What was skipped.
    pub warnings: Vec<Warning>,
}

/// Checks every line of `text`; `path` is what errors call it.
pub(super) fn scan<'a>(path: &str, text: &'a str) -> Result<Scan<'a>, SceneError> {
    scan_in_chunks(path, text, CHUNK)
}

fn scan_in_chunks<'a>(path: &str, text: &'a str, bytes: usize) -> Result<Scan<'a>, SceneError> {
    let parts = chunks(text, bytes);
    let mut chunks: Vec<Chunk> = (parts.par_iter())
        .map(|part| Chunk::scan(part, None, usize::MAX))
        .collect();
    // How many vertices are above each chunk is known now.
    let mut vertices = 0;
    let above: Vec<usize> = (chunks.iter())
        .map(|chunk| {
            vertices += chunk.vertex_count;
            vertices - chunk.vertex_count
        })
        .collect();
    (chunks.par_iter_mut().enumerate())
        .filter(|(_, chunk)| chunk.is_relative)
        .for_each(|(number, chunk)| {
            *chunk = Chunk::scan(&parts[number], Some(above[number]), usize::MAX);
        });

    let fault = |number: usize, (line, problem)| SceneError::Line {
        path: path.to_owned(),
        line: line
            + chunks[..number]
                .iter()
                .map(|chunk| chunk.lines)
                .sum::<usize>(),
        problem,
    };
    let faulty = chunks.iter().enumerate().find_map(|(number, chunk)| {
        let found = chunk.fault.clone()?;
        Some(fault(number, found))
    });
    if let Some(error) = faulty {
        return Err(error);
    }
    // A face may use a vertex further down, but not one that is nowhere.
    if let Some(number) = chunks.iter().position(|chunk| chunk.largest > vertices) {
        let again = Chunk::scan(&parts[number], Some(above[number]), vertices);
        return Err(fault(
            number,
            again.fault.expect("the index that was found before"),
        ));
    }
    Ok(merged(path, chunks))
}

/// Parts of the text that end where a line does that does not go on in the next one.
fn chunks(text: &str, bytes: usize) -> Vec<Lines<'_>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = if rest.contains('\n') { b'\n' } else { b'\r' };
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let mut end = bytes.min(rest.len());
        end = loop {
            let Some(at) = memchr::memchr(separator, &rest.as_bytes()[end..]) else {
                break rest.len();
            };
            end += at + 1;
            let before = &rest.as_bytes()[..end - 1];
            let start = memchr::memrchr(separator, before).map_or(0, |at| at + 1);
            if !goes_on(&rest[start..end]) {
                break end;
            }
        };
        let part;
        (part, rest) = rest.split_at(end);
        parts.push(Lines {
            text: part,
            separator,
        });
    }
    parts
}

/// Where the line ends that starts at a place, its separator included.
fn end_of_line(text: &str, start: usize, separator: u8) -> usize {
    let at = memchr::memchr(separator, &text.as_bytes()[start..]);
    at.map_or(text.len(), |at| start + at + 1)
}

/// Whether a line goes on in the next one.
fn goes_on(line: &str) -> bool {
    line.trim_end().ends_with('\\')
}

/// Some whole lines of a file.
struct Lines<'a> {
    text: &'a str,
    separator: u8,
}

/// What there is in some lines. Line numbers count from their first, which is 1.
#[derive(Default)]
struct Chunk<'a> {
    libraries: Vec<String>,
    vertices: Pieces<'a>,
    body: Pieces<'a>,
    vertex_count: usize,
    faces: usize,
    /// The largest index of a vertex, counted from 1.
    largest: usize,
    lines: usize,
    used_materials: Vec<(String, usize)>,
    without_area: Skipped,
    unknown: Skipped,
    /// Whether there is an index that depends on how many vertices are above these lines, which
    /// was not given.
    is_relative: bool,
    /// The first fault; nothing after it was looked at.
    fault: Option<(usize, LineProblem)>,
}

impl<'a> Chunk<'a> {
    /// Scans lines with so many vertices above them, where that is known, in which indices may
    /// be at most `most`.
    fn scan(part: &Lines<'a>, above: Option<usize>, most: usize) -> Self {
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
                Some(Plain::Vertex) => {
                    self.vertices.keep(text, start..end);
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
                let values = vertex(without_comment(rest)).map_err(|problem| (number, problem))?;
                push_line(self.vertices.written(), "v", values);
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
                self.libraries.extend(libraries(rest).map(str::to_owned));
            }
            "p" | "l" => self.without_area.add(number, word),
            "" | "vt" | "vn" | "vp" | "s" | "lod" | "bevel" | "usemap" | "maplib" | "c_interp"
            | "d_interp" | "shadow_obj" | "trace_obj" => {}
            _ if word.starts_with('#') => {}
            _ => self.unknown.add(number, word),
        }
        Ok(())
    }
}

/// What chunks have in all.
fn merged<'a>(path: &str, chunks: Vec<Chunk<'a>>) -> Scan<'a> {
    let mut scan = Scan::default();
    let mut seen_materials = HashSet::new();
    let mut seen_libraries = HashSet::new();
    let (mut without_area, mut unknown) = (Skipped::default(), Skipped::default());
    let mut lines = 0;
    for chunk in chunks {
        scan.vertices.append(chunk.vertices);
        scan.body.append(chunk.body);
        scan.faces += chunk.faces;
        // Some exporters repeat the library before every object.
        for library in chunk.libraries {
            if !seen_libraries.contains(&library) {
                push_line(&mut scan.libraries, "mtllib", &library);
                seen_libraries.insert(library);
            }
        }
        for (material, line) in chunk.used_materials {
            if seen_materials.insert(material.clone()) {
                scan.used_materials.push((material, lines + line));
            }
        }
        without_area.append(chunk.without_area, lines);
        unknown.append(chunk.unknown, lines);
        lines += chunk.lines;
    }
    if let Some((line, _)) = without_area.first {
        scan.warnings.push(Warning::PointsAndLines {
            path: path.to_owned(),
            count: without_area.count,
            line: Some(line),
        });
    }
    if let Some((line, keyword)) = unknown.first {
        scan.warnings.push(Warning::UnknownKeyword {
            path: path.to_owned(),
            count: unknown.count,
            line,
            keyword,
        });
    }
    scan
}

/// Lines of one kind that were skipped: how many, and the first.
#[derive(Default)]
struct Skipped {
    count: usize,
    first: Option<(usize, String)>,
}

impl Skipped {
    fn add(&mut self, line: usize, word: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (line, excerpt(word)));
    }

    /// Adds those of later lines, of which so many are before.
    fn append(&mut self, others: Self, lines: usize) {
        self.count += others.count;
        let first = others.first.map(|(line, word)| (lines + line, word));
        self.first = self.first.take().or(first);
    }
}

fn without_comment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(before, _)| before)
}

fn push_line(out: &mut String, word: &str, rest: &str) {
    out.push_str(word);
    out.push(' ');
    out.push_str(rest);
    out.push('\n');
}

/// Checks one vertex and returns the part of its text that `tobj` shall see:
/// `x y z` or `x y z w`. A colour is left out.
fn vertex(text: &str) -> Result<&str, LineProblem> {
    let mut values = [0.0; 4];
    let mut count = 0;
    let mut end_of_position = 0;
    for word in text.split_whitespace() {
        let value: f32 = word
            .parse()
            .map_err(|_| LineProblem::NotANumber(excerpt(word)))?;
        if count < 3 {
            if value.is_nan() || value.abs() > MAX_COORDINATE {
                return Err(LineProblem::Coordinate(excerpt(word)));
            }
            end_of_position = word.as_ptr() as usize + word.len() - text.as_ptr() as usize;
        }
        if count < 4 {
            values[count] = value;
        }
        count += 1;
    }
    match count {
        3 | 6 | 7 => Ok(&text[..end_of_position]),
        4 => {
            let [x, y, z, w] = values;
            let weighted = [x / w, y / w, z / w];
            if w.is_finite() && weighted.iter().all(|c| c.abs() <= MAX_COORDINATE) {
                Ok(text)
            } else {
                Err(LineProblem::Weight(w.to_string()))
            }
        }
        _ => Err(LineProblem::VertexSize(count)),
    }
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

/// Splits the names after `mtllib`. They are separated by spaces, and yet a
/// name may contain some: a name ends where a word ends in `.mtl`.
fn libraries(names: &str) -> impl Iterator<Item = &str> {
    const SUFFIX: usize = ".mtl".len();
    let lower = names.to_ascii_lowercase();
    let ends: Vec<usize> = lower
        .match_indices(".mtl ")
        .map(|(at, _)| at + SUFFIX)
        .chain([names.len()])
        .collect();
    ends.into_iter().scan(0, |start, end| {
        let name = names[*start..end].trim();
        *start = end;
        Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(pieces: &Pieces) -> String {
        let parts: Vec<&[u8]> = pieces.parts().collect();
        String::from_utf8(parts.concat()).unwrap()
    }

    fn problem(text: &str) -> (usize, LineProblem) {
        match scan("t", text).map(|_| ()) {
            Err(SceneError::Line { line, problem, .. }) => (line, problem),
            other => panic!("expected a line error, got {other:?}"),
        }
    }

    #[test]
    fn vertices_of_every_form_are_cut_to_what_counts() {
        let scan = scan("t", "v 1 2 3\nv 1 2 3 2\nv  1 2 3  .5 .5 .5 # c\n").unwrap();
        assert_eq!(text_of(&scan.vertices), "v 1 2 3\nv 1 2 3 2\nv 1 2 3\n");
    }

    #[test]
    fn bad_vertices_are_named() {
        use LineProblem::*;
        let text = |s: &str| s.to_owned();
        assert_eq!(problem("\nv 1 x 3"), (2, NotANumber(text("x"))));
        assert_eq!(problem("v 1 nan 3"), (1, Coordinate(text("nan"))));
        assert_eq!(problem("v 1 1e30 3"), (1, Coordinate(text("1e30"))));
        assert_eq!(problem("v 1 -1e999 3"), (1, Coordinate(text("-1e999"))));
        assert_eq!(problem("v 1 2"), (1, VertexSize(2)));
        assert_eq!(problem("v 1 2 3 4 5"), (1, VertexSize(5)));
        assert_eq!(problem("v 1 2 3 0"), (1, Weight(text("0"))));
        assert_eq!(problem("v 1 2 0 inf"), (1, Weight(text("inf"))));
    }

    #[test]
    fn indices_become_absolute_and_forward_ones_are_allowed() {
        let text = "v 0 0 0\nv 1 0 0\nf -2 2//7 3/1/1\nv 0 1 0\nf -1 -2 -3 1\n";
        let scan = scan("t", text).unwrap();
        assert_eq!(text_of(&scan.body), "f 1 2 3\nf 3 2 1 1\n");
        assert_eq!(scan.faces, 2);
    }

    #[test]
    fn bad_faces_are_named() {
        use LineProblem::*;
        let range = |index, count| IndexRange { index, count };
        assert_eq!(problem("v 0 0 0\nf 1 1 2"), (2, range(2, 1)));
        assert_eq!(problem("v 0 0 0\nf 1 1 -2"), (2, range(-2, 1)));
        assert_eq!(
            problem("v 0 0 0\nf 1 1 -9223372036854775808"),
            (2, range(i64::MIN, 1))
        );
        assert_eq!(problem("v 0 0 0\nf 1 0 1"), (2, IndexZero));
        assert_eq!(problem("v 0 0 0\nf 1 1"), (2, FaceSize(2)));
        assert_eq!(problem("f"), (1, FaceSize(0)));
        for bad in ["a", "1/2/3/4", "1/x", "/1", "1.5", "99999999999999999999"] {
            let text = format!("v 0 0 0\nf 1 1 {bad}");
            assert_eq!(problem(&text), (2, Corner(bad.to_owned())));
        }
    }

    #[test]
    fn what_is_skipped_is_counted() {
        let scan = scan("t", "foo 1\nl 1 2\nbar\np 1\n#c\n# c\ns 1\n").unwrap();
        let [
            Warning::PointsAndLines {
                count: 2,
                line: Some(2),
                ..
            },
            second,
        ] = &scan.warnings[..]
        else {
            panic!("{:?}", scan.warnings);
        };
        assert_eq!(
            second.to_string(),
            "t:1: keyword `foo` is not read; 2 such lines skipped"
        );
    }

    #[test]
    fn an_index_that_no_file_can_have_is_a_fault_where_it_stands() {
        // One that is too large so far may have its vertex further on.
        let later = "v nonsense\n";
        let range = |index, count| LineProblem::IndexRange { index, count };
        for index in [u32::MAX as i64 + 1, i64::MAX] {
            let text = format!("v 0 0 0\nf 1 1 {index}\n{later}");
            assert_eq!(problem(&text), (2, range(index, 1)));
        }
        assert_eq!(problem(&format!("v 0 0 0\nf 1 1 4294967295\n{later}")).0, 3);
    }

    #[test]
    fn names_may_not_be_missing() {
        for word in ["usemtl", "mtllib"] {
            let text = format!("v 0 0 0\n{word}\n{word} \n");
            let scan = scan("t", &text).unwrap();
            assert!(scan.libraries.is_empty() && text_of(&scan.body).is_empty());
            assert_eq!(scan.warnings.len(), 1);
            assert_eq!(
                scan.warnings[0].to_string(),
                format!("t:2: keyword `{word}` is not read; 2 such lines skipped")
            );
        }
    }

    #[test]
    fn libraries_are_split_at_their_suffix() {
        let scan = scan("t", "mtllib a.mtl my b.MTL\nmtllib c d\nmtllib a.mtl\n").unwrap();
        assert_eq!(
            scan.libraries,
            "mtllib a.mtl\nmtllib my b.MTL\nmtllib c d\n"
        );
    }

    /// A file of everything that chunks have to bring together.
    const LONG: &str = "mtllib a.mtl\nv 0 0 0\nv 1 0 0 # c\nusemtl a\nfoo\nf -1 -2 3\nv 0 1 0\n\
        f 1 \\\n 2 \\\n\t-1\nl 1 2\nusemtl b\nmtllib a.mtl b.mtl\nvt 0 0\nf 1/1 2/1 4/1\n\
        usemtl a\nv 0 0 1\nbar\np 1\nf 1 2 3";

    /// All that a scan says.
    fn all(text: &str, bytes: usize) -> Result<String, String> {
        let scan = scan_in_chunks("t", text, bytes).map_err(|error| error.to_string())?;
        Ok(format!(
            "{}{}{}{} {:?} {:?}",
            scan.libraries,
            text_of(&scan.vertices),
            text_of(&scan.body),
            scan.faces,
            scan.used_materials,
            scan.warnings
        ))
    }

    #[test]
    fn chunks_of_any_size_are_the_same_text() {
        let whole = all(LONG, usize::MAX).unwrap();
        assert_eq!(
            whole,
            "mtllib a.mtl\nmtllib b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 2 1 3\n\
             f 1 2 3\nusemtl b\nf 1 2 4\nusemtl a\nf 1 2 3\n4 [(\"a\", 4), (\"b\", 12)] \
             [PointsAndLines { path: \"t\", count: 2, line: Some(11) }, UnknownKeyword { path: \"t\", \
             count: 2, line: 5, keyword: \"foo\" }]"
        );
        for bytes in 1..LONG.len() {
            assert_eq!(all(LONG, bytes).as_ref(), Ok(&whole), "{bytes}");
        }
        let windows = LONG.replace('\n', "\r\n");
        for bytes in 1..LONG.len() {
            let found = all(&windows, bytes).unwrap().replace('\r', "");
            assert_eq!(found, whole, "{bytes}");
        }
        let old = LONG.replace('\n', "\r");
        assert_eq!(all(&old, 5).unwrap(), whole);
    }

    #[test]
    fn chunks_of_any_size_have_the_same_first_fault() {
        for (from, to) in [
            ("v 0 0 1", "v 0 0 x"),
            ("4/1", "5/1"),
            ("f -1 -2 3", "f -1 -3 3"),
            ("\t-1", "\t-9"),
            ("f 1 2 3", "f 1 2 4294967296"),
            ("f 1 2 3", "f 0 x 3"),
        ] {
            let text = LONG.replace(from, to);
            let whole = all(&text, usize::MAX).unwrap_err();
            for bytes in 1..LONG.len() {
                assert_eq!(all(&text, bytes).as_ref(), Err(&whole), "{bytes}");
            }
        }
    }
}
