//! Allocators of the user's for the suite: in C, compiled by the system's compiler, in shared
//! libraries as `--link` takes them. The parameter `name` tells which.

use std::process::Command;
use std::sync::OnceLock;

use heapwood::link::{Libraries, Link, LinkOptions};
use heapwood_device::allocator::Heap;
use heapwood_device::host;

/// A source and its library, once it is compiled.
struct Source {
    name: &'static str,
    text: &'static str,
    loaded: OnceLock<Libraries>,
}

/// The first is taken where none is named.
static SOURCES: [Source; 2] = [
    Source {
        name: "units",
        text: include_str!("../../data/external/units.c"),
        loaded: OnceLock::new(),
    },
    Source {
        name: "freelist",
        text: include_str!("../../data/external/freelist.c"),
        loaded: OnceLock::new(),
    },
];

/// The most that `units` serves of what heapwood leaves it: of large pools it keeps a table.
pub fn most_of_units(bytes: u64) -> u64 {
    let table = match bytes {
        ..=2048 => 0,
        _ => (bytes / 17 + 1).next_multiple_of(16),
    };
    bytes - table
}

/// A heap whose functions are those that these parameters name.
///
/// # Panics
///
/// Where there is no C compiler.
pub fn bind(heap: Heap, parameters: &[(&str, &str)]) -> Heap {
    let name = parameters.iter().find(|(key, _)| *key == "name");
    let source = match name {
        Some((_, name)) => SOURCES.iter().find(|source| source.name == *name),
        None => SOURCES.first(),
    };
    let source = source.expect("a source of this name");
    let external = host::allocator("external").expect("an allocator of the table");
    let loaded = source.loaded.get_or_init(|| source.load());
    loaded
        .bind(heap, external)
        .expect("they have all functions")
}

impl Source {
    fn load(&self) -> Libraries {
        // Once it is loaded the file is not needed.
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["c", "so"].map(|end| folder.path().join(self.name).with_extension(end));
        std::fs::write(&from, self.text).expect("the source is written");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O2", "-w", "-o"])
            .args([&to, &from])
            .status()
            .expect("a C compiler, `cc`, which these tests need");
        assert!(status.success(), "{} does not compile", self.name);
        let options = LinkOptions {
            files: vec![to],
            merge: false,
        };
        let link = Link::read(&options, false).expect("it is a shared library");
        Libraries::load(&link, false).expect("it can be loaded")
    }
}
