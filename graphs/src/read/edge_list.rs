//! Edge lists: two ids a line, from source to target, then at most two numbers
//! that are left out (a weight, a time), separated by blanks or, throughout the
//! text, by commas or semicolons. The attributes of networkx, `{...}`, may stand in
//! their place. Lines that start with `#` or `%` are comments.
//!
//! The first line that is no comment decides what separates, and may hold names of
//! columns, by which the ends are found.
//!
//! Ids count from 0 unless the reader is told otherwise, by KONECT's header too. There are
//! as many vertices as the largest id asks for, or as a comment `Nodes: N` before the
//! first edge says if that is more. Edges are directed unless a comment
//! calls the graph undirected. Compact ids may be any numbers of 64 bits; the
//! vertices are those that occur.

mod columns;
mod konect;
mod numbering;
mod preface;

use rayon::prelude::*;

use super::text::{Fault, Words, parse_lines};
use super::{Note, Numbering, Parsed, ReadOptions, sides};
use crate::{EdgeList, Ids, LineProblem, MAX_VERTICES};
use konect::Shape;
pub(super) use konect::is_konect;
use numbering::{Any, Consecutive, Known, ReadId};
use preface::{Preface, preface};

/// Reads a list, and what it calls its vertices.
pub(super) fn read(text: &[u8], options: ReadOptions) -> Result<(Parsed, Ids), Fault> {
    let preface = preface(text);
    let mut notes = Vec::from_iter(preface.names.clone());
    let shape = preface.konect.map(|(konect, _)| konect.shape);
    let are_sides = shape == Some(Shape::Bipartite) || options.bipartite;
    if let Some((konect, at)) = preface.konect {
        if konect.dynamic {
            return Err(Fault::new(at, LineProblem::Dynamic));
        }
        let is_consecutive = matches!(options.numbering, Numbering::Consecutive);
        if are_sides && !(options.bipartite && is_consecutive) {
            return Err(Fault::new(at, LineProblem::Bipartite));
        }
    }
    let (vertices, edges, ids) = match options.numbering {
        Numbering::Consecutive => {
            let base = u32::from(options.one_based || shape.is_some());
            let mut edges = edges(text, &preface, Consecutive { base })?;
            let vertices = if are_sides {
                let declared = preface.sides()?;
                let [left, right] = sides::separate(&mut edges, declared)?;
                let first_right = u64::from(left + base);
                notes.push(Note::Sides { left, first_right });
                left + right
            } else {
                let [least, most] = extremes(&edges);
                let declared = preface.vertices()?;
                if shape.is_some() && (1..most + 1).contains(&declared) {
                    notes.push(Note::CommentedVertices {
                        declared: declared.into(),
                        found: (most + 1).into(),
                    });
                }
                if base == 0 && least == 1 && declared <= most {
                    notes.push(Note::NoZero);
                }
                declared.max(if edges.is_empty() { 0 } else { most + 1 })
            };
            (vertices, edges, Ids::from(base))
        }
        Numbering::Compact => {
            let (edges, ids) = compact(edges(text, &preface, Any)?)?;
            let found = ids.len() as u64;
            if let Some((declared, _)) = preface.vertices
                && declared != found
            {
                notes.push(Note::CommentedVertices { declared, found });
            }
            (found as u32, edges, Ids::listed(ids))
        }
        Numbering::Known { ids, vertices } => {
            let edges = edges(text, &preface, Known { ids, vertices })?;
            (vertices, edges, ids.clone())
        }
    };
    let found = edges.len() as u64;
    if let Some(declared) = preface.edges.filter(|&declared| declared != found) {
        notes.push(Note::CommentedCount { declared, found });
    }
    let typed = preface
        .columns
        .as_ref()
        .and_then(|columns| columns.undirected());
    let undirected =
        are_sides || shape == Some(Shape::Undirected) || typed.unwrap_or(preface.undirected);
    let edges = EdgeList {
        vertices,
        edges,
        directed: !undirected,
    };
    Ok((Parsed { edges, notes }, ids))
}

/// Whether the lines of a text are divided as those of no other format: by commas or
/// semicolons, or with names of columns in the first.
pub(super) fn has_columns(text: &[u8]) -> bool {
    let preface = preface(text);
    preface.columns.is_some() || preface.names.is_some()
}

/// The least and the largest vertex; without edges the least is the larger.
fn extremes(edges: &[[u32; 2]]) -> [u32; 2] {
    let of_edge = edges.par_iter().map(|&[u, v]| [u.min(v), u.max(v)]);
    let both = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    of_edge.reduce(|| [u32::MAX, 0], both)
}

/// The edges of the text, with ids of one kind.
fn edges<N: ReadId>(
    text: &[u8],
    preface: &Preface,
    numbering: N,
) -> Result<Vec<[N::Id; 2]>, Fault> {
    let add = |edge: Option<[N::Id; 2]>, edges: &mut Vec<[N::Id; 2]>| {
        edges.extend(edge);
        Ok(())
    };
    match &preface.columns {
        None => parse_lines(text, preface.body, |words, edges| {
            add(parse_line(words, &numbering)?, edges)
        }),
        Some(columns) => parse_lines(text, preface.body, |words, edges| {
            add(columns.parse_line(words, &numbering)?, edges)
        }),
    }
}

/// A line of words.
#[inline]
fn parse_line<N: ReadId>(
    mut words: Words<'_>,
    numbering: &N,
) -> Result<Option<[N::Id; 2]>, LineProblem> {
    if matches!(words.peek(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule: "source and target are needed, and at most two numbers more",
    };
    let mut ends = [N::Id::default(); 2];
    for end in &mut ends {
        *end = numbering.read(&mut words).ok_or_else(wrong)??;
    }
    for _ in 0..2 {
        let rest = words;
        if let Err(problem) = words.number().transpose() {
            return match is_attributes(rest, all) {
                true => Ok(Some(ends)),
                false => Err(problem),
            };
        }
    }
    if words.is_empty() {
        Ok(Some(ends))
    } else {
        Err(wrong())
    }
}

/// Whether what is left of a line are attributes as networkx writes them.
#[cold]
fn is_attributes(rest: Words<'_>, line: Words<'_>) -> bool {
    rest.trimmed().starts_with(b"{") && line.trimmed().ends_with(b"}")
}

/// Numbers the ids that occur in ascending order; returns edges of these numbers, and
/// the ids.
fn compact(edges: Vec<[u64; 2]>) -> Result<(Vec<[u32; 2]>, Vec<u64>), Fault> {
    let mut ids: Vec<u64> = edges.par_iter().flatten_iter().copied().collect();
    ids.par_sort_unstable();
    ids.dedup();
    let count = ids.len() as u64;
    if count > u64::from(MAX_VERTICES) {
        let limit = MAX_VERTICES;
        return Err(Fault::new(0, LineProblem::TooManyVertices { count, limit }));
    }
    let number = |id: &u64| ids.partition_point(|other| other < id) as u32;
    let edges = edges.par_iter().map(|edge| edge.each_ref().map(number));
    Ok((edges.collect(), ids))
}
