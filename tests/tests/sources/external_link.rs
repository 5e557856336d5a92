//! The example of docs/external-allocators.md, compiled by NVIDIA's nvcc and linked with our
//! kernels by its linker, which is the driver's: without a GPU. `cargo xtask nvcc` installs nvcc
//! where this looks for it.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood::backend::BackendError;
use heapwood::link::{
    FREE_STUB, GRANTED_STUB, INIT_STUB, Kind, Link, LinkError, LinkOptions, MALLOC, merged,
};
use heapwood::ptx;
use heapwood_device::launch::KernelId;

use super::tools::Tools;

/// The example.
const BUMP: &str = include_str!("../../../docs/examples/bump.cu");
/// Compiles a source to a file of this name.
fn compile(tools: &Tools, source: &str, arguments: &[&str], name: &str) -> PathBuf {
    let source = tools.put("source.cu", source);
    let (to, made) = (["-o"], tools.path(name));
    let arguments = [arguments, &to].concat();
    tools
        .run("nvcc", &arguments, &[&made, &source])
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    made
}

/// A file that is linked alone.
fn alone(file: &Path) -> LinkOptions {
    LinkOptions {
        files: vec![file.to_owned()],
        merge: false,
    }
}

#[test]
fn the_page_shows_the_example() {
    let page = include_str!("../../../docs/external-allocators.md");
    assert!(page.contains(BUMP), "docs/examples/bump.cu is another");
}

/// Faults of files that the program finds without a GPU.
#[test]
fn files_without_device_code_to_link_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let elf = |kind: u8, machine: u8, rest: &str| {
        let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        file.extend([kind, 0, machine, 0]);
        file.extend(rest.as_bytes());
        file
    };
    let (x86, cuda) = (62, 190);
    let ptx = ".version 7.0\n.visible .func heapwood_free()\n{\nret;\n}\n";
    let cases = [
        (
            "whole.cubin",
            elf(2, cuda, ""),
            "its device code is not relocatable",
        ),
        (
            "whole.o",
            elf(1, x86, ".nv_fatbin"),
            "its device code is not relocatable",
        ),
        (
            "host.o",
            elf(1, x86, ".text"),
            "there is no device code in it",
        ),
        (
            "lists.so",
            elf(3, x86, ""),
            "a shared library is for the CPU",
        ),
        ("bump.cu", BUMP.into(), "linking takes a cubin"),
        ("program", elf(2, x86, ""), "linking takes a cubin"),
        ("free.ptx", ptx.into(), "no file has heapwood_malloc: write"),
    ];
    for (name, bytes, what) in cases {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("the file is written");
        let error = Link::read(&alone(&path), true).expect_err(name);
        let error = heapwood::Error::from(BackendError::from(error));
        let said = error.to_string();
        assert!(
            said.contains(what) && !said.contains('\n'),
            "{name}: {said}"
        );
        assert_eq!(error.exit_code(), 3, "{name}: {said}");
    }
    let error = Link::read(&LinkOptions::default(), true).expect_err("there is no file");
    assert_eq!(
        heapwood::Error::from(BackendError::from(error)).exit_code(),
        2
    );
}

