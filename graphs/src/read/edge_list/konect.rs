//! The header of KONECT's files `out.NAME`, which networkrepository's `.edges` have too:
//! `% sym unweighted`, then often `% edges vertices vertices`. Ids count from 1.

use super::super::text::{self, Line, lines};

/// The header: the first comment, and the sizes of the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Konect {
    pub shape: Shape,
    /// Whether edges are added and deleted in turn.
    pub dynamic: bool,
    /// Whether edges have no weights.
    pub unweighted: bool,
    /// Vertices on the left and on the right, if the second comment tells.
    pub sides: Option<[u64; 2]>,
}

/// The kind of graph, by the ends of its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Undirected,
    Directed,
    /// Vertices of two sets, each numbered from 1.
    Bipartite,
}

/// The sizes of the second comment.
pub(super) struct Sizes {
    pub edges: u64,
    pub left: u64,
    pub right: u64,
}

/// The weights that edges may have, as KONECT's handbook calls them.
const WEIGHTS: [&[u8]; 9] = [
    b"unweighted",
    b"positive",
    b"posweighted",
    b"signed",
    b"multisigned",
    b"weighted",
    b"multiweighted",
    b"dynamic",
    b"multiposweighted",
];

impl Konect {
    /// Reads a line, if it is such a header.
    pub fn of(line: &Line<'_>) -> Option<Self> {
        let mut words = line.words();
        let first = words.word()?.strip_prefix(b"%")?;
        let shape = if first.is_empty() {
            words.word()?
        } else {
            first
        };
        let shape = match shape {
            b"sym" => Shape::Undirected,
            b"asym" => Shape::Directed,
            b"bip" => Shape::Bipartite,
            _ => return None,
        };
        let weights = words.word();
        if weights.is_some_and(|weights| !WEIGHTS.contains(&weights)) {
            return None;
        }
        Some(Self {
            shape,
            dynamic: weights == Some(b"dynamic"),
            unweighted: weights == Some(b"unweighted"),
            sides: None,
        })
    }
}

/// Whether a text begins with such a header.
pub(in super::super) fn is_konect(text: &[u8]) -> bool {
    let first = lines(text, 0..text.len()).find(|line| line.words().peek().is_some());
    first.is_some_and(|line| Konect::of(&line).is_some())
}

/// The sizes that a line tells: edges, and vertices of one set or of two.
pub(super) fn sizes(line: &Line<'_>) -> Option<Sizes> {
    let mut words = line.words();
    let first = words.word()?.strip_prefix(b"%")?;
    let edges = if first.is_empty() {
        words.word()?
    } else {
        first
    };
    let edges = text::count(edges).ok()?;
    let left = words.wide()?.ok()?;
    let right = words.wide().transpose().ok()?.unwrap_or(left);
    words.is_empty().then_some(Sizes { edges, left, right })
}
