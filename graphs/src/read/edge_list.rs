//! Edge lists: two ids a line, from source to target, then at most two numbers, a
//! weight and a time that is left out, separated by blanks or, throughout the
//! text, by commas or semicolons. The attributes of networkx, `{...}`, may stand in
//! their place, a weight among them. Lines that start with `#` or `%` are comments.
//!
//! The first line that is no comment decides what separates, and may hold names of
//! columns, by which the ends and the weight are found. The first edge decides whether
//! edges have weights.
//!
//! Ids count from 0 unless the reader is told otherwise, by KONECT's header too. There are
//! as many vertices as the largest id asks for, or as a comment `Nodes: N` before the
//! first edge says if that is more. Edges are directed unless a comment
//! calls the graph undirected. Compact ids may be any numbers of 64 bits; the
//! vertices are those that occur.

mod attributes;
mod columns;
mod konect;
mod numbering;
mod preface;

use rayon::prelude::*;

use super::entries::{Entries, parse_lines};
use super::text::{Fault, Words, lines};
use super::weights::{LineWeight, Weighted, read_as};
use super::{Note, Numbering, Parsed, ReadOptions, ReadWeights, sides};
use crate::{EdgeList, Ids, LineProblem, MAX_VERTICES};
use attributes::{attributes, weight_of};
use konect::Shape;
pub(super) use konect::is_konect;
use numbering::{Any, Consecutive, Known, ReadId};
use preface::{Preface, is_edge, preface};

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
    let asked = options.weights;
    if asked == ReadWeights::None && is_weighted(text, &preface) {
        notes.push(Note::Weights);
    }
    let (vertices, edges, weights, ids) = match options.numbering {
        Numbering::Consecutive => {
            let base = u32::from(options.one_based || shape.is_some());
            let (mut edges, weights) = edges(text, &preface, Consecutive { base }, asked)?;
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
            (vertices, edges, weights, Ids::from(base))
        }
        Numbering::Compact => {
            let (edges, weights) = edges(text, &preface, Any, asked)?;
            let (edges, ids) = compact(edges)?;
            let found = ids.len() as u64;
            if let Some((declared, _)) = preface.vertices
                && declared != found
            {
                notes.push(Note::CommentedVertices { declared, found });
            }
            (found as u32, edges, weights, Ids::listed(ids))
        }
        Numbering::Known { ids, vertices } => {
            let (edges, weights) = edges(text, &preface, Known { ids, vertices }, asked)?;
            (vertices, edges, weights, ids.clone())
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
        weights,
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

/// A line's ends, by ids of one type, and the text of its weight.
type Edge<'a, Id> = ([Id; 2], Option<&'a [u8]>);

/// Whether the first edge has a weight.
fn is_weighted(text: &[u8], preface: &Preface) -> bool {
    let first = lines(text, preface.body..text.len()).find(is_edge);
    let parsed = first.map(|line| parse_line(line.words(), preface, &Any));
    matches!(parsed, Some(Ok(Some((_, Some(_))))))
}

/// The edges of the text, with ids of one kind, and their weights as they are asked for.
fn edges<N: ReadId>(
    text: &[u8],
    preface: &Preface,
    numbering: N,
    asked: ReadWeights,
) -> Result<Weighted<N::Id>, Fault> {
    let read = |weight: LineWeight| {
        parse_lines(text, preface.body, |words, entries: &mut Entries<N::Id>| {
            if let Some((ends, text)) = parse_line(words, preface, &numbering)? {
                let point = text.map(|text| preface.with_point(text));
                entries.push(ends, weight.parse(point.as_deref())?);
            }
            Ok(())
        })
    };
    let (entries, kind) = match asked {
        ReadWeights::None => (read(LineWeight::Ignored)?, None),
        _ if preface.weight.is_none() => (read(LineWeight::Ignored)?, None),
        _ if !is_weighted(text, preface) => (read(LineWeight::Absent)?, None),
        asked => read_as(asked, |form| read(LineWeight::Present(form)))?,
    };
    Ok(entries.weighted(kind))
}

/// A line, unless it is blank or a comment.
#[inline]
fn parse_line<'a, N: ReadId>(
    line: Words<'a>,
    preface: &Preface,
    numbering: &N,
) -> Result<Option<Edge<'a, N::Id>>, LineProblem> {
    // A copy: a tab in front ends an empty field.
    let mut start = line;
    if matches!(start.peek(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let edge = match &preface.columns {
        None => parse_words(line, preface.weight, numbering),
        Some(columns) => columns.parse_line(line, numbering),
    };
    edge.map(Some)
}

/// A line of words, with the weight in a column.
#[inline]
fn parse_words<'a, N: ReadId>(
    mut words: Words<'a>,
    column: Option<usize>,
    numbering: &N,
) -> Result<Edge<'a, N::Id>, LineProblem> {
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule: "source and target are needed, and at most two numbers more",
    };
    let mut ends = [N::Id::default(); 2];
    for end in &mut ends {
        *end = numbering.read(&mut words).ok_or_else(wrong)??;
    }
    let mut weight = None;
    for place in 2..4 {
        let rest = words;
        match words.number().transpose() {
            Ok(text) if Some(place) == column => weight = text,
            Ok(_) => {}
            Err(problem) => {
                let attributes = attributes(rest, all).ok_or(problem)?;
                let by_name = column.and_then(|_| weight_of(attributes));
                return Ok((ends, weight.or(by_name)));
            }
        }
    }
    if words.is_empty() {
        Ok((ends, weight))
    } else {
        Err(wrong())
    }
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
