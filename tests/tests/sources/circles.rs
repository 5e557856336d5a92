//! No two modules beside each other use each other, directly or through others: the architecture
//! page says so.
//!
//! A use counts between the two modules below the folder that both share. `use` declarations and
//! paths in code count, and a name that a module re-exports counts where it comes from. Unit tests
//! do not count: they may use anything. Neither do paths in macros, which are not parsed, nor names
//! that a glob re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, Token, UseTree};

/// Crates by the folders of their sources. Each benchmark in `app/benches` is one more.
const CRATES: [&str; 11] = [
    "app/src",
    "device/src",
    "device/cuda_std/src",
    "device/ptx-build/src",
    "files/src",
    "graphs/src",
    "results/src",
    "scenes/src",
    "page/src",
    "traces/src",
    "xtask/src",
];

/// A module's path below the root of its crate.
type ModulePath = Vec<String>;
/// Modules beside each other, and those that each uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The paths that a module names.
#[derive(Default)]
struct Named {
    /// All, `use` declarations among them.
    paths: Vec<Vec<String>>,
    /// Those of `use` declarations, by the name that they bring in.
    imports: BTreeMap<String, Vec<String>>,
}

impl Named {
    fn add_use(&mut self, tree: &UseTree, mut path: Vec<String>) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.add_use(&part.tree, path);
            }
            UseTree::Name(name) if name.ident == "self" => self.import(path.clone(), path),
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.import(path.clone(), path);
            }
            UseTree::Rename(name) => {
                let mut renamed = path.clone();
                path.push(name.ident.to_string());
                renamed.push(name.rename.to_string());
                self.import(renamed, path);
            }
            UseTree::Glob(_) => self.paths.push(path),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, path.clone());
                }
            }
        }
    }

    fn import(&mut self, as_named: Vec<String>, path: Vec<String>) {
        if let Some(name) = as_named.last() {
            self.imports.insert(name.clone(), path.clone());
        }
        self.paths.push(path);
    }
}

/// Whether a condition holds in tests only: `test`, or `all(test, ...)`.
fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => {
            let all = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            all.is_ok_and(|all| all.iter().any(needs_test))
        }
        _ => false,
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.parse_args::<Meta>();
        attribute.path().is_ident("cfg") && condition.is_ok_and(|meta| needs_test(&meta))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The modules of a crate, and what each names.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<ModulePath, Named>,
    /// Modules in files of their own that are there in tests only.
    of_tests: Vec<ModulePath>,
    /// The module that is read.
    current: ModulePath,
}

impl<'a> Visit<'a> for Crate {
    fn visit_item(&mut self, item: &'a Item) {
        let is_of_tests = is_of_tests(attributes(item));
        match item {
            Item::Mod(module) => {
                self.current.push(module.ident.to_string());
                if is_of_tests {
                    self.of_tests.push(self.current.clone());
                } else if module.content.is_some() {
                    self.modules.entry(self.current.clone()).or_default();
                    visit::visit_item(self, item);
                }
                self.current.pop();
            }
            _ if is_of_tests => {}
            Item::Use(item) => self.named().add_use(&item.tree, Vec::new()),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        let names = names.collect();
        self.named().paths.push(names);
        visit::visit_path(self, path);
    }
}

impl Crate {
    fn named(&mut self) -> &mut Named {
        self.modules.entry(self.current.clone()).or_default()
    }

    /// Adds a module with this text.
    fn add(&mut self, module: ModulePath, text: &str) -> syn::Result<()> {
        let file = syn::parse_file(text)?;
        self.current = module;
        self.named();
        self.visit_file(&file);
        Ok(())
    }

    /// Without the modules of tests.
    fn without_tests(mut self) -> Self {
        let of_tests = &self.of_tests;
        let is_kept = |module: &ModulePath| !of_tests.iter().any(|tests| module.starts_with(tests));
        self.modules.retain(|module, _| is_kept(module));
        self
    }

    fn read(sources: &Path) -> Self {
        let mut read = Self::default();
        let mut folders = vec![(sources.to_owned(), Vec::new())];
        while let Some((folder, below)) = folders.pop() {
            for path in entries(&folder) {
                let name = path.file_stem().expect("a name").to_string_lossy();
                let mut module: ModulePath = below.clone();
                if !matches!(&*name, "mod" | "lib" | "main") {
                    module.push(name.into_owned());
                }
                if path.is_dir() {
                    folders.push((path, module));
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let text = fs::read_to_string(&path).expect("text");
                    read.add(module, &text)
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                }
            }
        }
        read.without_tests()
    }

