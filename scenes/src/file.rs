//! Bytes from files and files from bytes.
//!
//! Gzip is recognised by its magic bytes when reading and by the suffix when
//! writing. A file is written beside its target and renamed, so that the
//! target is never half-written.

use crate::SceneError;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The contents of `path`, decompressed where they are gzip.
///
/// # Errors
/// [`SceneError::Read`], [`Directory`](SceneError::Directory),
/// [`Gzip`](SceneError::Gzip), or [`TooLarge`](SceneError::TooLarge) where
/// more than `limit` bytes come out.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, SceneError> {
    let name = || path.display().to_string();
    let failed = |source| SceneError::Read {
        path: name(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(SceneError::Directory { path: name() });
    }
    let bytes = read_limited(file, limit, name).map_err(|e| e.or(failed))?;
    decompress(bytes, limit, name)
}

/// `bytes`, decompressed where they are gzip; `name` is for messages.
pub(crate) fn decompress(
    bytes: Vec<u8>,
    limit: u64,
    name: impl Fn() -> String,
) -> Result<Vec<u8>, SceneError> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(bytes);
    }
    read_limited(MultiGzDecoder::new(&bytes[..]), limit, &name).map_err(|e| {
        e.or(|source| SceneError::Gzip {
            path: name(),
            source,
        })
    })
}

/// Why a bounded read ended early.
enum Short {
    Failed(io::Error),
    TooLarge(SceneError),
}

impl Short {
    fn or(self, failed: impl FnOnce(io::Error) -> SceneError) -> SceneError {
        match self {
            Short::Failed(source) => failed(source),
            Short::TooLarge(error) => error,
        }
    }
}

fn read_limited(
    source: impl Read,
    limit: u64,
    name: impl Fn() -> String,
) -> Result<Vec<u8>, Short> {
    let mut bytes = Vec::new();
    source
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(Short::Failed)?;
    if bytes.len() as u64 > limit {
        return Err(Short::TooLarge(SceneError::TooLarge {
            path: name(),
            limit,
        }));
    }
    Ok(bytes)
}

/// Writes a file through `fill`, gzipped if the name ends in `.gz`.
///
/// # Errors
/// [`SceneError::Write`]; the target is then what it was before.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SceneError> {
    replace(path, fill).map_err(|source| SceneError::Write {
        path: path.display().to_string(),
        source,
    })
}

fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; a scene is an ordinary file,
    // for which the user's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let temporary = builder.prefix(".heapwood-").tempfile_in(folder)?;
    let mut out = BufWriter::new(temporary.as_file());
    if is_gz(path) {
        let mut encoder = GzEncoder::new(&mut out, Compression::default());
        fill(&mut encoder)?;
        encoder.finish()?;
    } else {
        fill(&mut out)?;
    }
    out.flush()?;
    drop(out);
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn is_gz(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// The file's name without folder, `.gz` and one more suffix.
pub(crate) fn stem(path: &Path) -> String {
    let plain = if is_gz(path) {
        Path::new(path.file_stem().unwrap_or_default())
    } else {
        path
    };
    plain
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_goes_by_suffix_out_and_by_content_in() {
        let folder = tempfile::tempdir().unwrap();
        let packed = folder.path().join("a.obj.gz");
        write(&packed, |out| out.write_all(b"v 0 0 0\n")).unwrap();
        assert!(std::fs::read(&packed).unwrap().starts_with(&GZIP_MAGIC));
        let disguised = folder.path().join("b.obj");
        std::fs::rename(&packed, &disguised).unwrap();
        assert_eq!(read(&disguised, 100).unwrap(), b"v 0 0 0\n");
    }

    #[test]
    fn a_small_file_that_expands_beyond_the_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.obj.gz");
        write(&path, |out| out.write_all(&[b'\n'; 100_000])).unwrap();
        assert!(matches!(
            read(&path, 50_000),
            Err(SceneError::TooLarge { limit: 50_000, .. })
        ));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let error = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("disk full"))
        })
        .unwrap_err();
        assert!(error.to_string().ends_with("a.obj: disk full"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn stems_lose_both_suffixes() {
        assert_eq!(stem(Path::new("x/y.obj.gz")), "y");
        assert_eq!(stem(Path::new("y.obj")), "y");
        assert_eq!(stem(Path::new("..")), "");
    }
}
