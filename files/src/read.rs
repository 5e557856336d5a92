//! Bytes from files, plain or compressed.
//!
//! How much comes out is bounded, since a device may be endless and a small file
//! can expand to any size. Of what is to be text the start is looked at before the
//! rest is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::encoding::{is_utf16, to_utf8};
use crate::packing::{Packing, decompress_within, refuse_archive};

/// Bytes by which text is judged before the rest is read.
const HEAD: u64 = 1 << 16;

/// Why nothing could be read. It names no file: the caller knows which.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("cannot read: {0}")]
    Failed(io::Error),
    /// The path names a directory.
    #[error("a directory")]
    Directory,
    /// There is a zero byte, which no text has, at this place. It is counted from
    /// 0, after decompression.
    #[error("not text: byte {0} is 0")]
    Binary(usize),
    /// It starts as something compressed in this way, but cannot be decompressed.
    #[error("damaged {0}: {1}")]
    Packed(&'static str, io::Error),
    /// It is packed in this way, which is not read.
    #[error("packed as {0}, which is not read")]
    Archive(&'static str),
    /// The file, or what it decompresses to, has more than so many bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
}

/// The contents of a file, decompressed where they are gzip, bzip2, xz or zstd.
///
/// # Errors
/// [`ReadError::Failed`], [`Directory`](ReadError::Directory),
/// [`Packed`](ReadError::Packed), [`Archive`](ReadError::Archive), or
/// [`TooLarge`](ReadError::TooLarge) where more than `limit` bytes come out.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_within(path, Bounds::any(limit))
}

/// The contents of a file as they are, even where they look compressed.
///
/// # Errors
/// [`ReadError::Failed`], [`Directory`](ReadError::Directory), or
/// [`TooLarge`](ReadError::TooLarge) where it has more than `limit` bytes.
pub fn read_as_is(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, expected) = open(path)?;
    Bounds::any(limit).read(file, expected)
}

/// The contents of a text file, decompressed as by [`read`], and in UTF-8 where they are UTF-16.
///
/// Only the start is searched for zero bytes: an endless device is left at once,
/// and [`check_text`] finds those further on.
///
/// # Errors
/// As [`read`], and [`ReadError::Binary`].
pub fn read_text(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let kind = Kind::Text;
    read_within(path, Bounds { limit, kind })
}

/// As [`read_text`], but a file that begins with one of `magics`, where need be once it is
/// decompressed, may hold anything.
///
/// # Errors
/// As [`read_text`].
pub fn read_text_or(
    path: &Path,
    limit: u64,
    magics: &'static [&'static [u8]],
) -> Result<Vec<u8>, ReadError> {
    let kind = Kind::TextUnless(magics);
    read_within(path, Bounds { limit, kind })
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

fn read_within(path: &Path, bounds: Bounds) -> Result<Vec<u8>, ReadError> {
    let (file, expected) = open(path)?;
    let bytes = bounds.read(file, expected)?;
    bounds.unpack(bytes)
}

/// The text in `bytes` that were read from a text file: as [`read_text`] returns it.
///
/// # Errors
/// As [`read_text`], but that no file is opened.
pub fn text(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    let kind = Kind::Text;
    let bounds = Bounds { limit, kind };
    bounds.check(&bytes[..bytes.len().min(HEAD as usize)])?;
    bounds.unpack(bytes)
}

/// A file, and how many bytes it seems to have.
fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let file = File::open(path).map_err(ReadError::Failed)?;
    let about = file.metadata().map_err(ReadError::Failed)?;
    if about.is_dir() {
        return Err(ReadError::Directory);
    }
    Ok((file, about.len()))
}

/// What may come out.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Most bytes.
    pub limit: u64,
    /// Of which kind.
    pub kind: Kind,
}

/// What bytes may be.
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
    fn is_text(self, head: &[u8]) -> bool {
        match self {
            Self::Any => false,
            Self::Text => true,
            Self::TextUnless(magics) => !magics.iter().any(|magic| head.starts_with(magic)),
        }
    }
}

