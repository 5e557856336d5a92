//! Where a graph or a scene comes from: a file, or a generator.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{ParseSpecError, Spec, parse};
use crate::word::{Word, WordError};

/// The prefix of a specification. A file whose name begins so is named with its folder, as
/// `./gen:...`.
pub const PREFIX: &str = "gen:";

/// A file, or what to make instead of reading one.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<S> {
    /// A file to read.
    File(PathBuf),
    /// A generator with its options.
    Generated {
        /// As it was written, prefix and all.
        text: String,
        /// Its options.
        spec: S,
    },
}

impl<S: Spec> Source<S> {
    /// Reads a source as the command line has it.
    ///
    /// # Errors
    ///
    /// [`ParseSpecError`] for a specification.
    pub fn parse(text: OsString) -> Result<Self, ParseSpecError> {
        let Some(rest) = text.to_str().and_then(|text| text.strip_prefix(PREFIX)) else {
            return Ok(Self::File(text.into()));
        };
        let spec = parse(rest)?;
        let text = format!("{PREFIX}{rest}");
        Ok(Self::Generated { text, spec })
    }

    /// The file that is read, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Generated { spec, .. } => spec.file(),
        }
    }
}

impl<S: Spec> Word for Source<S> {
    fn word(&self) -> OsString {
        match self {
            Self::File(path) => path.clone().into(),
            Self::Generated { text, .. } => text.into(),
        }
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        Self::parse(word).map_err(|error| WordError::Value(error.into()))
    }
}

impl<S> fmt::Display for Source<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Generated { text, .. } => text.fmt(f),
        }
    }
}

/// Sources as values of arguments.
#[cfg(feature = "cli")]
pub fn source<S: Spec + Clone + Send + Sync + 'static>()
-> impl clap::builder::TypedValueParser<Value = Source<S>> {
    use clap::builder::{OsStringValueParser, TypedValueParser};

    OsStringValueParser::new().try_map(Source::parse)
}

#[cfg(test)]
mod tests {
    use super::super::{GraphSpec, SceneSpec};
    use super::*;

    #[test]
    fn a_prefix_tells_generators_from_files() {
        let graph = |text: &str| Source::<GraphSpec>::parse(text.into());
        for file in ["a.gr", "./gen:road", "gen", "GEN:road", ""] {
            assert_eq!(graph(file), Ok(Source::File(file.into())));
        }
        let made = graph("gen:road,seed=5").unwrap();
        assert_eq!((made.file(), made.word()), (None, "gen:road,seed=5".into()));
        assert!(graph("gen:").is_err());
        let scene = |text: &str| Source::<SceneSpec>::parse(text.into()).unwrap();
        let enlarged = scene("gen:a/b.obj,copies=2");
        assert_eq!(enlarged.file(), Some(Path::new("a/b.obj")));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let name = OsString::from_vec(b"gen:\xff".to_vec());
        let source = Source::<GraphSpec>::parse(name.clone()).unwrap();
        assert_eq!(source.word(), name);
    }
}
