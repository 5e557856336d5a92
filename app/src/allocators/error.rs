//! Choices of allocators that cannot be made.

use thiserror::Error;

use super::names;

/// A choice of an allocator that cannot be made. Each displays as one line with the way out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    /// There is no allocator of this name.
    #[error("no allocator `{name}`: choose from {}", names())]
    Unknown {
        /// The name that was given.
        name: String,
    },
    /// A parameter is given twice.
    #[error("parameter {parameter} of {allocator} is given twice")]
    Twice {
        /// Its name.
        parameter: String,
        /// The allocator.
        allocator: String,
    },
    /// A parameter is none of the allocator's, or has a value that it cannot have.
    #[error("{allocator} takes the parameters {known}")]
    Parameter {
        /// The allocator.
        allocator: String,
        /// Its parameters, each with the values that it can have.
        known: String,
    },
    /// A trace of the allocator's calls would have no sense.
    #[error("{allocator} grants blocks again that live, and a trace of that says nothing")]
    Overwrites {
        /// The allocator.
        allocator: &'static str,
    },
    /// There is no form of the allocator that observes calls.
    #[error("calls of {allocator} cannot be {observed}: only those of its default form can")]
    Unobserved {
        /// The allocator.
        allocator: &'static str,
        /// The observation: `recorded`, `delayed` or `timed`.
        observed: &'static str,
    },
    /// The allocator cannot be checked.
    #[error("{allocator} has no checked mode")]
    Unchecked {
        /// The allocator.
        allocator: &'static str,
    },
}
