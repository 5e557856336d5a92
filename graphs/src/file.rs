//! Bytes from files, plain or gzipped.
//!
//! Gzip is recognised by its magic bytes, whatever the file is called. How much
//! comes out is bounded, since a small file can expand to any size, and what
//! shows at its start that it is no text is not read further.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::GraphError;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Bytes by which a file is judged before the rest is read.
const HEAD: u64 = 1 << 16;

/// The contents of `path`, decompressed where they are gzip.
///
/// # Errors
/// [`GraphError::Read`], [`Directory`](GraphError::Directory),
/// [`Binary`](GraphError::Binary), [`Gzip`](GraphError::Gzip), or
/// [`TooLarge`](GraphError::TooLarge) where more than `limit` bytes come out.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, GraphError> {
    let name = || path.display().to_string();
    let failed = |source| GraphError::Read {
        path: name(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if about.is_dir() {
        return Err(GraphError::Directory { path: name() });
    }
    let mut head = Vec::new();
    (&file).take(HEAD).read_to_end(&mut head).map_err(failed)?;
    check_text(&head, name)?;
    let size = about.len().min(limit) as usize;
    let bytes = read_limited((&head[..]).chain(&file), limit, size).map_err(failed)?;
    let bytes = bytes.ok_or_else(|| GraphError::TooLarge {
        path: name(),
        limit,
    })?;
    decompress(bytes, limit, name)
}

/// Whether `bytes` can be text or gzip.
///
/// # Errors
/// [`GraphError::Binary`].
pub(crate) fn check_text(bytes: &[u8], name: impl Fn() -> String) -> Result<(), GraphError> {
    match memchr::memchr(0, bytes) {
        Some(offset) if !bytes.starts_with(&GZIP_MAGIC) => {
            let path = name();
            Err(GraphError::Binary { path, offset })
        }
        _ => Ok(()),
    }
}

/// `bytes`, decompressed where they are gzip; `name` is for messages.
///
/// # Errors
/// As [`read`].
pub(crate) fn decompress(
    bytes: Vec<u8>,
    limit: u64,
    name: impl Fn() -> String,
) -> Result<Vec<u8>, GraphError> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(bytes);
    }
    let bytes = read_limited(MultiGzDecoder::new(&bytes[..]), limit, 0);
    let bytes = bytes.map_err(|source| GraphError::Gzip {
        path: name(),
        source,
    })?;
    bytes.ok_or_else(|| GraphError::TooLarge {
        path: name(),
        limit,
    })
}

/// All bytes of `source`, or none if they are more than `limit`; about
/// `expected` of them.
fn read_limited(source: impl Read, limit: u64, expected: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One more, so that the end is seen without growing.
    bytes.try_reserve(expected.saturating_add(1))?;
    source
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn all_members_of_gzip_are_read_whatever_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.graph");
        let members = [gzipped(b"2 1\n"), gzipped(b""), gzipped(b"2\n1\n")];
        std::fs::write(&path, members.concat()).unwrap();
        assert_eq!(read(&path, 100).unwrap(), b"2 1\n2\n1\n");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent.gr");
        let error = read(&path, 100).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read ") && error.contains("absent.gr: "),
            "{error}"
        );
        let error = read(folder.path(), 100).unwrap_err().to_string();
        assert!(
            error.ends_with("is a directory: name a graph file in it"),
            "{error}"
        );
        let file = folder.path().join("a.gr");
        std::fs::write(&file, vec![b'1'; 200_000]).unwrap();
        assert_eq!(read(&file, 200_000).unwrap(), vec![b'1'; 200_000]);
        assert!(matches!(
            read(&file, 199_999),
            Err(GraphError::TooLarge { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_not_read_to_its_end() {
        let endless = read(Path::new("/dev/zero"), u64::MAX);
        assert!(matches!(endless, Err(GraphError::Binary { offset: 0, .. })));
    }

    #[test]
    fn damaged_gzip_is_refused() {
        let whole = gzipped(&[b'1'; 1000]);
        for cut in [2, 9, 12, whole.len() - 1] {
            let error = decompress(whole[..cut].to_vec(), 10_000, || "x".to_owned());
            assert!(matches!(error, Err(GraphError::Gzip { .. })), "{cut}");
        }
    }

    #[test]
    fn a_small_file_that_expands_beyond_the_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gr.gz");
        std::fs::write(&path, gzipped(&[b'\n'; 100_000])).unwrap();
        let refused = |limit| matches!(read(&path, limit), Err(GraphError::TooLarge { .. }));
        assert!(refused(10) && refused(99_999));
        assert_eq!(read(&path, 100_000).unwrap().len(), 100_000);
    }
}
