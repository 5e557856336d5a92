//! The choice of weights: those of the file, none, or of one kind; and how a text is read by it.
//!
//! By default weights are integers if all of them are written as such. A text is read with integers
//! first, and if a weight has another form, once more with real numbers: readers stop at the first
//! weight that they cannot use, which mostly is near the beginning of a piece of the text.

use std::fmt;
use std::str::FromStr;

use super::entries::Entries;
use super::text::Fault;
use crate::weights::is_whole;
use crate::{EdgeList, GraphError, LineProblem, WeightKind, WeightProblem, Weights};

/// The weights that are read of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadWeights {
    /// Those that the file has, of the kind that it has.
    #[default]
    ByFile,
    /// None: weights are checked to be numbers and left out.
    None,
    /// Integers, and no other weights.
    Integer,
    /// Real numbers; integers are taken for such.
    Real,
}

impl ReadWeights {
    /// All choices.
    pub const ALL: [Self; 4] = [Self::ByFile, Self::None, Self::Integer, Self::Real];

    /// A short name, as used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByFile => "file",
            Self::None => "none",
            Self::Integer => "integer",
            Self::Real => "real",
        }
    }

    /// The kind of weights, if one was asked for.
    pub(super) fn kind(self) -> Option<WeightKind> {
        match self {
            Self::ByFile | Self::None => None,
            Self::Integer => Some(WeightKind::Integer),
            Self::Real => Some(WeightKind::Real),
        }
    }
}

/// The weights that edges need which join a graph with weights of this kind, or with none.
impl From<Option<WeightKind>> for ReadWeights {
    fn from(kind: Option<WeightKind>) -> Self {
        match kind {
            None => Self::None,
            Some(WeightKind::Integer) => Self::Integer,
            Some(WeightKind::Real) => Self::Real,
        }
    }
}

/// There is no choice of weights of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose from {}", ReadWeights::ALL.map(ReadWeights::name).join(", "))]
pub struct UnknownWeights;

/// By the short name.
impl FromStr for ReadWeights {
    type Err = UnknownWeights;

    fn from_str(name: &str) -> Result<Self, UnknownWeights> {
        let mut choices = Self::ALL.into_iter();
        let found = choices.find(|choice| choice.name() == name);
        found.ok_or(UnknownWeights)
    }
}

impl fmt::Display for ReadWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the weights of a text are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightForm {
    /// They are left out.
    Unused,
    /// They are kept as words of a kind.
    Kept(WeightKind),
    /// They are checked to be integers of any size.
    AnyInteger,
}

impl WeightForm {
    /// The word of a weight, if it is kept.
    pub fn parse(self, text: &[u8]) -> Result<Option<u32>, WeightProblem> {
        match self {
            Self::Unused => Ok(None),
            Self::Kept(kind) => kind.parse(text).map(Some),
            Self::AnyInteger if is_whole(text) => Ok(None),
            Self::AnyInteger => WeightKind::Integer.parse(text).map(Some),
        }
    }
}

/// The weight of a line of a list, in which all edges have weights or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineWeight {
    /// It is left out, if there is one.
    Ignored,
    /// There is none.
    Absent,
    /// There is one.
    Present(WeightForm),
}

impl LineWeight {
    /// The word of the weight of a line that has this text for it, if it is kept.
    pub fn parse(self, text: Option<&[u8]>) -> Result<Option<u32>, WeightProblem> {
        match (self, text) {
            (Self::Ignored, _) | (Self::Absent, None) => Ok(None),
            (Self::Absent, Some(_)) => Err(WeightProblem::Unexpected),
            (Self::Present(_), None) => Err(WeightProblem::Missing),
            (Self::Present(form), Some(text)) => form.parse(text),
        }
    }
}

/// The result of `read` with the weights that are asked for, and their kind if they are kept.
pub(super) fn read_as<T>(
    asked: ReadWeights,
    read: impl Fn(WeightForm) -> Result<T, Fault>,
) -> Result<(T, Option<WeightKind>), Fault> {
    let kept = |kind| Ok((read(WeightForm::Kept(kind))?, Some(kind)));
    match asked {
        ReadWeights::None => Ok((read(WeightForm::Unused)?, None)),
        ReadWeights::Integer => kept(WeightKind::Integer),
        ReadWeights::Real => kept(WeightKind::Real),
        ReadWeights::ByFile => match kept(WeightKind::Integer) {
            Err(fault) if is_real(&fault, &read) => kept(WeightKind::Real),
            integers => integers,
        },
    }
}

/// Whether a weight has another form than an integer, by the fault of reading integers. A weight that
/// is too large may stand in front of it.
fn is_real<T>(fault: &Fault, read: impl Fn(WeightForm) -> Result<T, Fault>) -> bool {
    let is_not_whole = |fault: &Fault| {
        matches!(
            fault.problem,
            LineProblem::Weight(WeightProblem::NotWhole(_))
        )
    };
    match fault.problem {
        LineProblem::Weight(WeightProblem::TooLarge(_)) => {
            read(WeightForm::AnyInteger).is_err_and(|fault| is_not_whole(&fault))
        }
        _ => is_not_whole(fault),
    }
}

/// Edges by ids of one type, and their weights if they have any.
pub(super) type Weighted<T> = (Vec<[T; 2]>, Option<Weights>);

impl<T> Entries<T> {
    /// The edges, and the weights if they are of a kind.
    pub fn weighted(self, kind: Option<WeightKind>) -> Weighted<T> {
        let words = self.weights;
        (self.edges, kind.map(|kind| Weights { kind, words }))
    }
}

/// Makes sure that edges have the weights that are asked for, which a list without edges has.
///
/// # Errors
/// [`GraphError::NoWeights`] with this name of the file.
pub(super) fn require(
    asked: ReadWeights,
    edges: &mut EdgeList,
    name: impl FnOnce() -> String,
) -> Result<(), GraphError> {
    let Some(kind) = asked.kind().filter(|_| edges.weights.is_none()) else {
        return Ok(());
    };
    if !edges.edges.is_empty() {
        return Err(GraphError::NoWeights { path: name() });
    }
    let words = Vec::new();
    edges.weights = Some(Weights { kind, words });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for choice in ReadWeights::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        let unknown = "float".parse::<ReadWeights>().unwrap_err();
        assert_eq!(unknown.to_string(), "choose from file, none, integer, real");
    }
}
