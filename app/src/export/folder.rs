//! The folder that an allocator is written to.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use super::File;
use crate::Error;
use crate::output::Output;

/// Writes the files into a folder, which is made if it is not there. They replace the files of an
/// earlier export of the same allocator; files made from that, such as an object, stay.
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
    let entries = fs::read_dir(folder).map_err(refused)?;
    let names = entries.map(|entry| Ok(entry?.file_name()));
    let names: Vec<OsString> = names.collect::<io::Result<_>>().map_err(refused)?;
    let has_export = files
        .iter()
        .all(|(file, _)| names.iter().any(|name| name == file.as_str()));
    let is_other = |name: &&OsString| files.iter().all(|(file, _)| *name != file.as_str());
    if let Some(other) = names.iter().find(is_other).filter(|_| !has_export) {
        let what = other.to_string_lossy();
        let cause = format!("there is {what} in it: name an empty folder, or a new one");
        return Err(refused(io::Error::other(cause)));
    }
    // All of them, or none.
    let open = |(name, _): &File| Output::open(&folder.join(name));
    let opened = files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (output, (_, text)) in opened.iter().zip(files) {
        output.write(text.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<File> {
        let file = |name: &&str| ((*name).to_owned(), format!("text of {name}"));
        names.iter().map(file).collect()
    }

    #[test]
    fn an_earlier_export_is_replaced_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new/deep");
        write(&folder, &files(&["a", "b"])).unwrap();
        fs::write(folder.join("a"), "old").unwrap();
        write(&folder, &files(&["a", "b"])).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "text of a");
        let error = write(&folder, &files(&["a", "c"])).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("there is b in it"), "{error}");
        assert!(!folder.join("c").exists());
        // A folder has the name of a file.
        fs::create_dir(folder.join("c")).unwrap();
        fs::write(folder.join("a"), "old").unwrap();
        let error = write(&folder, &files(&["a", "b", "c"])).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "old");
        // A file that was made from an export does not hinder the next export.
        let made = root.path().join("new/made");
        write(&made, &files(&["a", "b"])).unwrap();
        fs::write(made.join("a.o"), "of a").unwrap();
        fs::write(made.join("b"), "old").unwrap();
        write(&made, &files(&["a", "b"])).unwrap();
        assert_eq!(fs::read_to_string(made.join("b")).unwrap(), "text of b");
        assert_eq!(fs::read_to_string(made.join("a.o")).unwrap(), "of a");
        fs::remove_file(made.join("b")).unwrap();
        let error = write(&made, &files(&["a", "b"])).unwrap_err();
        assert!(error.to_string().contains("there is a.o in it"), "{error}");
        let error = write(&folder.join("a/below"), &files(&["a"])).unwrap_err();
        assert!(
            error.to_string().contains("a/below: cannot write"),
            "{error}"
        );
    }
}
