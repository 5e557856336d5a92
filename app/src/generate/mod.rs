//! Graphs and scenes made by the program: what to make as typed options, and the
//! specification `gen:KIND,OPTION=VALUE,...` that stands wherever a file may.
//!
//! `heapwood generate` takes the options as flags, a specification takes them by the same names
//! with the same defaults.
//!
//! ```
//! use heapwood::generate::{GraphSpec, Source};
//!
//! let source: Source<GraphSpec> = Source::parse("gen:kronecker,vertices=2^10,seed=3".into())?;
//! let Source::Generated { spec, .. } = source else { unreachable!() };
//! let (graph, _) = spec.make()?;
//! assert_eq!(graph.vertices(), 1024);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod graph;
mod nearest;
mod parse;
mod scene;
mod source;

pub use graph::GraphSpec;
pub use nearest::one_of;
pub use parse::{Given, ParseSpecError, parse};
pub use scene::SceneSpec;
#[cfg(feature = "cli")]
pub use source::source;
pub use source::{PREFIX, Source};

use std::path::Path;

/// A specification of generated input: options that `heapwood generate` takes as flags.
pub trait Spec: Sized {
    /// The names of the options, and whether they take values.
    const OPTIONS: &'static [(&'static str, bool)];

    /// Reads the kind and the options.
    ///
    /// # Errors
    ///
    /// [`ParseSpecError::Invalid`]: what is wrong, and which kinds there are.
    fn read(kind: &str, given: &Given) -> Result<Self, ParseSpecError>;

    /// Finds options that the kind has no use for.
    ///
    /// # Errors
    ///
    /// [`ParseSpecError::Invalid`] with a message that begins with the name of the option.
    fn check(&self) -> Result<(), ParseSpecError> {
        Ok(())
    }

    /// The file that it is made from, if there is one.
    fn file(&self) -> Option<&Path> {
        None
    }
}
