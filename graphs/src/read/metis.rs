//! DIMACS-10 and METIS `.graph`: a header `n m [fmt [ncon]]`, then one line a
//! vertex with its neighbours, counted from 1. Lines that start with `%` are
//! comments; an empty line is a vertex without edges.
//!
//! `fmt` has up to three binary digits: edges have weights (1), vertices have
//! `ncon` weights (10), and for 100 the families differ: in DIMACS-10 the graph
//! may have loops and multiple edges, in METIS 5 each line starts with the size
//! of its vertex. The number of words decides.
//!
//! An undirected edge stands in the lines of both ends, with the same weight.

mod symmetry;

use std::ops::Range;

use rayon::prelude::*;

use super::entries::Entries;
use super::text::{self, Fault, Line, Words, lines, pieces};
use super::weights::{WeightForm, read_as};
use super::{Note, Parsed, ReadWeights};
use crate::error::excerpt;
use crate::hash::{of_entry, of_weighted_entry};
use crate::{EdgeList, LineProblem, MAX_VERTICES};

const HEADER: &str = "`vertices edges [fmt [ncon]]` is needed";

/// The header and what follows from it.
struct Header {
    /// Where the header's line starts.
    at: usize,
    /// Where the lines of the vertices start.
    body: usize,
    vertices: u32,
    edges: u64,
    /// The hundreds of `fmt`.
    hundreds: bool,
    /// Weights of a vertex.
    vertex_weights: u64,
    edge_weights: bool,
}

impl Header {
    /// Words of all lines if each starts with so many values.
    fn words(&self, values_before_edges: u64) -> Option<u64> {
        let before = u64::from(self.vertices).checked_mul(values_before_edges)?;
        let each = if self.edge_weights { 4 } else { 2 };
        self.edges.checked_mul(each)?.checked_add(before)
    }
}

/// The content of a part of the lines.
#[derive(Default)]
struct Part {
    /// Each edge as its smaller end's line has it.
    edges: Entries<u32>,
    entries: u64,
    loops: u64,
    /// Sum of a scrambled word for each entry to a larger id, less that of the
    /// same edge with the same weight for each entry to a smaller id: 0 for a
    /// symmetric graph and, except for one case in 2^64, for no other.
    imbalance: u64,
}

/// The lines of the vertices.
struct Body<'a> {
    text: &'a [u8],
    header: Header,
    /// Parts of the lines, which threads read at the same time.
    pieces: Vec<Range<usize>>,
    /// The vertex of the first line of each part, counted from 0, and the number of lines.
    firsts: Vec<u64>,
    /// How many values a line has before its edges.
    before_edges: u64,
}

/// Reads a graph.
pub(super) fn read(text: &[u8], weights: ReadWeights) -> Result<Parsed, Fault> {
    let header = header(text)?;
    let parts = pieces(text, header.body);
    let firsts = first_vertices(text, &parts);
    let mut notes = Vec::new();
    let mut before_edges = header.vertex_weights;
    if header.hundreds {
        let sizes = Some(count_words(text, &parts)) == header.words(before_edges + 1);
        before_edges += u64::from(sizes);
        notes.push(if sizes {
            Note::VertexSizes
        } else {
            Note::MultiEdges
        });
    }
    if header.vertex_weights > 0 {
        notes.push(Note::VertexWeights);
    }
    let asked = match header.edge_weights {
        true => weights,
        false => ReadWeights::None,
    };
    if header.edge_weights && asked == ReadWeights::None {
        notes.push(Note::Weights);
    }
    let body = Body {
        text,
        header,
        pieces: parts,
        firsts,
        before_edges,
    };
    let (entries, kind) = read_as(asked, |form| body.read(form))?;
    let (edges, weights) = entries.weighted(kind);
    let edges = EdgeList {
        vertices: body.header.vertices,
        edges,
        weights,
        directed: false,
    };
    Ok(Parsed { edges, notes })
}

