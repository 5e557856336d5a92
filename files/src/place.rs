//! Where an output goes once links are followed, and whether it may go there.

use std::fs::File;
#[cfg(unix)]
use std::fs::Permissions;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The target that the path of an output names.
pub(crate) enum Place {
    /// A file, which is there or not, by a path that is no link.
    File(PathBuf),
    /// A device or pipe.
    Stream,
}

impl Place {
    /// Follows the links of `path` and makes sure that a file can be written there. A device or
    /// pipe is not opened: the reader of a pipe would see it end.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn of(path: &Path) -> io::Result<Self> {
        let missing = match path.metadata() {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() => return Ok(Self::Stream),
            Ok(_) => {
                let file = path.canonicalize()?;
                // A file that may not be written is not replaced either.
                drop(File::options().append(true).open(&file)?);
                probe(&file)?;
                return Ok(Self::File(file));
            }
            Err(error) => error,
        };
        let file = end_of_links(path).ok_or(missing)?;
        let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        // `name/` and `name/.` are of directories only.
        let written = file.as_os_str().as_encoded_bytes();
        if !written.ends_with(name.as_encoded_bytes()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        probe(&file)?;
        Ok(Self::File(file))
    }
}

/// Where links lead that end at nothing yet; none if they lead in a circle.
fn end_of_links(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        let Ok(next) = path.read_link() else {
            return Some(path);
        };
        path = match path.parent() {
            Some(folder) => folder.join(next),
            None => next,
        };
    }
    None
}

/// The folder of a file.
pub(crate) fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes sure that a file can be made beside `file`. It has no name where the system knows such
/// files, so that a program that ends meanwhile leaves nothing.
fn probe(file: &Path) -> io::Result<()> {
    // The path in an error is that of the temporary file.
    let made = tempfile::tempfile_in(existing_folder(file)?);
    made.map(drop).map_err(|error| error.kind().into())
}

/// The folder of a file, which has to be there.
fn existing_folder(file: &Path) -> io::Result<&Path> {
    let folder = folder(file);
    // The folder's own metadata give the clearest error about it.
    match folder.metadata()?.is_dir() {
        true => Ok(folder),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// An empty file beside `file`, to be renamed to it. It has the permissions of the
/// file that it will replace, or else those of any new one.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn temporary(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".heapwood-");
    // Temporary files are private by default; the system takes the user's mask off.
    #[cfg(unix)]
    let old = mode(file);
    #[cfg(unix)]
    builder.permissions(Permissions::from_mode(old.unwrap_or(0o666)));
    let temporary = builder
        .tempfile_in(existing_folder(file)?)
        // The path in this error is that of the temporary file.
        .map_err(|error| io::Error::from(error.kind()))?;
    #[cfg(unix)]
    if let Some(old) = old {
        let permissions = Permissions::from_mode(old);
        // Back to what the mask took off. A file system that does not let them be
        // set leaves fewer than there were, never more.
        let _ = temporary.as_file().set_permissions(permissions);
    }
    Ok(temporary)
}

/// The permissions of a file that is there: who may read, write and execute it.
#[cfg(unix)]
fn mode(file: &Path) -> Option<u32> {
    let about = file.metadata().ok()?;
    Some(about.permissions().mode() & 0o777)
}
