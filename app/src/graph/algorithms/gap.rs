//! The kernels of the GAP benchmark suite (Beamer, Asanović and Patterson 2015): how many trials each
//! has, and the frame of a trial, which the file of its algorithm fills.

use std::ffi::OsString;
use std::time::Instant;

use heapwood_results::graph::TrialResult;

use super::{Algorithm, GAP_KERNELS};
use crate::Error;
use crate::graph::verify::Reference;
use crate::graph::{Input, Store, StoreError};
use crate::word::{Word, WordError};

/// A kernel of the suite.
#[derive(Clone, Copy, Debug)]
pub struct GapKernel {
    /// The name that gapbs has for it.
    pub name: &'static str,
    /// How many trials the suite prescribes.
    pub trials: u32,
    /// Sources of each trial.
    pub sources: usize,
    requirement: Requirement,
    trial: fn(&TrialContext) -> Result<Trial, Error>,
}

/// The property that a kernel needs of a graph.
#[derive(Clone, Copy, Debug)]
pub(super) enum Requirement {
    None,
    Weights,
    Undirected,
}

/// The input of a trial.
pub struct TrialContext<'a, 'b> {
    /// The graph.
    pub store: &'a Store<'b>,
    /// The vertices that it starts from.
    pub sources: &'a [u32],
    /// The graph that the result is verified by, if that is wanted.
    pub reference: Option<&'a Reference>,
}

/// The measurements of a trial.
pub struct Trial {
    /// Time of all kernels of the backend, in milliseconds.
    pub ms: f64,
    /// A figure of the result.
    pub result: TrialResult,
    /// The change of one more iteration of verified PageRank, summed over vertices.
    pub total_error: Option<f64>,
    /// Time of the verification, in milliseconds.
    pub verification_ms: Option<f64>,
}

impl GapKernel {
    /// A kernel whose trials this function runs.
    pub(super) const fn new(
        name: &'static str,
        trials: u32,
        sources: usize,
        requirement: Requirement,
        trial: fn(&TrialContext) -> Result<Trial, Error>,
    ) -> Self {
        Self {
            name,
            trials,
            sources,
            requirement,
            trial,
        }
    }

    /// The kernel of this name.
    pub fn named(name: &str) -> Option<Self> {
        GAP_KERNELS
            .iter()
            .find(|kernel| kernel.name == name)
            .copied()
    }

    /// Makes sure that a graph has all that the kernel needs.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unweighted`], [`StoreError::Directed`], and [`Error::Usage`] for a graph without
    /// sources.
    pub fn check(&self, input: &Input) -> Result<(), Error> {
        let rows = &input.rows;
        match self.requirement {
            Requirement::Weights if rows.weights.is_none() => {
                return Err(StoreError::Unweighted.into());
            }
            Requirement::Undirected if rows.directed => return Err(StoreError::Directed.into()),
            _ => {}
        }
        if self.sources > 0 && rows.targets.is_empty() {
            let why = format!(
                "{} starts from vertices with out-edges, and the graph has no edges",
                self.name
            );
            return Err(Error::Usage(why));
        }
        Ok(())
    }

    /// Runs a trial.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, and a wrong result.
    pub fn run(&self, context: &TrialContext) -> Result<Trial, Error> {
        (self.trial)(context)
    }
}

impl Word for GapKernel {
    fn word(&self) -> OsString {
        self.name.into()
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        let found = word.to_str().and_then(Self::named);
        found.ok_or(WordError::Unknown(word))
    }
}

impl TrialContext<'_, '_> {
    /// The measurements of a trial that found this. Verifies it, if that is wanted.
    pub(super) fn trial<A: Algorithm>(
        &self,
        found: &A,
        options: &A::Options,
        result: TrialResult,
    ) -> Result<Trial, Error> {
        let verify = |reference| {
            let begun = Instant::now();
            found.verify(options, self.store, reference)?;
            Ok::<_, Error>(begun.elapsed().as_secs_f64() * 1e3)
        };
        Ok(Trial {
            ms: found.ms(),
            result,
            total_error: None,
            verification_ms: self.reference.map(verify).transpose()?,
        })
    }
}