impl Body<'_> {
    /// The edges, each once.
    fn read(&self, form: WeightForm) -> Result<Entries<u32>, Fault> {
        let pieces = self.pieces.par_iter().zip(&self.firsts);
        let parts = pieces.map(|(piece, &first)| self.read_piece(piece.clone(), first, form));
        let parts: Vec<Result<Part, Fault>> = parts.collect();
        let mut lists = Vec::with_capacity(parts.len());
        let (mut entries, mut loops, mut imbalance) = (0, 0, 0_u64);
        for part in parts {
            let part = part?;
            lists.push(part.edges);
            entries += part.entries;
            loops += part.loops;
            imbalance = imbalance.wrapping_add(part.imbalance);
        }
        let header = &self.header;
        check_lines(self.text, header, self.firsts.last().copied().unwrap_or(0))?;
        if imbalance != 0 {
            return Err(symmetry::fault(self, form));
        }
        // A loop may be listed once or twice, and counted or not.
        let ends = 2 * u128::from(header.edges);
        let [entries, loops] = [entries, loops].map(u128::from);
        if ![entries, entries + loops, entries - loops].contains(&ends) {
            let problem = LineProblem::EdgeCount {
                declared: header.edges,
                found: ((entries + loops) / 2) as u64,
            };
            return Err(Fault::new(header.at, problem));
        }
        Ok(Entries::joined(lists))
    }

    fn read_piece(&self, piece: Range<usize>, first: u64, form: WeightForm) -> Result<Part, Fault> {
        let mut part = Part::default();
        let mut vertex = first;
        let vertices = self.header.vertices;
        for line in lines(self.text, piece) {
            let mut words = line.words();
            if words.peek() == Some(b'%') {
                continue;
            }
            if vertex < u64::from(vertices) {
                let vertex = vertex as u32;
                self.each_neighbour(words, form, |other, weight| part.add(vertex, other, weight))
                    .map_err(|problem| Fault::new(line.at, problem))?;
            } else if !words.is_empty() {
                return Err(Fault::new(line.at, LineProblem::ExtraLine { vertices }));
            }
            vertex += 1;
        }
        Ok(part)
    }

    /// Calls `act` with every neighbour, counted from 0, in the line of a vertex, and with the weight
    /// if it is kept.
    fn each_neighbour(
        &self,
        mut words: Words<'_>,
        form: WeightForm,
        mut act: impl FnMut(u32, Option<u32>),
    ) -> Result<(), LineProblem> {
        for _ in 0..self.before_edges {
            let expected = self.before_edges;
            words
                .number()
                .ok_or(LineProblem::NoVertexWeight { expected })??;
        }
        while let Some(other) = words.vertex(self.header.vertices) {
            let other = other?;
            let mut weight = None;
            if self.header.edge_weights {
                let id = other + 1;
                let text = words.number().ok_or(LineProblem::NoEdgeWeight { id })??;
                weight = form.parse(text)?;
            }
            act(other, weight);
        }
        Ok(())
    }
}

/// Whether `text` has as many lines and words as its first line would announce
/// as a header.
pub(super) fn fits(text: &[u8]) -> bool {
    let Ok(header) = header(text) else {
        return false;
    };
    if header.vertices == 0 && header.edges > 0 {
        return false;
    }
    let parts = pieces(text, header.body);
    let words = Some(count_words(text, &parts));
    let weights = header.vertex_weights;
    let lines = first_vertices(text, &parts).last().copied().unwrap_or(0);
    let blank = text.len() - text.trim_ascii_end().len();
    lines + 1 >= u64::from(header.vertices)
        && lines <= u64::from(header.vertices) + blank as u64
        && (words == header.words(weights) || header.hundreds && words == header.words(weights + 1))
}

fn header(text: &[u8]) -> Result<Header, Fault> {
    let line = lines(text, 0..text.len()).find(|line| !is_skipped(line));
    let line = line.ok_or_else(|| wrong_header(0, b""))?;
    parse_header(&line).map_err(|problem| Fault::new(line.at, problem))
}

/// Whether a line before the header is blank or a comment.
fn is_skipped(line: &Line<'_>) -> bool {
    matches!(line.words().peek(), None | Some(b'%'))
}

