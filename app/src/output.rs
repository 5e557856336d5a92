//! Where results go: files that are written whole or not at all, and a standard
//! output that may be closed at any time.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Error;

/// A file to be written, known to be writable.
///
/// The content goes to a temporary file beside it, which takes its place when all
/// is written; a device or pipe is written directly.
pub struct Output {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// The temporary file, and the file that it becomes.
    Replace(NamedTempFile, PathBuf),
    Direct(File),
}

impl Output {
    /// Makes sure that `path` can be written, without changing what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Write`] with what the system says.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let target = Self::target(path).map_err(|cause| Error::Write {
            path: path.to_owned(),
            cause,
        })?;
        let path = path.to_owned();
        Ok(Self { path, target })
    }

    fn target(path: &Path) -> io::Result<Target> {
        // A link stays one: what it leads to is replaced.
        let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match file.metadata() {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() => {
                return Ok(Target::Direct(File::options().write(true).open(&file)?));
            }
            // A file that may not be written is not replaced either.
            Ok(_) => drop(File::options().append(true).open(&file)?),
            Err(_) if file.file_name().is_none() => {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            Err(_) => {}
        }
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // What is wrong with the folder is said best by asking for it.
        if !folder.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".heapwood-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file; the system takes the user's mask off.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        // The path in this error is that of the temporary file.
        let temporary = builder
            .tempfile_in(folder)
            .map_err(|error| io::Error::from(error.kind()))?;
        Ok(Target::Replace(temporary, file))
    }

    /// Writes the whole content.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; what was there before is then still there.
    pub fn write(self, content: &[u8]) -> Result<(), Error> {
        let written = match self.target {
            Target::Direct(mut file) => file.write_all(content),
            Target::Replace(mut temporary, file) => temporary
                .write_all(content)
                .and_then(|()| temporary.as_file().sync_all())
                .and_then(|()| temporary.persist(file).map_err(|error| error.error))
                .map(drop),
        };
        let path = self.path;
        written.map_err(|cause| Error::Write { path, cause })
    }
}

/// Writes to the standard output.
///
/// # Errors
///
/// [`Error::Closed`] if nobody reads it, [`Error::Write`] otherwise.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|cause| match cause.kind() {
        io::ErrorKind::BrokenPipe => Error::Closed,
        _ => Error::Write {
            path: PathBuf::from("standard output"),
            cause,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_appears_only_when_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let output = Output::open(&path).unwrap();
        assert!(!path.exists());
        output.write(b"content").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"content");

        drop(Output::open(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_found_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            folder.path().to_owned(),
            folder.path().join("absent/out.txt"),
            PathBuf::from(""),
        ] {
            let error = Output::open(&path).map(drop).unwrap_err();
            assert_eq!(error.exit_code(), 3, "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
