//! Edge lists: two ids a line, from source to target, then at most two numbers
//! that are left out (a weight, a time). Lines that start with `#` or `%` are
//! comments.
//!
//! Ids count from 0 unless the reader is told otherwise. There are as many
//! vertices as the largest id asks for, or as a comment `Nodes: N` before the
//! first edge says if that is more. Edges are directed unless such a comment
//! calls the graph undirected.

use rayon::prelude::*;

use super::text::{self, Fault, Line, Words, lines, parse_lines};
use super::{Note, Parsed};
use crate::{EdgeList, LineProblem, MOST_VERTICES};

const RULE: &str = "source and target are needed, and at most two numbers more";

/// What comments before the first edge say.
#[derive(Default)]
struct Preface {
    vertices: u32,
    edges: Option<u64>,
    undirected: bool,
}

/// Reads a list; with `one_based` ids count from 1.
pub(super) fn read(text: &[u8], one_based: bool) -> Result<Parsed, Fault> {
    let preface = preface(text)?;
    let base = u32::from(one_based);
    let edges = parse_lines(text, 0, |words, edges| match parse_line(words, base)? {
        None => Ok(()),
        Some(edge) => {
            edges.push(edge);
            Ok(())
        }
    })?;
    let largest = edges.par_iter().map(|&[u, v]| u.max(v)).max();
    let vertices = largest.map_or(0, |id| id + 1).max(preface.vertices);
    let mut notes = Vec::new();
    let found = edges.len() as u64;
    if let Some(declared) = preface.edges.filter(|&declared| declared != found) {
        notes.push(Note::CommentedCount { declared, found });
    }
    let edges = EdgeList {
        vertices,
        edges,
        directed: !preface.undirected,
    };
    Ok(Parsed { edges, notes })
}

fn parse_line(mut words: Words<'_>, base: u32) -> Result<Option<[u32; 2]>, LineProblem> {
    if matches!(words.peek(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let all = words;
    let wrong = || LineProblem::Values {
        found: all.count(),
        rule: RULE,
    };
    let mut ends = [0; 2];
    for end in &mut ends {
        let id = words.whole().ok_or_else(wrong)??;
        *end = id.checked_sub(base).ok_or(LineProblem::ZeroId)?;
        if *end >= MOST_VERTICES {
            return Err(LineProblem::TooManyVertices {
                count: u64::from(*end) + 1,
                limit: MOST_VERTICES,
            });
        }
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

fn preface(text: &[u8]) -> Result<Preface, Fault> {
    let mut preface = Preface::default();
    for line in lines(text, 0..text.len()) {
        match line.words().peek() {
            None => {}
            Some(b'#' | b'%') => parse_comment(&line, &mut preface)?,
            Some(_) => break,
        }
    }
    Ok(preface)
}

/// Looks for `undirected graph`, `Nodes: N` and `Edges: N` in a comment.
fn parse_comment(line: &Line<'_>, preface: &mut Preface) -> Result<(), Fault> {
    let mut words = line.words();
    let mut last: &[u8] = b"";
    while let Some(word) = words.word() {
        let number = || text::count(word).ok();
        match &last.to_ascii_lowercase()[..] {
            b"undirected" | b"#undirected" if word.to_ascii_lowercase().starts_with(b"graph") => {
                preface.undirected = true;
            }
            b"nodes:" => {
                let count = number().unwrap_or(0);
                if count > u64::from(MOST_VERTICES) {
                    let limit = MOST_VERTICES;
                    let problem = LineProblem::TooManyVertices { count, limit };
                    return Err(Fault::new(line.at, problem));
                }
                preface.vertices = count as u32;
            }
            b"edges:" => preface.edges = number(),
            _ => {}
        }
        last = word;
    }
    Ok(())
}
