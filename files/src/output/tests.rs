use super::*;
use crate::signature::Packing;
use std::fs;
use tempfile::TempDir;

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    Output::open(path)?.write(content)
}

fn count(folder: &TempDir) -> usize {
    fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn a_file_appears_only_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    let output = Output::open(&path).unwrap();
    assert_eq!(output.path(), path);
    // No temporary one either, which a killed program would leave.
    assert_eq!(count(&folder), 0);
    assert!(output.is_file());
    // Each write replaces the one before.
    for content in [&b"longer content"[..], b"content"] {
        output.write(content).unwrap();
        assert_eq!(fs::read(&path).unwrap(), content);
    }

    drop(Output::open(&path).unwrap());
    check_writable(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"content");
    assert_eq!(count(&folder), 1);
}

#[test]
fn what_cannot_be_written_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "").unwrap();
    for (path, kind) in [
        (at("."), io::ErrorKind::IsADirectory),
        (at("absent/out.txt"), io::ErrorKind::NotFound),
        (at("file/out.txt"), io::ErrorKind::NotADirectory),
        (at("out.txt/"), io::ErrorKind::IsADirectory),
        (at("out.txt/."), io::ErrorKind::IsADirectory),
        (at("absent/.."), io::ErrorKind::InvalidFilename),
        (PathBuf::new(), io::ErrorKind::InvalidFilename),
    ] {
        let error = Output::open(&path).map(drop).unwrap_err();
        assert_eq!(error.kind(), kind, "{}", path.display());
        let error = check_writable(&path).unwrap_err();
        assert_eq!(error.kind(), kind, "{}", path.display());
    }
    assert_eq!(count(&folder), 1);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    write(&path, b"old").unwrap();
    let failing = |out: &mut dyn Write| {
        out.write_all(&[b'n'; 100_000])?;
        Err(io::Error::other("disk full"))
    };
    let output = || Output::open(&path).unwrap();
    let errors = [
        output().write_with(failing),
        output().write_by_suffix(failing),
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(count(&folder), 1);
    }
}

#[test]
fn gzip_goes_by_the_suffix_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let fill = |out: &mut dyn Write| out.write_all(b"v 0 0 0\n");
    for (name, packed) in [("a.obj", false), ("a.obj.gz", true), ("a.GZ", true)] {
        let path = folder.path().join(name);
        let output = || Output::open(&path).unwrap();
        output().write_by_suffix(fill).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(Packing::of(&bytes).is_some(), packed, "{name}");
        assert_eq!(crate::read(&path, 100).unwrap(), b"v 0 0 0\n");
        output().write_with(fill).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"v 0 0 0\n");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("kept")).unwrap();
        fs::write(at("kept/real"), "old").unwrap();
        symlink("kept/near", at("first")).unwrap();
        symlink("real", at("kept/near")).unwrap();
        // To what is not there yet.
        symlink("kept/dangling", at("second")).unwrap();
        symlink("new", at("kept/dangling")).unwrap();
        for (link, real) in [("first", "kept/real"), ("second", "kept/new")] {
            for content in [b"one", b"two"] {
                write(&at(link), content).unwrap();
                assert_eq!(fs::read(at(real)).unwrap(), content);
            }
            assert!(at(link).is_symlink() && !at(real).is_symlink());
        }
        assert!(at("kept/near").is_symlink() && at("kept/dangling").is_symlink());
        assert_eq!(fs::read_dir(at("kept")).unwrap().count(), 4);
        assert_eq!(count(&folder), 3);

        symlink("circle", at("circle")).unwrap();
        Output::open(&at("circle")).map(drop).unwrap_err();
        assert!(at("circle").is_symlink());
    }

    #[test]
    fn devices_and_pipes_are_written_directly() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!Output::open(Path::new("/dev/null")).unwrap().is_file());
        assert!(!Path::new("/dev/null").is_file());
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        // Opening it would wait for a reader.
        check_writable(&pipe).unwrap();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&pipe).unwrap());
            write(&pipe, b"content").unwrap();
            assert_eq!(reader.join().unwrap(), b"content");
        });
        assert_eq!(count(&folder), 1);
    }

    #[test]
    fn a_file_that_may_not_be_written_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        if File::options().append(true).open(&path).is_ok() {
            return println!("skipped: this user may write any file");
        }
        let error = Output::open(&path).map(drop).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn permissions_are_those_of_the_old_file_or_of_any_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let [usual, path] = ["usual", "path"].map(|name| folder.path().join(name));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        fs::write(&usual, "").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(mode(&path), mode(&usual));
        for kept in [0o600, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            write(&path, b"newer").unwrap();
            assert_eq!(mode(&path), kept);
        }
    }
}
