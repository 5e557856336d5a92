//! Where results go: files that are written whole or not at all, and a standard
//! output that may be closed at any time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::Error;

/// A file to be written, known to be writable; see [`heapwood_files::Output`].
pub struct Output(heapwood_files::Output);

impl Output {
    /// Makes sure that `path` can be written, without changing what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Write`] with what the system says.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let opened = heapwood_files::Output::open(path);
        opened.map(Self).map_err(refused(path))
    }

    /// A nameless file beside it for what becomes the content, which the system removes when it is
    /// closed.
    ///
    /// # Errors
    ///
    /// [`Error::Write`].
    pub fn spool(&self) -> Result<File, Error> {
        self.0.spool().map_err(self.refused())
    }

    /// An error of the operating system about this file.
    pub fn refused(&self) -> impl FnOnce(io::Error) -> Error {
        refused(self.0.path())
    }

    /// Whether it is a file, which every write replaces; what is written to a device or pipe
    /// follows what was written before.
    pub fn is_file(&self) -> bool {
        self.0.is_file()
    }

    /// Writes the whole content.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; what was there before is then still there.
    pub fn write(&self, content: &[u8]) -> Result<(), Error> {
        self.0.write(content).map_err(refused(self.0.path()))
    }

    /// Writes the content that `fill` makes, gzipped if the name ends in `.gz`.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; what was there before is then still there.
    pub fn write_by_suffix(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        self.0.write_by_suffix(fill).map_err(refused(self.0.path()))
    }

    /// Writes the content that `fill` makes.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; what was there before is then still there.
    pub fn write_with(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        self.0.write_with(fill).map_err(refused(self.0.path()))
    }
}

/// Makes sure that a file can be written which something else will open later.
///
/// # Errors
///
/// [`Error::Write`] with what the system says.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    heapwood_files::check_writable(path).map_err(refused(path))
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    |cause| Error::Write { path, cause }
}

/// The standard output as the program found it, once that is kept for results.
static KEPT: OnceLock<File> = OnceLock::new();

/// Keeps the standard output for results: what others write there, as libraries of the user's may,
/// goes to the standard error from now on. For before such a library is loaded; on systems that are
/// not Unix nothing changes.
pub fn keep_for_results() {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        if KEPT.get().is_some() {
            return;
        }
        // Where one of the two is closed all stays as it is.
        if let Ok(kept) = io::stdout().as_fd().try_clone_to_owned()
            && rustix::stdio::dup2_stdout(io::stderr()).is_ok()
        {
            // No other thread sets it: a run begins on one thread.
            let _ = KEPT.set(File::from(kept));
        }
    }
}

/// Writes to the standard output.
///
/// # Errors
///
/// [`Error::Closed`] if its reader has closed it, [`Error::Write`] otherwise.
pub fn print(text: &str) -> Result<(), Error> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Writes what `fill` makes to the standard output.
///
/// # Errors
///
/// As [`print()`].
pub fn print_with(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let write = |out: &mut dyn Write| {
        let mut out = BufWriter::new(out);
        fill(&mut out)?;
        out.flush()
    };
    let written = match KEPT.get() {
        Some(mut kept) => write(&mut kept),
        None => write(&mut io::stdout().lock()),
    };
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

    #[test]
    fn what_cannot_be_written_is_named_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            folder.path().to_owned(),
            folder.path().join("absent/out.txt"),
            PathBuf::from(""),
        ] {
            let opened = Output::open(&path).map(drop).unwrap_err();
            let checked = check_writable(&path).unwrap_err();
            assert_eq!(opened.to_string(), checked.to_string());
            assert_eq!(opened.exit_code(), 3, "{opened}");
            let start = format!("{}: cannot write: ", path.display());
            assert!(opened.to_string().starts_with(&start), "{opened}");
            assert!(!opened.to_string().contains('\n'));
        }
    }
}
