//! Graph files that cannot be read or written: what is said, and what stays.

use std::fs;

use heapwood_graphs::{Csr, CsrOptions, EdgeList, ReadOptions, load, save};
use tempfile::TempDir;

/// The message with which a file is refused, its folder left out.
fn refusal(folder: &TempDir, name: &str, options: ReadOptions) -> String {
    let error = load(folder.path().join(name), options).unwrap_err();
    let folder = folder.path().display().to_string();
    error.to_string().replace(&folder, "")
}

/// 0-1.
fn graph() -> Csr {
    let list = EdgeList {
        vertices: 2,
        edges: vec![[0, 1]],
        weights: None,
        directed: false,
    };
    Csr::build(list, CsrOptions::default()).0
}

#[test]
fn what_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let small = ReadOptions {
        largest_text: 10,
        ..ReadOptions::default()
    };
    fs::write(folder.path().join("large.el"), "0 1\n1 2\n2 3\n").unwrap();
    fs::write(folder.path().join("bytes.el"), "0 1\n\0").unwrap();
    fs::write(folder.path().join("cut.el"), [0x1f, 0x8b, 8]).unwrap();
    for (name, start, end) in [
        ("absent.gr", "cannot read /absent.gr: ", ""),
        ("", "/ is a directory: name a graph file in it", ""),
        (
            "large.el",
            "/large.el is larger than 10 bytes of text: raise the limit if memory allows",
            "",
        ),
        (
            "bytes.el",
            "/bytes.el is not text: byte 4 is 0; graphs are read from text, plain or compressed",
            "",
        ),
        (
            "cut.el",
            "/cut.el is damaged gzip: ",
            "; copy or compress it again",
        ),
    ] {
        let message = refusal(&folder, name, small);
        assert!(message.starts_with(start), "{message}");
        assert!(message.ends_with(end), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_not_read_to_its_end() {
    let options = ReadOptions {
        largest_text: u64::MAX,
        ..ReadOptions::default()
    };
    let endless = load("/dev/zero", options);
    let expected =
        "/dev/zero is not text: byte 0 is 0; graphs are read from text, plain or compressed";
    assert_eq!(endless.unwrap_err().to_string(), expected);
}

#[test]
fn what_cannot_be_written_says_why() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.gr")).unwrap();
    for name in ["folder.gr", "absent/a.gr"] {
        let path = folder.path().join(name);
        let error = save(&graph(), &path, None).unwrap_err().to_string();
        let start = format!("cannot write {}: ", path.display());
        assert!(error.starts_with(&start), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_stay_and_what_they_lead_to_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [real, link] = ["real.el", "link.el"].map(|name| folder.path().join(name));
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    save(&graph(), &link, None).unwrap();
    assert!(link.is_symlink());
    assert_eq!(
        fs::read_to_string(&real).unwrap(),
        "# Undirected graph\n# Nodes: 2 Edges: 1\n0 1\n"
    );
}