impl Bounds {
    /// Looks at the start of what is read. What is packed is judged when it is unpacked.
    fn check(self, head: &[u8]) -> Result<(), ReadError> {
        if Packing::of(head).is_some() || !self.kind.is_text(head) || is_utf16(head) {
            return Ok(());
        }
        refuse_archive(head)?;
        check_text(head)
    }

    /// What is in `bytes` that were read within these bounds.
    fn unpack(self, bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
        let bytes = decompress_within(bytes, self)?;
        Ok(match self.kind.is_text(&bytes) {
            true => to_utf8(bytes),
            false => bytes,
        })
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

/// Up to `most` bytes of `source`, behind `bytes`.
fn take(source: impl Read, most: u64, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    let read = source.take(most).read_to_end(bytes);
    read.map(drop).map_err(ReadError::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress;
    use std::fs;

    #[test]
    fn gzip_is_known_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain");
        fs::write(&path, compress(b"2 1\n").unwrap()).unwrap();
        assert_eq!(read(&path, 100).unwrap(), b"2 1\n");
        assert_eq!(read_text(&path, 100).unwrap(), b"2 1\n");
        // Packed twice, unpacked once: no text yet, and not refused as none.
        let once = compress(b"2 1\n").unwrap();
        fs::write(&path, compress(&once).unwrap()).unwrap();
        assert_eq!(read_text(&path, 100).unwrap(), once);
        let path = folder.path().join("not.gz");
        fs::write(&path, b"2 1\n").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"2 1\n");
    }

    #[test]
    fn text_of_either_width_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide");
        let wide: Vec<u8> = "\u{feff}2 1\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for bytes in [wide.clone(), compress(&wide).unwrap()] {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read_text(&path, 100).unwrap(), b"2 1\n");
            assert_eq!(read(&path, 100).unwrap(), wide);
            assert_eq!(text(bytes, 100).unwrap(), b"2 1\n");
        }
    }

    #[test]
    fn an_archive_in_a_compressed_file_is_named() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let error = text(compress(&tar).unwrap(), 1000);
        assert!(matches!(error, Err(ReadError::Archive("tar"))), "{error:?}");
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let absent = folder.path().join("absent");
        for read in [read, read_text] {
            assert!(matches!(read(&absent, 100), Err(ReadError::Failed(_))));
            assert!(matches!(
                read(folder.path(), 100),
                Err(ReadError::Directory)
            ));
        }
    }

    #[test]
    fn the_limit_is_the_largest_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        for size in [1, HEAD - 1, HEAD, HEAD + 1, 200_000] {
            let content = vec![b'1'; size as usize];
            fs::write(&path, &content).unwrap();
            for read in [read, read_text] {
                for enough in [size, size + 1, u64::MAX] {
                    assert_eq!(read(&path, enough).unwrap(), content);
                }
                for short in [0, size - 1] {
                    assert!(matches!(read(&path, short), Err(ReadError::TooLarge(_))));
                }
            }
        }
    }

    #[test]
    fn a_zero_byte_at_the_start_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("binary");
        let mut content = vec![b'1'; 200_000];
        for zero in [1000, 100_000] {
            content[zero] = 0;
            for bytes in [content.clone(), compress(&content).unwrap()] {
                fs::write(&path, bytes).unwrap();
                assert_eq!(read(&path, 200_000).unwrap(), content);
                let text = read_text(&path, 200_000);
                if zero < HEAD as usize {
                    assert!(matches!(text, Err(ReadError::Binary(1000))));
                } else {
                    // Beyond what is judged: the whole is the caller's to check.
                    assert!(matches!(
                        check_text(&text.unwrap()),
                        Err(ReadError::Binary(100_000))
                    ));
                }
            }
            content[zero] = b'1';
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_left_at_once() {
        let endless = Path::new("/dev/zero");
        assert!(matches!(
            read_text(endless, u64::MAX),
            Err(ReadError::Binary(0))
        ));
        assert!(matches!(
            read(endless, 1000),
            Err(ReadError::TooLarge(1000))
        ));
    }
}
