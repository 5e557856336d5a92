//! The checking pass over OBJ text.
//!
//! It returns the part of the file that makes triangles, in lines that
//! `tobj` reads without error: all vertices first, so that a face may use a
//! vertex below it, and negative indices made absolute, since only the place
//! in the original file gives them meaning. Texture coordinates, normals,
//! points and lines are left out; normals are counted.
//!
//! Threads share the text in chunks of whole lines.

use super::chunk::{Chunk, Lines, Skipped};
use super::faces;
use super::line::{goes_on, push_line};
use super::pieces::Pieces;
use crate::{LineProblem, SceneError, Warning};
use rayon::prelude::*;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Bytes of a chunk, about.
const CHUNK: usize = 1 << 20;

/// The checked text, in three parts to be read one after the other.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    /// `mtllib` lines, one library each.
    pub libraries: String,
    /// Libraries by name, with the line that names them first.
    pub library_lines: HashMap<String, usize>,
    /// `v` lines.
    pub vertices: Pieces<'a>,
    /// `f`, `g`, `o` and `usemtl` lines.
    pub body: Pieces<'a>,
    /// For each of [`chunks`] its `vn` lines.
    pub normals: Vec<usize>,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Number of faces.
    pub faces: usize,
    /// Points, lines, and curves.
    pub without_area: usize,
    /// Vertices that are not finite or too large: their numbers from 1 on, lines, and problems.
    unsound: Vec<(usize, usize, LineProblem)>,
    /// Materials by name, with the line of their first use.
    pub used_materials: Vec<(String, usize)>,
    /// Colours, as they are written: the number of the vertex from 0 on, and the line.
    pub colours: Vec<(usize, usize, [f32; 3])>,
    /// Lines that were skipped.
    pub warnings: Vec<Warning>,
}

/// Parts of `text` that threads share.
pub(super) fn chunks(text: &str) -> Vec<Lines<'_>> {
    chunks_of(text, CHUNK)
}

/// Checks every line of [`chunks`]; `path` is what errors call their text.
pub(super) fn scan<'a>(path: &str, parts: &[Lines<'a>]) -> Result<Scan<'a>, SceneError> {
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
    checked(path, merged(path, chunks))
}

/// Refuses a text with a face that uses a vertex that is not finite or too large. Vertices that no
/// face uses, which programs leave in scans, are a warning.
fn checked<'a>(path: &str, mut scan: Scan<'a>) -> Result<Scan<'a>, SceneError> {
    if scan.unsound.is_empty() {
        return Ok(scan);
    }
    let numbers: Vec<usize> = scan.unsound.iter().map(|(number, ..)| *number).collect();
    let used = match scan.faces {
        0 => Some(0),
        _ => faces::first_used(&numbers, &scan.body),
    };
    let mut unsound = std::mem::take(&mut scan.unsound);
    let (count, first) = (unsound.len(), unsound[0].1);
    match used {
        Some(used) => {
            let (_, line, problem) = unsound.swap_remove(used);
            Err(SceneError::Line {
                path: path.to_owned(),
                line,
                problem,
            })
        }
        None => {
            scan.warnings.push(Warning::NonFinite {
                path: path.to_owned(),
                count,
                line: Some(first),
            });
            Ok(scan)
        }
    }
}

/// Parts of the text that end where a line does that does not go on in the next one.
fn chunks_of(text: &str, bytes: usize) -> Vec<Lines<'_>> {
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

/// The content of all chunks.
fn merged<'a>(path: &str, chunks: Vec<Chunk<'a>>) -> Scan<'a> {
    let mut scan = Scan::default();
    let mut seen_materials = HashSet::new();
    let (mut without_area, mut unknown) = (Skipped::default(), Skipped::default());
    let mut lines = 0;
    for chunk in chunks {
        let above = scan.vertex_count;
        let unsound = chunk.unsound.into_iter();
        let absolute = |(vertex, line, problem)| (above + vertex + 1, lines + line, problem);
        scan.unsound.extend(unsound.map(absolute));
        scan.vertex_count += chunk.vertex_count;
        let colours = chunk.colours.into_iter();
        scan.colours
            .extend(colours.map(|(vertex, line, colour)| (above + vertex, lines + line, colour)));
        scan.vertices.append(chunk.vertices);
        scan.body.append(chunk.body);
        scan.normals.push(chunk.normal_count);
        scan.faces += chunk.faces;
        // Some exporters repeat the library before every object.
        for (library, line) in chunk.libraries {
            if let Entry::Vacant(entry) = scan.library_lines.entry(library) {
                push_line(&mut scan.libraries, "mtllib", entry.key());
                entry.insert(lines + line);
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
    scan.without_area = without_area.count;
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

/// The chunks of a text, of so many bytes, and the `vn` lines of each.
#[cfg(test)]
pub(super) fn normals_in_chunks(text: &str, bytes: usize) -> (Vec<Lines<'_>>, Vec<usize>) {
    let parts = chunks_of(text, bytes);
    let count = |part| Chunk::scan(part, Some(0), usize::MAX).normal_count;
    let counts = parts.iter().map(count).collect();
    (parts, counts)
}

#[cfg(test)]
mod tests;
