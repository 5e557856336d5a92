//! The output of `heapwood export`, compiled and linked by NVIDIA's nvcc as the page in the folder
//! says: without a GPU. `cargo xtask nvcc` installs nvcc where this looks for it.

use std::path::{Path, PathBuf};

use heapwood::allocators::Spec;
use heapwood::link::{GRANTED_STUB, INIT_STUB};
use heapwood::{export, ptx};
use heapwood_device::export::EXPORTED;
use heapwood_device::launch::KernelId;

use super::tools::Tools;

/// The size of the pools.
const POOL: u64 = 256 << 20;

/// Compiles a file of a folder to an object with relocatable device code.
fn object(tools: &Tools, folder: &Path, file: &str) -> PathBuf {
    let (from, to) = (folder.join(file), folder.join(format!("{file}.o")));
    let compiled = tools.run("nvcc", &["-dc", "-o"], &[&to, &from]);
    compiled.unwrap_or_else(|error| panic!("{file}: {error}"));
    to
}

#[test]
fn every_export_links_with_its_example() {
    let Some(tools) = Tools::find() else {
        return;
    };
    if !ptx::is_embedded() {
        return println!("skipped: built without device code");
    }
    let mut allocators = Vec::new();
    let mut examples = Vec::new();
    for name in EXPORTED {
        let folder = tools.path(name);
        let spec = Spec::parse(name).expect("it is in the table");
        let files = export::files(&spec, name, POOL).expect("it is exported");
        export::write(&folder, &files).expect("the folder is writable");
        let text = format!("heapwood_{name}.ptx");
        allocators.push(object(&tools, &folder, &text));
        examples.push(object(&tools, &folder, "example.cu"));
        // And by the assembler and the linker alone.
        let text = std::fs::read_to_string(folder.join(text)).expect("PTX is text");
        let alone = tools.assemble(&text, name);
        let example = examples.last().expect("it was pushed");
        tools
            .link(&[&alone, example])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for (name, example) in EXPORTED.iter().zip(&examples) {
        let error = tools.link(&[example.as_path()]).expect_err(name);
        assert!(
            error.contains(&format!("heapwood_{name}_malloc")),
            "{error}"
        );
        // A program may have several allocators: their names are their own.
        let mut files: Vec<&Path> = allocators.iter().map(PathBuf::as_path).collect();
        files.push(example);
        tools
            .link(&files)
            .unwrap_or_else(|error| panic!("{name} beside others: {error}"));
        let program = tools.path(&format!("example-{name}"));
        files.insert(0, &program);
        // In the wheels the libraries are not where nvcc looks for them.
        let libraries = tools.folder.join("../lib").display().to_string();
        tools
            .run("nvcc", &["-L", &libraries, "-o"], &files)
            .unwrap_or_else(|error| panic!("{name}, a program: {error}"));
        assert!(program.is_file());
    }
}

/// The example of docs/export.md, linked with heapwood's kernels as an external allocator.
#[test]
fn an_export_is_linked_with_our_kernels() {
    let Some(tools) = Tools::find() else {
        return;
    };
    if !ptx::is_embedded() {
        return println!("skipped: built without device code");
    }
    let folder = tools.path("back");
    let spec = Spec::parse("cfmalloc").expect("it is in the table");
    let files = export::files(&spec, "cfmalloc", POOL).expect("it is exported");
    export::write(&folder, &files).expect("the folder is writable");
    let wrapper = include_str!("../../../docs/examples/exported.cu");
    std::fs::write(folder.join("exported.cu"), wrapper).expect("the file is written");
    let export = object(&tools, &folder, "heapwood_cfmalloc.ptx");
    let wrapper = object(&tools, &folder, "exported.cu");
    let init_stub = tools.assemble(INIT_STUB, "init");
    let granted_stub = tools.assemble(GRANTED_STUB, "granted");
    let mut families: Vec<&str> = KernelId::OVER_HEAP.iter().map(|id| id.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let text = ptx::module(Some("external"), family).expect("the module is embedded");
        let kernels = tools.assemble(&text, family);
        tools
            .link(&[&kernels, &init_stub, &granted_stub, &export, &wrapper])
            .unwrap_or_else(|error| panic!("{family}: {error}"));
    }
}

/// The header declares what the PTX defines: with the same parameters, in the same order.
#[test]
fn the_header_declares_what_the_ptx_defines() {
    if !ptx::is_embedded() {
        return println!("skipped: built without device code");
    }
    for name in EXPORTED {
        let text = ptx::module(Some(name), "export").expect("the module is embedded");
        let parameters = |function: &str| -> Vec<&str> {
            let head = format!("heapwood_{name}_{function}(");
            let mut lines = text.lines().skip_while(|line| !line.ends_with(&head));
            assert!(lines.next().is_some(), "{head}");
            let declared = lines.take_while(|line| !line.starts_with(')'));
            declared
                .filter_map(|line| line.split_whitespace().nth(1))
                .collect()
        };
        assert_eq!(parameters("init"), [".b64"]);
        assert_eq!(parameters("malloc"), [".b64", ".b64", ".b32"]);
        assert_eq!(parameters("free"), [".b64", ".b64", ".b32"]);
    }
}