fn wrong_header(at: usize, line: &[u8]) -> Fault {
    let problem = LineProblem::Header {
        text: excerpt(line.trim_ascii()),
        rule: HEADER,
    };
    Fault::new(at, problem)
}

fn parse_header(line: &Line<'_>) -> Result<Header, LineProblem> {
    let wrong = |rule| LineProblem::Header {
        text: excerpt(line.bytes.trim_ascii()),
        rule,
    };
    let mut words = line.words();
    let vertices = words.whole().ok_or_else(|| wrong(HEADER))??;
    let edges = text::count(words.word().ok_or_else(|| wrong(HEADER))?)?;
    let digits = words.word().unwrap_or(b"0");
    let constraints = words.whole().transpose()?;
    if !words.is_empty() {
        return Err(wrong(HEADER));
    }
    if vertices > MAX_VERTICES {
        return Err(LineProblem::TooManyVertices {
            count: vertices.into(),
            limit: MAX_VERTICES,
        });
    }
    if digits.len() > 3 || !digits.iter().all(|d| matches!(d, b'0' | b'1')) {
        return Err(wrong("fmt has up to three digits, each 0 or 1"));
    }
    let digit = |place: usize| digits.iter().rev().nth(place) == Some(&b'1');
    let vertex_weights = match (digit(1), constraints) {
        (true, count) => count.unwrap_or(1).into(),
        (false, None | Some(0)) => 0,
        (false, Some(_)) => {
            return Err(wrong("ncon is given, but fmt announces no vertex weights"));
        }
    };
    Ok(Header {
        at: line.at,
        body: line.next_line(),
        vertices,
        edges,
        hundreds: digit(2),
        vertex_weights,
        edge_weights: digit(0),
    })
}

fn is_comment(line: &Line<'_>) -> bool {
    line.words().peek() == Some(b'%')
}

/// The vertex, counted from 0, of the first line of each part, and the number of
/// lines in all.
fn first_vertices(text: &[u8], parts: &[Range<usize>]) -> Vec<u64> {
    let mut counts: Vec<u64> = parts
        .par_iter()
        .map(|part| {
            let bytes = &text[part.clone()];
            if memchr::memchr(b'%', bytes).is_some() {
                let lines = lines(text, part.clone());
                return lines.filter(|line| !is_comment(line)).count() as u64;
            }
            let unended = bytes.last().is_some_and(|&b| b != b'\n');
            memchr::memchr_iter(b'\n', bytes).count() as u64 + u64::from(unended)
        })
        .collect();
    crate::rows::prefix_sums(&mut counts);
    counts
}

fn count_words(text: &[u8], parts: &[Range<usize>]) -> u64 {
    let count = |part: &Range<usize>| {
        let lines = lines(text, part.clone()).filter(|line| !is_comment(line));
        lines.map(|line| line.words().count() as u64).sum::<u64>()
    };
    parts.par_iter().map(count).sum()
}

impl Part {
    fn add(&mut self, from: u32, to: u32, weight: Option<u32>) {
        self.entries += 1;
        let hash = |source, target| match weight {
            None => of_entry(source, target),
            Some(word) => of_weighted_entry(source, target, word),
        };
        if from < to {
            self.edges.push([from, to], weight);
            self.imbalance = self.imbalance.wrapping_add(hash(from, to));
        } else if from == to {
            self.edges.push([from, to], weight);
            self.loops += 1;
        } else {
            self.imbalance = self.imbalance.wrapping_sub(hash(to, from));
        }
    }
}

/// Whether there is a line for every vertex. The last may lack its end.
fn check_lines(text: &[u8], header: &Header, found: u64) -> Result<(), Fault> {
    let unended = u64::from(text.last() == Some(&b'\n'));
    if found + unended >= u64::from(header.vertices) {
        return Ok(());
    }
    let problem = LineProblem::MissingLines {
        declared: header.vertices,
        found,
    };
    Err(Fault::new(text::last_line(text), problem))
}
