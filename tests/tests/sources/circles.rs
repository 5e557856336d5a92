//! No two modules beside each other use each other, directly or through others: the architecture
//! page says so.
//!
//! A use counts between the two modules below the folder that both share. `use` declarations and
//! paths in code count, and a name that a module re-exports counts where it comes from. Unit tests do
//! not count: they may use anything. Neither do paths in macros, which are not parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, UseTree};

/// Crates by the folders of their sources.
const CRATES: [&str; 9] = [
    "app/src",
    "device/src",
    "device/cuda_std/src",
    "device/ptx-build/src",
    "files/src",
    "graphs/src",
    "results/src",
    "scenes/src",
    "xtask/src",
];

/// Circles that are still there. The test fails for a new one, and for one of these that is gone.
const KNOWN: [&str; 9] = [
    "app/src: diff, error, tree",
    "app/src/graph: algorithms, input, labels, store, verify, workspace",
    "device/src: kdtree, render",
    "device/src/allocators/halloc: heads, relay, sets, slabs, tasks",
    "device/src/allocators/halloc: pages, runs",
    "device/src/graph: chunks, components, store, triangles",
    "device/src/graph/pagerank: simt, solo, step",
    "files/src: packing, read",
    "scenes/src: clean, colours, error, gltf, load, material, obj, ply, precision, scene, texture, view",
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

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().ok();
        list.is_some_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

impl<'a> Visit<'a> for Named {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if is_of_tests(attributes) {
            return;
        }
        match item {
            Item::Use(item) => self.add_use(&item.tree, Vec::new()),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        self.paths.push(names.collect());
        visit::visit_path(self, path);
    }
}

/// The modules of a crate, and what each names.
struct Crate(BTreeMap<ModulePath, Named>);

impl Crate {
    fn read(sources: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let mut folders = vec![(sources.to_owned(), Vec::new())];
        while let Some((folder, below)) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.file_stem().expect("a name").to_string_lossy();
                let mut module: ModulePath = below.clone();
                if !matches!(&*name, "mod" | "lib" | "main") {
                    module.push(name.into_owned());
                }
                if module.last().is_some_and(|name| name == "tests") {
                    continue;
                }
                if path.is_dir() {
                    folders.push((path, module));
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let text = fs::read_to_string(&path).expect("text");
                    let file: File = syn::parse_file(&text)
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    let mut named = Named::default();
                    named.visit_file(&file);
                    modules.insert(module, named);
                }
            }
        }
        Self(modules)
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
                self.0.get(&child)?;
                (from.to_owned(), path)
            }
        };
        while let [first, others @ ..] = rest {
            let mut child = module.clone();
            child.push(first.clone());
            if !self.0.contains_key(&child) {
                break;
            }
            (module, rest) = (child, others);
        }
        let import = rest
            .first()
            .and_then(|name| self.0.get(&module)?.imports.get(name));
        match import {
            // Imports of one name may lead around in a circle.
            Some(import) if depth < 8 => self.target(&module, import, depth + 1).or(Some(module)),
            _ => Some(module),
        }
    }

    /// Uses among the modules below each module.
    fn uses(&self) -> BTreeMap<ModulePath, Uses> {
        let mut uses = BTreeMap::<ModulePath, Uses>::new();
        for (from, named) in &self.0 {
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

/// What can be reached from a module over one use or more.
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
fn modules_beside_each_other_use_each_other_in_no_new_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    for sources in CRATES {
        for (parent, uses) in Crate::read(&root.join(sources)).uses() {
            let folder = [&[sources.to_owned()][..], &parent].concat().join("/");
            let circles = circles(&uses).into_iter();
            found.extend(circles.map(|circle| format!("{folder}: {}", circle.join(", "))));
        }
    }
    let known: BTreeSet<String> = KNOWN.into_iter().map(str::to_owned).collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "new circles of uses: {new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(
        gone.is_empty(),
        "take them out of KNOWN, they are gone: {gone:#?}"
    );
}

#[test]
fn a_circle_is_found_through_a_third_module() {
    let uses = |pairs: &[(&str, &str)]| -> Uses {
        let mut uses = Uses::new();
        for (user, used) in pairs {
            let all = uses.entry((*user).to_owned()).or_default();
            all.insert((*used).to_owned());
        }
        uses
    };
    assert!(circles(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let found = circles(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]));
    assert_eq!(
        found,
        BTreeSet::from([["a", "b", "c"].map(str::to_owned).to_vec()])
    );
}
