//! `heapwood export`: what it writes, and what it refuses.

use std::fs;

use heapwood::ptx;

use crate::program::{Folder, Outcome, has};

/// A run that writes, which is one line where the program has no device code; none then.
fn exported(folder: &Folder, arguments: &str) -> Option<Outcome> {
    let outcome = folder.run(arguments);
    if ptx::is_embedded() {
        return Some(outcome);
    }
    let error = outcome.error(1);
    assert!(error.contains("built without device code"), "{error}");
    println!("skipped: built without device code");
    None
}

#[test]
fn an_allocator_is_a_folder() {
    let folder = Folder::new();
    let Some(outcome) = exported(&folder, "export gallatin -o @out/deep --pool 64MiB") else {
        assert!(!folder.path("out").exists());
        return;
    };
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let read = |name: &str| {
        assert!(outcome.stdout.contains(name), "{outcome:?}");
        fs::read_to_string(folder.path("out/deep").join(name)).expect(name)
    };
    assert!(read("heapwood_gallatin.ptx").starts_with(".version 7.0"));
    let header = read("heapwood_gallatin.cuh");
    assert!(header.contains("#define HEAPWOOD_GALLATIN_POOL_BYTES 67108864ull"));
    assert!(read("example.cu").contains("#include \"heapwood_gallatin.cuh\""));
    assert!(read("README.md").contains("a heap of 64 MiB"));
    // Once more, with another pool and parameters.
    folder
        .run("export gallatin:segment=1048576 -o @out/deep --pool 1GiB")
        .succeeds();
    let again = fs::read_to_string(folder.path("out/deep/heapwood_gallatin.cuh")).expect("it");
    assert!(again.contains("POOL_BYTES 1073741824ull"), "{again}");
    has(&again, "`heapwood export gallatin:segment=1048576`");
}

#[test]
fn a_folder_with_other_files_stays_as_it_is() {
    let folder = Folder::new();
    folder.put("notes.txt", "mine");
    let here = folder.path("").display().to_string();
    if let Some(outcome) = exported(&folder, &format!("export cfmalloc -o {here}")) {
        let error = outcome.error(3);
        assert!(error.contains("cannot write: there is "), "{error}");
        assert!(!folder.path("README.md").exists());
        // That of another allocator, too.
        folder.run("export cfmalloc -o @one").succeeds();
        folder
            .run("export scatteralloc -o @one")
            .fails(3, "there is heapwood_cfmalloc.");
    }
    if let Some(outcome) = exported(&folder, "export cfmalloc -o @notes.txt/out") {
        let error = outcome.error(3);
        assert!(error.contains("notes.txt/out: cannot write: "), "{error}");
    }
    let kept = fs::read_to_string(folder.path("notes.txt")).expect("it is there");
    assert_eq!(kept, "mine");
}

#[test]
fn what_cannot_be_exported_is_said_with_what_can() {
    let folder = Folder::new();
    let refused = |arguments: &str, code: i32, message: &str| {
        folder
            .run(format!("export {arguments} -o @out"))
            .fails(code, message);
        assert!(!folder.path("out").exists(), "{arguments}");
    };
    let all = "cannot be exported: choose from cfmalloc, ouroboros-p-s, ouroboros-c-s, gallatin, \
               scatteralloc";
    refused("mymalloc", 2, "no allocator `mymalloc`: choose from ");
    for name in ["xmalloc", "external", "cudamalloc", "cfmalloc:walk=paper"] {
        refused(name, 2, all);
    }
    refused("cfmalloc:coalesce", 2, "leave out coalesce");
    refused("gallatin:page=4096", 2, "takes the parameters");
    refused("gallatin --pool 1KiB", 4, "use a larger --pool");
    refused("cfmalloc --pool 1000TiB", 4, "use a smaller --pool");
    refused("cfmalloc --pool much", 2, "is not a size");
    folder.run("export cfmalloc").fails(2, "--output");
}