#[test]
fn what_nvcc_makes_of_the_example_is_known() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let forms: [(&[&str], &str, Kind); 4] = [
        (&["-rdc=true", "-c"], "bump.o", Kind::Object),
        (&["-rdc=true", "-cubin"], "bump.cubin", Kind::Cubin),
        (&["-rdc=true", "-fatbin"], "bump.fatbin", Kind::Fatbin),
        (&["-rdc=true", "-ptx"], "bump.ptx", Kind::Ptx),
    ];
    for (arguments, name, kind) in forms {
        let file = compile(&tools, BUMP, arguments, name);
        let link =
            Link::read(&alone(&file), true).unwrap_or_else(|error| panic!("{name}: {error}"));
        let known = link.device_files().next().expect("it has device code");
        assert_eq!(known.kind, kind, "{name}");
        let on_cpu = Link::read(&alone(&file), false);
        assert!(matches!(on_cpu, Err(LinkError::NotForCpu { .. })), "{name}");
    }
    // Without -rdc=true functions that no kernel calls are dropped.
    let dropped: [(&[&str], &str); 3] = [
        (&["-c"], "whole.o"),
        (&["-cubin"], "whole.cubin"),
        (&["-ptx"], "whole.ptx"),
    ];
    for (arguments, name) in dropped {
        let file = compile(&tools, BUMP, arguments, name);
        let error = Link::read(&alone(&file), true).expect_err(name);
        assert!(error.to_string().contains("-rdc=true"), "{name}: {error}");
    }
    // Functions of C++ have other names.
    let mangled = BUMP.replace("extern \"C\" ", "");
    for (form, name) in [("-cubin", "other.cubin"), ("-ptx", "other.ptx")] {
        let file = compile(&tools, &mangled, &["-rdc=true", form], name);
        let error = Link::read(&alone(&file), true).expect_err(name);
        assert_eq!(error, LinkError::Missing { function: MALLOC }, "{name}");
    }
}

#[test]
fn the_example_links_with_every_kernel() {
    let Some(tools) = Tools::find() else {
        return;
    };
    if !ptx::is_embedded() {
        return println!("skipped: built without device code");
    }
    let object = compile(&tools, BUMP, &["-rdc=true", "-c"], "bump.o");
    let text = compile(&tools, BUMP, &["-rdc=true", "-ptx"], "bump.ptx");
    let to_merge = LinkOptions {
        merge: true,
        ..alone(&text)
    };
    let to_merge = Link::read(&to_merge, true).expect("PTX can be merged");
    let text = fs::read_to_string(text).expect("PTX is text");
    let reference = Link::reference();
    let reference = reference.device_files().next().expect("it is PTX");
    let reference = String::from_utf8(reference.bytes.clone()).expect("PTX is text");
    let forms = [
        object,
        tools.assemble(&text, "bump"),
        tools.assemble(&reference, "reference"),
    ];
    let free = "extern \"C\" __device__ void heapwood_free(void* state, void* block) {}";
    let free = compile(&tools, free, &["-rdc=true", "-c"], "free.o");
    let stubs = [
        (INIT_STUB, "init"),
        (GRANTED_STUB, "granted"),
        (FREE_STUB, "free"),
    ];
    let [init_stub, granted_stub, free_stub] = stubs.map(|(text, name)| tools.assemble(text, name));

    let mut families: Vec<&str> = KernelId::OVER_HEAP.iter().map(|id| id.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let text = ptx::module(Some("external"), family).expect("the module is embedded");
        let kernels = tools.assemble(&text, family);
        for form in &forms {
            // `heapwood_init` is there and weak, and the example's is taken.
            tools
                .link(&[&kernels, &init_stub, &granted_stub, &free_stub, form])
                .unwrap_or_else(|error| panic!("{family}: {error}"));
        }
        let module = merged(&text, &to_merge, false).expect("all functions are there");
        let module = tools.put("merged.ptx", &module);
        let assembled = tools.path("merged.cubin");
        // Whole by itself: nothing is left to link.
        tools
            .run("ptxas", &["-o"], &[&assembled, &module])
            .unwrap_or_else(|error| panic!("{family}, merged: {error}"));
        if text.contains("heapwood_free") {
            let error = tools
                .link(&[&kernels, &init_stub, &granted_stub, &forms[0]])
                .expect_err(family);
            assert!(
                error.contains("Undefined reference to 'heapwood_free'"),
                "{error}"
            );
            let both = [
                &kernels,
                &init_stub,
                &granted_stub,
                &free_stub,
                &forms[0],
                &free,
            ];
            let error = tools.link(&both.map(PathBuf::as_path)).expect_err(family);
            assert!(
                error.contains("Multiple definition of 'heapwood_free'"),
                "{error}"
            );
        }
    }
}
