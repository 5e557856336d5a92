//! Files that are written as a whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::gzip::{encoder, is_gz};
use crate::place::{Place, folder, temporary};

/// A file to be written, known to be writable.
///
/// The content goes to a temporary file beside it, which takes its place when all
/// is on the disk. A link stays one: what it leads to is replaced. A device or pipe
/// is written directly.
pub struct Output {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// The file to replace. The temporary one is made when there is something to
    /// write: a program that is killed at its work leaves none.
    File(PathBuf),
    /// A device or pipe.
    Stream(File),
}

impl Output {
    /// Makes sure that `path` can be written, without changing what is there.
    /// Opening a pipe waits for its reader.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let target = match Place::of(path)? {
            Place::File(file) => Target::File(file),
            Place::Stream => Target::Stream(File::options().write(true).open(path)?),
        };
        let path = path.to_owned();
        Ok(Self { path, target })
    }

    /// The path that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A nameless file for what becomes the content, in the same folder if it is a file. The system
    /// removes it when it is closed, also if the program is killed.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn spool(&self) -> io::Result<File> {
        match &self.target {
            Target::File(file) => tempfile::tempfile_in(folder(file)),
            Target::Stream(_) => tempfile::tempfile(),
        }
    }

    /// Whether it is a file, which every write replaces. Writes to a device or pipe append to
    /// earlier ones.
    pub fn is_file(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// Writes the whole content.
    ///
    /// # Errors
    /// The error of the operating system; the file is then unchanged.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        self.write_with(|out| out.write_all(content))
    }

    /// Writes the content that `fill` makes.
    ///
    /// # Errors
    /// The error of the operating system or of `fill`; the file is then unchanged.
    pub fn write_with(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match &self.target {
            Target::Stream(stream) => through_buffer(stream, fill),
            Target::File(file) => replace(file, fill),
        }
    }

    /// Writes the content that `fill` makes, gzipped if the path ends in `.gz`.
    ///
    /// # Errors
    /// The error of the operating system or of `fill`; the file is then unchanged.
    pub fn write_by_suffix(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if !is_gz(&self.path) {
            return self.write_with(fill);
        }
        self.write_with(|out| {
            let mut encoder = encoder(out);
            fill(&mut encoder)?;
            encoder.finish().map(drop)
        })
    }
}

/// Makes sure that `path` can be written later, without changing what is there. A device or pipe is
/// not opened for that: the reader of a pipe would see it end.
///
/// # Errors
/// The error of the operating system.
pub fn check_writable(path: &Path) -> io::Result<()> {
    Place::of(path).map(drop)
}

/// Puts what `fill` makes in the place of `file`.
fn replace(file: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let temporary = temporary(file)?;
    through_buffer(temporary.as_file(), fill)?;
    // In this order: a name must not reach the disk before what it names.
    temporary.as_file().sync_all()?;
    temporary.persist(file).map_err(|error| error.error)?;
    sync_folder(folder(file));
    Ok(())
}

fn through_buffer(
    file: &File,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    out.flush()
}

/// Brings a renaming to the disk: it is a change of the folder, which syncing the
/// file does not cover, and a crash could bring the old file back.
///
/// An error is ignored. Some file systems cannot sync folders, some folders may be
/// written and not read, and the new file is in its place: to say that it was not
/// written would be wrong.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Folders are not opened as files here.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) {}

#[cfg(test)]
mod tests;
