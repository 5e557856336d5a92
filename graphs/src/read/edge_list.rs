//! Edge lists: two ids a line, from source to target, then at most two numbers
//! that are left out (a weight, a time), separated by blanks or, throughout the
//! text, by commas. Lines that start with `#` or `%` are comments.
//!
//! The first line that is no comment decides between blanks and commas. With
//! commas it may hold names of columns: it does if its first two fields begin
//! with letters. No column is looked for by its name.
//!
//! Ids count from 0 unless the reader is told otherwise. There are as many
//! vertices as the largest id asks for, or as a comment `Nodes: N` before the
//! first edge says if that is more. Edges are directed unless such a comment
//! calls the graph undirected. Compact ids may be any numbers of 64 bits; the
//! vertices are those that occur.

mod columns;
mod numbering;
mod preface;

use rayon::prelude::*;

use super::text::{Fault, Words, parse_lines};
use super::{Note, Numbering, Parsed, ReadOptions};
use crate::{EdgeList, Ids, LineProblem, MOST_VERTICES};
use numbering::{Any, Consecutive, Known, ReadId};
use preface::{Preface, preface};

/// Reads a list, and what it calls its vertices.
pub(super) fn read(text: &[u8], options: ReadOptions) -> Result<(Parsed, Ids), Fault> {
    let preface = preface(text);
    let mut notes = Vec::from_iter(preface.header.clone());
    let (vertices, edges, ids) = match options.numbering {
        Numbering::Consecutive => {
            let base = u32::from(options.one_based);
            let edges = edges(text, &preface, Consecutive { base })?;
            let largest = edges.par_iter().map(|&[u, v]| u.max(v)).max();
            let vertices = largest.map_or(0, |id| id + 1);
            (vertices.max(preface.vertices()?), edges, Ids::from(base))
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
    let edges = EdgeList {
        vertices,
        edges,
        directed: !preface.undirected,
    };
    Ok((Parsed { edges, notes }, ids))
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
    match preface.commas {
        false => parse_lines(text, preface.body, |words, edges| {
            add(parse_line(words, &numbering)?, edges)
        }),
        true => parse_lines(text, preface.body, |words, edges| {
            add(columns::parse_line(words, &numbering)?, edges)
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
        words.number().transpose()?;
    }
    if words.is_empty() {
        Ok(Some(ends))
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
    if count > u64::from(MOST_VERTICES) {
        let limit = MOST_VERTICES;
        return Err(Fault::new(0, LineProblem::TooManyVertices { count, limit }));
    }
    let number = |id: &u64| ids.partition_point(|other| other < id) as u32;
    let edges = edges.par_iter().map(|edge| edge.each_ref().map(number));
    Ok((edges.collect(), ids))
}
