//! Reference output: an id and a value a line, one line for each vertex, in any order.

use std::path::Path;

use super::algorithm::MatchRule;
use crate::error::excerpt;
use crate::read::entries::{Entries, parse_lines};
use crate::read::load_list;
use crate::read::text::{Fault, Words, count, lines};
use crate::{GraphError, Ids, LineProblem};

/// A value for each vertex of a graph, by its number from 0. The variants are the rules by which the
/// specification compares them.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceValues {
    /// Whole numbers that have to be the same.
    Exact(Vec<u64>),
    /// Labels that have to divide the vertices in the same way.
    Equivalence(Vec<u64>),
    /// Real numbers with a relative error; distances may be infinite.
    Epsilon(Vec<f64>),
}

impl ReferenceValues {
    /// Reads the output of an algorithm that is compared by a rule.
    pub(super) fn load(
        path: &Path,
        rule: MatchRule,
        ids: &Ids,
        vertices: u32,
    ) -> Result<Self, GraphError> {
        let parse = match rule {
            MatchRule::Exact | MatchRule::Equivalence => count,
            MatchRule::Epsilon => real_bits,
        };
        let (values, missing) = load_list(path, |text| read(text, parse, ids, vertices))?;
        if let Some(vertex) = missing {
            let path = path.display().to_string();
            return Err(GraphError::NoValue { path, vertex });
        }
        Ok(match rule {
            MatchRule::Exact => Self::Exact(values),
            MatchRule::Equivalence => Self::Equivalence(values),
            MatchRule::Epsilon => Self::Epsilon(values.into_iter().map(f64::from_bits).collect()),
        })
    }
}

/// The words that `parse` makes of the values, and the id of the first vertex that has none.
fn read(
    text: &[u8],
    parse: fn(&[u8]) -> Result<u64, LineProblem>,
    ids: &Ids,
    vertices: u32,
) -> Result<(Vec<u64>, Option<u64>), Fault> {
    let listed = parse_lines(text, 0, |mut words, entries: &mut Entries<u64>| {
        if matches!(words.peek(), None | Some(b'#' | b'%')) {
            return Ok(());
        }
        let all = words;
        let (Some(id), Some(value), true) = (words.wide(), words.word(), words.is_empty()) else {
            let (found, rule) = (all.count(), "a vertex and its value are needed");
            return Err(LineProblem::Values { found, rule });
        };
        let id = id?;
        let vertex = ids.vertex(id, vertices).ok_or(LineProblem::UnknownId(id))?;
        entries.push([vertex.into(), parse(value)?], None);
        Ok(())
    })?;
    let mut values = vec![0; vertices as usize];
    let mut is_listed = vec![false; vertices as usize];
    for [vertex, value] in listed.edges {
        let vertex = vertex as usize;
        if is_listed[vertex] {
            return Err(repeated(text, ids.of(vertex as u32)));
        }
        is_listed[vertex] = true;
        values[vertex] = value;
    }
    let missing = is_listed.iter().position(|is_listed| !is_listed);
    Ok((values, missing.map(|vertex| ids.of(vertex as u32))))
}

/// The fault of the second line of an id.
fn repeated(text: &[u8], id: u64) -> Fault {
    let is_of_id = |mut words: Words<'_>| words.wide() == Some(Ok(id));
    let mut of_id = lines(text, 0..text.len()).filter(|line| is_of_id(line.words()));
    let at = of_id.nth(1).map_or(0, |line| line.at);
    Fault::new(at, LineProblem::Repeated(id))
}

/// The bits of a real number, which may be infinite.
fn real_bits(word: &[u8]) -> Result<u64, LineProblem> {
    let number = std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok());
    let number = number.filter(|number: &f64| !number.is_nan());
    let number = number.ok_or_else(|| LineProblem::NotANumber(excerpt(word)))?;
    Ok(number.to_bits())
}
