//! Bounds on the size and kind of a file's content.

use std::io::Read;

use crate::ReadError;
use crate::encoding::is_utf16;
use crate::signature::{Packing, refuse_archive};

/// Bytes by which text is judged before the rest is read.
pub(crate) const HEAD: u64 = 1 << 16;

/// Bounds on the decompressed content of a file.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Most bytes.
    pub limit: u64,
    /// The kind.
    pub kind: Kind,
}

/// The kind of content that is allowed.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Any.
    Any,
    /// Text.
    Text,
    /// Text, or any that begin with one of these.
    TextUnless(&'static [&'static [u8]]),
}

impl Kind {
    /// Whether what begins with `head` is to be text.
    pub fn is_text(self, head: &[u8]) -> bool {
        match self {
            Self::Any => false,
            Self::Text => true,
            Self::TextUnless(magics) => !magics.iter().any(|magic| head.starts_with(magic)),
        }
    }
}

impl Bounds {
    /// Checks the start of a file. Compressed content is checked once it is decompressed.
    ///
    /// # Errors
    /// [`ReadError::Archive`] or [`Binary`](ReadError::Binary).
    pub fn check(self, head: &[u8]) -> Result<(), ReadError> {
        if Packing::of(head).is_some() || !self.kind.is_text(head) || is_utf16(head) {
            return Ok(());
        }
        refuse_archive(head)?;
        check_text(head)
    }

    /// Up to so many bytes of any kind.
    pub fn any(limit: u64) -> Self {
        let kind = Kind::Any;
        Self { limit, kind }
    }

    /// All bytes of `source`, about `expected` of them.
    ///
    /// # Errors
    /// [`ReadError::Failed`], [`Binary`](ReadError::Binary) or
    /// [`TooLarge`](ReadError::TooLarge).
    pub fn read(self, mut source: impl Read, expected: u64) -> Result<Vec<u8>, ReadError> {
        // One more, so that too many are told from just enough.
        let most = self.limit.saturating_add(1);
        let mut bytes = Vec::new();
        if !matches!(self.kind, Kind::Any) {
            take(&mut source, most.min(HEAD), &mut bytes)?;
            self.check(&bytes)?;
        }
        let rest = most - bytes.len() as u64;
        // One more, so that the end is seen without growing.
        let expected = expected.saturating_add(1).min(most);
        let missing = usize::try_from(expected).map(|all| all.saturating_sub(bytes.len()));
        bytes
            .try_reserve_exact(missing.unwrap_or(usize::MAX))
            .map_err(|error| ReadError::Failed(error.into()))?;
        take(&mut source, rest, &mut bytes)?;
        if bytes.len() as u64 > self.limit {
            return Err(ReadError::TooLarge(self.limit));
        }
        Ok(bytes)
    }
}

/// Whether `bytes` can be text.
///
/// # Errors
/// [`ReadError::Binary`].
pub fn check_text(bytes: &[u8]) -> Result<(), ReadError> {
    match memchr::memchr(0, bytes) {
        Some(offset) => Err(ReadError::Binary(offset)),
        None => Ok(()),
    }
}

/// Up to `most` bytes of `source`, behind `bytes`.
fn take(source: impl Read, most: u64, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    let read = source.take(most).read_to_end(bytes);
    read.map(drop).map_err(ReadError::Failed)
}
