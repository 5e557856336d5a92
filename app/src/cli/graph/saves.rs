//! Where the values of vertices, answers and a path go: files, or the standard output.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::output::{self, Output};

/// Files that are known to be writable.
pub(super) struct Targets(Vec<(PathBuf, Option<Output>)>);

/// Whether a name stands for the standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Targets {
    /// Makes sure that all files can be written.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for names that say how they are compressed where that is not written, and
    /// if several go to the standard output; [`Error::Write`].
    pub fn open(files: Vec<&Path>) -> Result<Self, Error> {
        if files.iter().filter(|path| is_standard_output(path)).count() > 1 {
            let why = "one output goes to the standard output: name files for others";
            return Err(Error::Usage(why.to_owned()));
        }
        let open = |path: &Path| {
            let suffix = path.extension().and_then(|suffix| suffix.to_str());
            if let Some(suffix @ ("zst" | "xz" | "bz2" | "zip")) = suffix {
                let why = format!("{}: .{suffix} is not written: use .gz", path.display());
                return Err(Error::Usage(why));
            }
            let file = (!is_standard_output(path)).then(|| Output::open(path));
            Ok((path.to_owned(), file.transpose()?))
        };
        files
            .into_iter()
            .map(open)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether one is the standard output.
    pub fn use_standard_output(&self) -> bool {
        self.0.iter().any(|(_, file)| file.is_none())
    }

    /// Writes what `fill` makes to the file of this name, as a whole or not at all, or to the
    /// standard output.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn write(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let file = self.0.iter().find(|(name, _)| name == path);
        match file.and_then(|(_, file)| file.as_ref()) {
            Some(file) => file.write_by_suffix(fill),
            None => output::print_with(fill),
        }
    }
}
