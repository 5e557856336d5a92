//! The checking pass over OBJ text.
//!
//! What it returns is the part of the file that makes triangles, in lines that
//! `tobj` reads without error: all vertices first, so that a face may use a
//! vertex below it, and negative indices made absolute, since only the place
//! in the original file gives them meaning. Texture coordinates, normals,
//! points and lines are left out.

use super::{keyword, numbered_lines};
use crate::error::excerpt;
use crate::{LineProblem, MAX_COORDINATE, SceneError, Warning};
use std::collections::HashSet;
use std::fmt::Write;

/// The checked text, in three parts to be read one after the other.
#[derive(Default)]
pub(super) struct Scan {
    /// `mtllib` lines, one library each.
    pub libraries: String,
    /// `v` lines.
    pub vertices: String,
    /// `f`, `g`, `o` and `usemtl` lines.
    pub body: String,
    /// Number of faces.
    pub faces: usize,
    /// Materials by name, with the line of their first use.
    pub used_materials: Vec<(String, usize)>,
    /// What was skipped.
    pub warnings: Vec<Warning>,
}

/// Checks every line of `text`; `path` is what errors call it.
pub(super) fn scan(path: &str, text: &str) -> Result<Scan, SceneError> {
    let mut scan = Scan::default();
    let mut vertex_count = 0;
    let mut forward = Vec::new();
    let mut seen_materials = HashSet::new();
    let mut seen_libraries = HashSet::new();
    let mut unknown = Skipped::default();
    let mut without_area = Skipped::default();
    let fault = |line, problem| SceneError::Line {
        path: path.to_owned(),
        line,
        problem,
    };

    for (number, line) in numbered_lines(text) {
        let (word, rest) = keyword(&line);
        match word {
            "v" => {
                let rest = without_comment(rest);
                let values = vertex(rest).map_err(|problem| fault(number, problem))?;
                push_line(&mut scan.vertices, "v", values);
                vertex_count += 1;
            }
            "f" => {
                let rest = without_comment(rest);
                let largest = face(rest, vertex_count, &mut scan.body)
                    .map_err(|problem| fault(number, problem))?;
                if largest > vertex_count {
                    forward.push((number, largest));
                }
                scan.faces += 1;
            }
            "g" | "o" => push_line(&mut scan.body, word, rest),
            "usemtl" if !rest.is_empty() => {
                push_line(&mut scan.body, word, rest);
                if seen_materials.insert(rest.to_owned()) {
                    scan.used_materials.push((rest.to_owned(), number));
                }
            }
            "mtllib" if !rest.is_empty() => {
                // Some exporters repeat the library before every object.
                for library in libraries(rest) {
                    if seen_libraries.insert(library.to_owned()) {
                        push_line(&mut scan.libraries, word, library);
                    }
                }
            }
            "p" | "l" => without_area.add(number, word),
            "" | "vt" | "vn" | "vp" | "s" | "lod" | "bevel" | "usemap" | "maplib" | "c_interp"
            | "d_interp" | "shadow_obj" | "trace_obj" => {}
            _ if word.starts_with('#') => {}
            _ => unknown.add(number, word),
        }
    }

    for (line, index) in forward {
        if index > vertex_count {
            let problem = LineProblem::IndexRange {
                index: index as i64,
                count: vertex_count,
            };
            return Err(fault(line, problem));
        }
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
    Ok(scan)
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
/// line to `body`, and returns its largest vertex index, counted from 1.
fn face(text: &str, above: usize, body: &mut String) -> Result<usize, LineProblem> {
    let mut corners = 0;
    let mut largest = 0;
    body.push('f');
    for word in text.split_whitespace() {
        let index = corner(word)?;
        let absolute = if index < 0 {
            above as i64 + 1 + index
        } else {
            index
        };
        if index == 0 {
            return Err(LineProblem::IndexZero);
        }
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
    Ok(largest)
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

    fn problem(text: &str) -> (usize, LineProblem) {
        match scan("t", text).map(|_| ()) {
            Err(SceneError::Line { line, problem, .. }) => (line, problem),
            other => panic!("expected a line error, got {other:?}"),
        }
    }

    #[test]
    fn vertices_of_every_form_are_cut_to_what_counts() {
        let scan = scan("t", "v 1 2 3\nv 1 2 3 2\nv  1 2 3  .5 .5 .5 # c\n").unwrap();
        assert_eq!(scan.vertices, "v 1 2 3\nv 1 2 3 2\nv 1 2 3\n");
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
        assert_eq!(scan.body, "f 1 2 3\nf 3 2 1 1\n");
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
            let scan = scan("t", &format!("v 0 0 0\n{word}\n{word} \n")).unwrap();
            assert!(scan.libraries.is_empty() && scan.body.is_empty());
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
}
