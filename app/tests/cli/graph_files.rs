//! `graph` on files as collections and programs write them: what is counted, and what is told.

use serde_json::Value;

use crate::program::Folder;

/// Runs on a file that is right; returns vertices, stored edges, and what is told besides.
fn counts(folder: &Folder, arguments: &str) -> (Value, Value, String) {
    let command = format!("graph {arguments} --backend cpu --runs 1 --format json");
    let outcome = folder.run(&command);
    let report = outcome.json();
    let [vertices, stored] = ["vertices", "edges_stored"].map(|key| report[key].clone());
    (vertices, stored, outcome.stderr)
}

#[test]
fn networks_of_konect() {
    let folder = Folder::new();
    folder.put("out.tri", "% sym unweighted\n% 4 4 4\n1 2\n2 3\n3 1\n3 4\n");
    let (vertices, stored, told) = counts(&folder, "@out.tri --triangles --bfs 4 --verify");
    assert_eq!((vertices, stored), (4.into(), 8.into()));
    assert_eq!(told, "");
    folder.put("out.bip", "% bip unweighted\n% 3 2 2\n1 1\n1 2\n2 1\n");
    folder
        .run("graph @out.bip --backend cpu")
        .fails(3, "bipartite")
        .fails(3, "--bipartite");
    let (vertices, stored, told) = counts(&folder, "@out.bip --bipartite --bfs 3 --verify");
    assert_eq!((vertices, stored), (4.into(), 6.into()));
    assert!(told.contains("2 vertices are on the left"), "{told}");
    assert!(told.contains("numbered from 3"), "{told}");
    for flag in ["--compact-ids", "--directed"] {
        folder
            .run(format!("graph @out.bip --bipartite {flag}"))
            .error(2);
    }
    folder.run("graph gen:uniform --bipartite").error(2);
}

#[test]
fn a_list_without_a_name_is_read_as_what_it_is() {
    let folder = Folder::new();
    folder.put("short", "0 1\n1 2\n");
    let (vertices, stored, told) = counts(&folder, "@short");
    assert_eq!(
        (vertices, stored, told),
        (3.into(), 2.into(), String::new())
    );
    folder.put("other", "2 1\n1 0\n");
    let (vertices, _, told) = counts(&folder, "@other");
    assert_eq!(vertices, 3);
    assert!(told.contains("read as an edge list") && told.contains("--file-format"));
    // A list of edges that counts from 1 without saying so.
    folder.put("from1.el", "1 2\n2 3\n");
    let (vertices, _, told) = counts(&folder, "@from1.el");
    assert_eq!(vertices, 4);
    assert!(told.contains("--one-based"), "{told}");
    let (vertices, _, told) = counts(&folder, "@from1.el --one-based");
    assert_eq!((vertices, told), (3.into(), String::new()));
    // A batch need not have all vertices.
    let (_, _, told) = counts(&folder, "@short --insert @from1.el");
    assert_eq!(told, "");
}

#[test]
fn compressed_files_and_those_of_other_systems() {
    let folder = Folder::new();
    let expected = (3.into(), 3.into(), String::new());
    folder.put("mac.el", "0 1\r1 2\r2 0\r");
    assert_eq!(counts(&folder, "@mac.el"), expected);
    let units = "\u{feff}0 1\r\n1 2\r\n2 0\r\n".encode_utf16();
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    folder.put("windows.el", bytes);
    assert_eq!(counts(&folder, "@windows.el"), expected);
    // A frame of zstd with a raw block of twelve bytes, without a checksum.
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x61, 0x00, 0x00];
    let frame = [&head[..], b"0 1\n1 2\n2 0\n"].concat();
    folder.put("list.el.zst", &frame);
    assert_eq!(counts(&folder, "@list.el.zst"), expected);
    for (name, content, why) in [
        ("a.zst", &frame[..15], "damaged zstd"),
        ("a.zip", &b"PK\x03\x04\x14\0\0\0"[..], "packed as zip"),
        ("a.el.xz", &b"\xfd7zXZ\0\0\x04"[..], "damaged xz"),
    ] {
        folder.put(name, content);
        folder
            .run(format!("graph @{name} --backend cpu"))
            .fails(3, why);
    }
}

#[test]
fn ids_that_are_names_are_refused_as_such() {
    let folder = Folder::new();
    folder.put("names.edgelist", "# weighted\na\tb\t3\na\tc\t2\n");
    folder
        .run("graph @names.edgelist --backend cpu")
        .fails(3, "names.edgelist:2: `a` is no vertex id");
}

#[test]
fn pairs_of_graphalytics_save_no_format_without_gaps() {
    let folder = Folder::new();
    folder.put("a.v", "3\n70\n");
    folder.put("a.e", "3 70\n");
    let (vertices, stored, told) = counts(&folder, "@a.v --save @b.el");
    assert_eq!((vertices, stored), (2.into(), 1.into()));
    assert!(told.contains("a.properties is not there"), "{told}");
    let refused = folder.run("graph @a.v --save @b.gr --undirected --backend cpu");
    let last = refused.stderr.lines().last().unwrap_or_default();
    assert!(
        refused.code == 2 && last.contains("without gaps"),
        "{refused:?}"
    );
}
