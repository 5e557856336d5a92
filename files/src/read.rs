//! Bytes from files, plain or compressed.
//!
//! How much comes out is bounded, since a device may be endless and a small file
//! can expand to any size. Of what is to be text the start is looked at before the
//! rest is read.

use std::fs::File;
use std::path::Path;

use crate::ReadError;
use crate::bounds::{Bounds, HEAD, Kind};
use crate::encoding::to_utf8;
use crate::packing::decompress_within;

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
/// and [`check_text`](crate::check_text) finds those further on.
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

fn read_within(path: &Path, bounds: Bounds) -> Result<Vec<u8>, ReadError> {
    let (file, expected) = open(path)?;
    let bytes = bounds.read(file, expected)?;
    unpack(bounds, bytes)
}

/// Decompresses and decodes `bytes` that were read within these bounds.
fn unpack(bounds: Bounds, bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let bytes = decompress_within(bytes, bounds)?;
    Ok(match bounds.kind.is_text(&bytes) {
        true => to_utf8(bytes),
        false => bytes,
    })
}

/// The text in `bytes` that were read from a text file: as [`read_text`] returns it.
///
/// # Errors
/// As [`read_text`], but that no file is opened.
pub fn text(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    let kind = Kind::Text;
    let bounds = Bounds { limit, kind };
    bounds.check(&bytes[..bytes.len().min(HEAD as usize)])?;
    unpack(bounds, bytes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_text, compress};
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
