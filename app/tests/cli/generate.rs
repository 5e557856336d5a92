//! `generate graph`: every kind into every format, and what it refuses.

use crate::program::{Folder, has, rows};
use heapwood_graphs::generate::Kind;
use heapwood_graphs::{Csr, CsrOptions, ReadOptions, ReadWeights, load};

/// Makes a graph that is asked for rightly; returns the line about it.
fn made(folder: &Folder, arguments: &str) -> String {
    let outcome = folder
        .run(format!("generate graph {arguments}"))
        .succeeds_quietly();
    assert_eq!(outcome.stdout.lines().count(), 1, "{outcome:?}");
    outcome.stdout
}

/// The graph in a file, with its loops.
fn read(folder: &Folder, name: &str) -> Csr {
    // Arcs of a `.gr` have weights in any case.
    let options = ReadOptions {
        weights: ReadWeights::None,
        ..ReadOptions::default()
    };
    let loaded = load(folder.path(name), options).unwrap();
    let options = CsrOptions {
        keep_self_loops: true,
        ..CsrOptions::default()
    };
    Csr::build(loaded.edges, options).0
}

#[test]
fn every_kind_in_every_format_is_the_same_graph() {
    let folder = Folder::new();
    for kind in Kind::ALL {
        let mut hashes = Vec::new();
        for suffix in [
            "graph", "gr", "col", "mtx", "el", "txt", "graph.gz", "el.gz",
        ] {
            let name = format!("{}.{suffix}", kind.name());
            let line = made(
                &folder,
                &format!("{} -o @{name} --vertices 300 --seed 5", kind.name()),
            );
            let hash = format!("graph {:016x}\n", read(&folder, &name).graph_hash());
            assert!(line.ends_with(&hash), "{name}: {line}");
            hashes.push(hash);
        }
        hashes.dedup();
        assert_eq!(hashes.len(), 1, "{}", kind.name());
    }
}

#[test]
fn counts_are_told_and_options_obeyed() {
    let folder = Folder::new();
    let line = made(
        &folder,
        "uniform -o @a.el --vertices 2^3 --edges 60 --seed 2 --self-loops --directed",
    );
    has(&line, "a.el: 8 vertices, 60 edges drawn, ");
    assert!(line.contains(" self loops kept, "), "{line}");
    let graph = read(&folder, "a.el");
    assert!(graph.directed);
    assert!((0..8).any(|v| graph.row(v).contains(&v)));
    has(&line, &format!("{} stored", graph.targets.len()));

    // A format that the suffix does not say.
    made(&folder, "road -o @b.dat --vertices 100 --file-format metis");
    assert_eq!(read(&folder, "b.dat").vertices(), 100);
    let other_seed = made(
        &folder,
        "road -o @b.dat --vertices 100 --seed 1 --file-format gr",
    );
    assert!(other_seed.contains("100 vertices"));
}

#[cfg(unix)]
#[test]
fn a_link_stays_one() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("kept.obj", folder.path("knot.obj")).unwrap();
    std::os::unix::fs::symlink("kept.gr", folder.path("road.gr")).unwrap();
    // To nothing at first, then to a file.
    for _ in 0..2 {
        folder.scene("knot");
        made(&folder, "road -o @road.gr --vertices 100");
        for (link, kept) in [("knot.obj", "kept.obj"), ("road.gr", "kept.gr")] {
            assert!(folder.path(link).is_symlink(), "{link}");
            assert!(folder.path(kept).is_file(), "{kept}");
        }
    }
}

#[cfg(unix)]
#[test]
fn who_reads_a_pipe_gets_the_whole_graph() {
    let folder = Folder::new();
    let pipe = folder.path("pipe.gr");
    let mut mkfifo = std::process::Command::new("mkfifo");
    assert!(mkfifo.arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    for name in ["pipe.gr", "file.gr"] {
        made(&folder, &format!("road -o @{name} --vertices 100"));
    }
    let file = std::fs::read(folder.path("file.gr")).unwrap();
    assert_eq!(reader.join().unwrap(), file);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new();
    for [arguments, words] in rows(
        "cactus -o @a.gr | delaunay, geometric, road
         road -o @a.obj | suffix
         road | --output
         road -o @a.gr --edges 5 | --edges is for kronecker and uniform
         mesh -o @a.gr --directed | --directed is for kronecker and uniform
         uniform -o @a.graph --directed --vertices 9 | undirected graphs only
         road -o @a.gr --vertices 0 | too few
         road -o @a.gr --vertices 2^27 | more than 67108864
         uniform -o @a.gr --vertices 9 --edges 2^31 | more than 1073741824
         road -o @a.gr --vertices 1e6 | whole number
         road -o @a.gr --file-format obj | metis, gr, col, mtx, edges
         road -o @a.gr --seed x | --seed",
    ) {
        folder
            .run(format!("generate graph {arguments}"))
            .fails(2, words);
    }
    for bad in ["@none/a.gr", "@."] {
        let command = format!("generate graph road -o {bad} --file-format gr");
        folder.run(&command).fails(3, "cannot write");
    }
    assert_eq!(folder.names(), "");
}
