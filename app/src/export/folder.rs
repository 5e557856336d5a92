//! The folder that an allocator is written to.

use std::fs;
use std::io;
use std::path::Path;

use super::File;
use crate::Error;
use crate::output::Output;

/// Writes the files into a folder, which is made if it is not there. What an earlier export of
/// the same allocator has written is replaced.
///
/// # Errors
///
/// A folder with other files, which stay as they are, and one that cannot be written.
pub fn write(folder: &Path, files: &[File]) -> Result<(), Error> {
    let refused = |cause: io::Error| Error::Write {
        path: folder.to_owned(),
        cause,
    };
    fs::create_dir_all(folder).map_err(refused)?;
    for entry in fs::read_dir(folder).map_err(refused)? {
        let name = entry.map_err(refused)?.file_name();
        if !files.iter().any(|(file, _)| name == file.as_str()) {
            let what = name.to_string_lossy();
            let cause = format!("there is {what} in it: name an empty folder, or a new one");
            return Err(refused(io::Error::other(cause)));
        }
    }
    // All of them, or none.
    let open = |(name, _): &File| Output::open(&folder.join(name));
    let opened = files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (output, (_, text)) in opened.iter().zip(files) {
        output.write(text.as_bytes())?;
    }
    Ok(())
}