    /// The module in which a path of `from` ends, re-exports followed; none for other crates.
    fn target(&self, from: &[String], path: &[String], depth: u32) -> Option<ModulePath> {
        let (mut module, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.to_owned(), &path[1..]),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                let kept = from.len().checked_sub(up)?;
                (from[..kept].to_owned(), &path[up..])
            }
            first => {
                let mut child = from.to_owned();
                child.push(first.to_owned());
                self.modules.get(&child)?;
                (from.to_owned(), path)
            }
        };
        while let [first, others @ ..] = rest {
            let mut child = module.clone();
            child.push(first.clone());
            if !self.modules.contains_key(&child) {
                break;
            }
            (module, rest) = (child, others);
        }
        let import = rest
            .first()
            .and_then(|name| self.modules.get(&module)?.imports.get(name));
        match import {
            // Imports of one name may lead around in a circle.
            Some(import) if depth < 8 => self.target(&module, import, depth + 1).or(Some(module)),
            _ => Some(module),
        }
    }

    /// Uses among the modules below each module.
    fn uses(&self) -> BTreeMap<ModulePath, Uses> {
        let mut uses = BTreeMap::<ModulePath, Uses>::new();
        for (from, named) in &self.modules {
            for path in &named.paths {
                let Some(to) = self.target(from, path, 0) else {
                    continue;
                };
                let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                // A module and its own parts do not count.
                if let (Some(user), Some(used)) = (from.get(shared), to.get(shared)) {
                    let beside = uses.entry(from[..shared].to_vec()).or_default();
                    let all = beside.entry(user.clone()).or_default();
                    all.insert(used.clone());
                }
            }
        }
        uses
    }
}

/// The entries of a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

/// The modules that a module reaches over one use or more.
fn reached<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&String> = uses.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(uses.get(module).into_iter().flatten());
        }
    }
    found
}

/// The circles among modules, each as its sorted members.
fn circles(uses: &Uses) -> BTreeSet<Vec<String>> {
    let members = uses.keys().filter_map(|module| {
        let both_ways = reached(uses, module)
            .into_iter()
            .filter(|other| reached(uses, other).contains(module));
        let members: Vec<String> = both_ways.cloned().collect();
        (members.len() > 1).then_some(members)
    });
    members.collect()
}

#[test]
fn modules_beside_each_other_use_each_other_in_no_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let benchmarks = entries(&root.join("app/benches"));
    let crates = CRATES.map(|sources| root.join(sources)).into_iter();
    let mut found = Vec::new();
    for sources in crates.chain(benchmarks.into_iter().filter(|path| path.is_dir())) {
        for (parent, uses) in Crate::read(&sources).uses() {
            let folder = parent
                .iter()
                .fold(sources.clone(), |path, name| path.join(name));
            let circles = circles(&uses).into_iter();
            found.extend(circles.map(|circle| (folder.clone(), circle)));
        }
    }
    assert!(found.is_empty(), "circles of uses: {found:#?}");
}

/// The circles among the modules of a crate with these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut read = Crate::default();
    for (module, text) in files {
        let module = module.split_terminator("::").map(str::to_owned);
        read.add(module.collect(), text).expect("Rust");
    }
    let uses = read.without_tests().uses();
    uses.values().flat_map(circles).collect()
}

#[test]
fn a_circle_is_found_through_a_third_module() {
    let to_c = [("", ""), ("a", "use crate::b;"), ("b", "use crate::c::C;")];
    assert!(circles_of(&[&to_c[..], &[("c", "")]].concat()).is_empty());
    let found = circles_of(&[&to_c[..], &[("c", "fn c() { crate::a::f() }")]].concat());
    assert_eq!(found, [["a", "b", "c"]]);
}

#[test]
fn what_a_module_re_exports_counts_where_it_comes_from() {
    let files = [
        ("", "pub use a::A;"),
        ("a", "use crate::b::B;"),
        ("b", "use crate::A;"),
    ];
    assert_eq!(circles_of(&files), [["a", "b"]]);
}

#[test]
fn super_of_an_inline_module_is_the_module_around_it() {
    let inline = "mod inner { fn f(x: super::super::b::B, y: super::g::G) {} }";
    let files = [("", ""), ("a", inline), ("b", "use crate::a::A;")];
    assert_eq!(circles_of(&files), [["a", "b"]]);
    let between = "mod x { use super::y::Y; } mod y { fn f(x: super::x::X) {} }";
    assert_eq!(circles_of(&[("", between)]), [["x", "y"]]);
}

#[test]
fn tests_do_not_count() {
    for condition in ["test", "all(test, unix)", "all(unix, all(test))"] {
        let inline = format!("#[cfg({condition})] mod tests {{ use crate::b::B; }}");
        let file = format!("#[cfg({condition})] mod examples;");
        let b = ("b", "use crate::a::A;");
        assert!(circles_of(&[("", ""), ("a", &inline), b]).is_empty());
        let examples = ("a::examples", "use crate::b::B;");
        assert!(circles_of(&[("", ""), ("a", &file), b, examples]).is_empty());
        assert!(!circles_of(&[("", ""), ("a", ""), b, examples]).is_empty());
    }
    let other = "#[cfg(any(test, unix))] use crate::b::B;";
    let files = [("", ""), ("a", other), ("b", "use crate::a::A;")];
    assert_eq!(circles_of(&files), [["a", "b"]]);
}
