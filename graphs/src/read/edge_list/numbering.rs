//! How the ids of an edge list become vertices: each way is a type of its own, so that
//! lists of plain numbers are read without a thought of the others.

use super::super::text::Words;
use crate::{Ids, LineProblem, MAX_VERTICES};

/// A way to read an id.
pub(super) trait ReadId: Sync {
    /// The type of an id that was read.
    type Id: Copy + Default + Send + Sync;

    /// The next word as an id; none at the end of the line.
    fn read(&self, words: &mut Words<'_>) -> Option<Result<Self::Id, LineProblem>>;
}

/// Numbers from `base` on, as vertices from 0.
pub(super) struct Consecutive {
    pub base: u32,
}

impl ReadId for Consecutive {
    type Id = u32;

    #[inline]
    fn read(&self, words: &mut Words<'_>) -> Option<Result<u32, LineProblem>> {
        let id = match words.whole()? {
            Ok(id) => id,
            Err(LineProblem::Overflow(id)) => return Some(Err(LineProblem::WideId(id))),
            Err(problem) => return Some(Err(of_id(problem))),
        };
        Some(match id.checked_sub(self.base) {
            None => Err(LineProblem::ZeroId),
            Some(vertex) if vertex >= MAX_VERTICES => Err(LineProblem::WideId(id.to_string())),
            Some(vertex) => Ok(vertex),
        })
    }
}

/// Any numbers of 64 bits.
pub(super) struct Any;

impl ReadId for Any {
    type Id = u64;

    fn read(&self, words: &mut Words<'_>) -> Option<Result<u64, LineProblem>> {
        Some(words.wide()?.map_err(of_id))
    }
}

/// Ids of a graph that is there, as its vertices.
pub(super) struct Known<'a> {
    pub ids: &'a Ids,
    pub vertices: u32,
}

impl ReadId for Known<'_> {
    type Id = u32;

    fn read(&self, words: &mut Words<'_>) -> Option<Result<u32, LineProblem>> {
        Some(words.wide()?.map_err(of_id).and_then(|id| {
            let vertex = self.ids.vertex(id, self.vertices);
            vertex.ok_or(LineProblem::UnknownId(id))
        }))
    }
}

/// The problem of a word that should be an id.
fn of_id(problem: LineProblem) -> LineProblem {
    match problem {
        LineProblem::NotWhole(word) => LineProblem::NotAnId(word),
        other => other,
    }
}
