//! Files that are written as a whole or not at all.
//!
//! A file is written beside its target and renamed; a device or pipe is written
//! directly.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::GraphError;

/// Writes a file through `fill`.
///
/// # Errors
/// [`GraphError::Write`]; the target is then what it was before.
pub(crate) fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), GraphError> {
    try_replace(path, fill).map_err(|source| GraphError::Write {
        path: path.display().to_string(),
        source,
    })
}

fn try_replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match target.metadata() {
        Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => {
            let mut out = BufWriter::new(File::options().write(true).open(&target)?);
            fill(&mut out)?;
            return out.flush();
        }
        // A file that may not be written is not replaced either.
        Ok(_) => drop(File::options().append(true).open(&target)?),
        Err(_) => {}
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; a graph is an ordinary file, for
    // which the user's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let temporary = builder
        .prefix(".heapwood-")
        .tempfile_in(folder)
        // The path in this error is that of the temporary file.
        .map_err(|error| io::Error::from(error.kind()))?;
    let mut out = BufWriter::new(temporary.as_file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gr");
        replace(&path, |out| out.write_all(b"old")).unwrap();
        let error = replace(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("disk full"))
        });
        let message = error.unwrap_err().to_string();
        assert!(message.ends_with("a.gr: disk full"), "{message}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_directly() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link] = ["real.gr", "link.gr"].map(|name| folder.path().join(name));
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        replace(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
        assert!(!Path::new("/dev/null").is_file());
        for bad in [folder.path(), Path::new(""), &folder.path().join("no/a.gr")] {
            let error = replace(bad, |_| Ok(())).unwrap_err().to_string();
            assert!(error.starts_with("cannot write"), "{error}");
        }
    }
}
