//! The folder that output is written to.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::output::Output;

/// Files of a folder that are known to be writable. Folders that were made for them and stay empty are
/// removed in the end.
pub struct OutputFolder {
    outputs: Vec<Output>,
    /// The folders that were made, innermost first.
    made: Vec<PathBuf>,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and makes sure that the files in it can be written.
    ///
    /// # Errors
    ///
    /// [`Error::Write`] for a folder that cannot be made, or a file that cannot be written.
    pub fn open(folder: &Path, files: &[PathBuf]) -> Result<Self, Error> {
        let is_absent = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let absent = folder.ancestors().take_while(is_absent);
        let mut opened = Self {
            outputs: Vec::new(),
            made: absent.map(Path::to_owned).collect(),
        };
        fs::create_dir_all(folder).map_err(|cause| Error::Write {
            path: folder.to_owned(),
            cause,
        })?;
        let outputs = files.iter().map(|file| Output::open(file));
        opened.outputs = outputs.collect::<Result<_, _>>()?;
        Ok(opened)
    }

    /// Writes the content that `fill` makes to a file, as a whole or not at all.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; the file is then as it was.
    pub fn write(
        &self,
        index: usize,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        self.outputs[index].write_with(fill)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        for folder in &self.made {
            // Folders with files in them are not removed.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_output_do_not_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new/deep");
        let file = folder.join("a-BFS");
        let opened = OutputFolder::open(&folder, std::slice::from_ref(&file)).unwrap();
        assert!(folder.is_dir());
        drop(opened);
        assert!(!root.path().join("new").exists());
        let opened = OutputFolder::open(&folder, std::slice::from_ref(&file)).unwrap();
        opened.write(0, |out| out.write_all(b"1 0\n")).unwrap();
        drop(opened);
        assert_eq!(fs::read_to_string(&file).unwrap(), "1 0\n");
        // One that was there stays, whatever is in it.
        let empty = root.path().join("empty");
        fs::create_dir(&empty).unwrap();
        drop(OutputFolder::open(&empty, &[]).unwrap());
        assert!(empty.is_dir());
    }

    #[test]
    fn folders_that_cannot_be_made_are_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        for folder in [file.clone(), file.join("below")] {
            let Err(error) = OutputFolder::open(&folder, &[]) else {
                panic!("{} is opened", folder.display());
            };
            let start = format!("{}: cannot write: ", folder.display());
            assert!(error.to_string().starts_with(&start), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
    }
}
