//! Gzip: recognised by its magic bytes in what is read, by the suffix in what is
//! written.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::read::{Bounds, ReadError};

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether `bytes` start as gzip does.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// `bytes`, decompressed where they are gzip: all members, joined.
///
/// # Errors
/// [`ReadError::Gzip`], or [`TooLarge`](ReadError::TooLarge) where more than
/// `limit` bytes come out.
pub fn decompress(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    decompress_within(bytes, Bounds::any(limit))
}

pub(crate) fn decompress_within(bytes: Vec<u8>, bounds: Bounds) -> Result<Vec<u8>, ReadError> {
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    let read = bounds.read(MultiGzDecoder::new(&bytes[..]), 0);
    read.map_err(|error| match error {
        ReadError::Failed(cause) => ReadError::Gzip(cause),
        other => other,
    })
}

/// `bytes` as a member of a gzip file.
///
/// # Errors
/// None but what the compressor says, which runs in memory.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = encoder(Vec::new());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(crate) fn encoder<W: Write>(out: W) -> GzEncoder<W> {
    GzEncoder::new(out, Compression::default())
}

/// Whether the name ends in `.gz`.
pub fn is_gz(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz"))
}

/// The name without `.gz` and then without its folder; another path as it is.
pub fn without_gz(path: &Path) -> &Path {
    match path.file_stem() {
        Some(stem) if is_gz(path) => Path::new(stem),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_members_are_joined() {
        let members = [&b"2 1\n"[..], b"", b"2\n1\n"].map(|part| compress(part).unwrap());
        assert_eq!(decompress(members.concat(), 100).unwrap(), b"2 1\n2\n1\n");
    }

    #[test]
    fn what_is_not_gzip_stays() {
        for plain in [&b""[..], b"\x1f", b"v 0 0 0\n"] {
            assert_eq!(decompress(plain.to_vec(), 0).unwrap(), plain);
        }
    }

    #[test]
    fn damage_is_found() {
        let whole = compress(&[b'1'; 1000]).unwrap();
        for cut in [2, 9, 12, whole.len() - 1] {
            let error = decompress(whole[..cut].to_vec(), 10_000);
            assert!(matches!(error, Err(ReadError::Gzip(_))), "{cut}");
        }
    }

    #[test]
    fn what_expands_beyond_the_limit_is_refused() {
        let packed = compress(&[b'\n'; 100_000]).unwrap();
        for limit in [0, 10, 99_999] {
            let error = decompress(packed.clone(), limit);
            assert!(matches!(error, Err(ReadError::TooLarge(of)) if of == limit));
        }
        for limit in [100_000, u64::MAX] {
            assert_eq!(decompress(packed.clone(), limit).unwrap().len(), 100_000);
        }
    }

    #[test]
    fn names() {
        let without = |name| without_gz(Path::new(name)).to_str().unwrap();
        assert_eq!(without("x/y.obj.gz"), "y.obj");
        assert_eq!(without("y.OBJ.GZ"), "y.OBJ");
        assert_eq!(without("x/y.obj"), "x/y.obj");
        for name in ["", "..", "gz", ".gz", "a.gz.txt"] {
            assert!(!is_gz(Path::new(name)), "{name}");
            assert_eq!(without(name), name);
        }
    }
}
