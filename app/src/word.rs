//! Values that the command line has as one word, in JSON: a name, a size, a file. They are text
//! there, unless they are the name of a file that is no text.

use std::error;
use std::ffi::OsString;
use std::path::PathBuf;

use heapwood_device::graph::pagerank::plan::Method;
use heapwood_device::graph::store::plan::Layout;
use heapwood_device::kdtree::plan::Quality;
use heapwood_graphs::{Format, Parallel, ReadWeights};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a word is no value of its type, in one line.
#[derive(Debug, thiserror::Error)]
pub enum WordError {
    /// It is not UTF-8.
    #[error("`{}` is no text", .0.display())]
    NoText(OsString),
    /// It is none of the names.
    #[error("nothing is called `{}`", .0.display())]
    Unknown(OsString),
    /// The error of the type's parser.
    #[error(transparent)]
    Value(Box<dyn error::Error + Send + Sync>),
}

/// A value that is written as one word.
pub trait Word: Sized {
    /// The word.
    fn word(&self) -> OsString;

    /// Reads it.
    ///
    /// # Errors
    ///
    /// A word that is no such value.
    fn from_word(word: OsString) -> Result<Self, WordError>;
}

impl Word for PathBuf {
    fn word(&self) -> OsString {
        self.into()
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        Ok(word.into())
    }
}

/// A value by a parser of text.
///
/// # Errors
///
/// Those of `parse`, and for a word that is no text.
pub fn by_text<T, E: error::Error + Send + Sync + 'static>(
    word: OsString,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, WordError> {
    match word.to_str() {
        Some(text) => parse(text).map_err(|error| WordError::Value(error.into())),
        None => Err(WordError::NoText(word)),
    }
}

/// Values of other crates that have names.
macro_rules! named {
    ($($named:ty),+) => {
        $(impl Word for $named {
            fn word(&self) -> OsString {
                self.name().into()
            }

            fn from_word(word: OsString) -> Result<Self, WordError> {
                let found = Self::ALL.into_iter().find(|value| word == value.name());
                found.ok_or(WordError::Unknown(word))
            }
        })+
    };
}

named!(Format, Layout, Method, Parallel, Quality, ReadWeights);

/// A word as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Raw(OsString),
}

impl Written {
    fn of<T: Word>(value: &T) -> Self {
        let word = value.word().into_string();
        word.map_or_else(Self::Raw, Self::Text)
    }

    fn read<T: Word, E: Error>(self) -> Result<T, E> {
        let word = match self {
            Self::Text(text) => text.into(),
            Self::Raw(word) => word,
        };
        T::from_word(word).map_err(E::custom)
    }
}

/// Writes a value, for `#[serde(with = "word")]`.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<T: Word, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    Written::of(value).serialize(serializer)
}

/// Reads a value, for `#[serde(with = "word")]`.
///
/// # Errors
///
/// Those of the deserializer, and errors of the word.
pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Written::deserialize(deserializer)?.read()
}

/// Values that may be left out, for `#[serde(with = "word::option")]`.
pub mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Word, Written};

    pub fn serialize<T: Word, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Written::of).serialize(serializer)
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let written = Option::<Written>::deserialize(deserializer)?;
        written.map(Written::read).transpose()
    }
}

/// Lists of values, for `#[serde(with = "word::list")]`.
pub mod list {
    use super::{Deserialize, Deserializer, Serializer, Word, Written};

    pub fn serialize<T: Word, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Written::of))
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let written = Vec::<Written>::deserialize(deserializer)?;
        written.into_iter().map(Written::read).collect()
    }
}
