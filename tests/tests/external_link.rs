//! The example of docs/external-allocators.md, compiled by NVIDIA's nvcc and linked with our
//! kernels by its linker, which is the driver's: without a GPU. `cargo xtask nvcc` installs nvcc
//! where this looks for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapwood::link::{FREE_STUB, INIT_STUB, Kind, Link, LinkError, LinkOptions, MALLOC, merged};
use heapwood::ptx;
use heapwood_device::launch::KernelId;
use tempfile::TempDir;

/// The example.
const BUMP: &str = include_str!("../../docs/examples/bump.cu");
/// The architecture that is compiled for.
const ARCHITECTURE: &str = "-arch=sm_90";

/// NVIDIA's tools, and a folder for what they make.
struct Tools {
    folder: PathBuf,
    made: TempDir,
}

impl Tools {
    /// Those of `HEAPWOOD_NVCC` (the path of nvcc), of `cargo xtask nvcc`, or of the path.
    fn find() -> Option<Self> {
        let named = std::env::var_os("HEAPWOOD_NVCC").map(PathBuf::from);
        let installed =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvcc/nvidia/cu13/bin/nvcc");
        let places = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&places).map(|folder| folder.join("nvcc"));
        let mut places = named.into_iter().chain([installed]).chain(on_path);
        let Some(nvcc) = places.find(|nvcc| nvcc.is_file()) else {
            println!("skipped: there is no nvcc: `cargo xtask nvcc` installs it");
            return None;
        };
        Some(Self {
            folder: nvcc.parent()?.to_owned(),
            made: tempfile::tempdir().expect("a folder"),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.made.path().join(name)
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("the file is written");
        path
    }

    /// Runs a tool; what it printed, as an error if it failed.
    fn run(&self, tool: &str, arguments: &[&str], files: &[&Path]) -> Result<(), String> {
        let output = Command::new(self.folder.join(tool))
            .arg(ARCHITECTURE)
            .args(arguments)
            .args(files)
            .output()
            .map_err(|error| format!("{tool}: {error}"))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let printed = [output.stdout, output.stderr].concat();
                Err(String::from_utf8_lossy(&printed).into_owned())
            }
        }
    }

    /// Compiles a source to a file of this name.
    fn compile(&self, source: &str, arguments: &[&str], name: &str) -> PathBuf {
        let source = self.put("source.cu", source);
        let (to, made) = (["-o"], self.path(name));
        let arguments = [arguments, &to].concat();
        self.run("nvcc", &arguments, &[&made, &source])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        made
    }

    /// Assembles PTX that is to be linked.
    fn assemble(&self, text: &str, name: &str) -> PathBuf {
        let source = self.put(&format!("{name}.ptx"), text);
        // nvlink passes over files whose names it does not know.
        let made = self.path(&format!("{name}.cubin"));
        self.run("ptxas", &["-c", "-o"], &[&made, &source])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        made
    }

    /// Links files to a program.
    fn link(&self, files: &[&Path]) -> Result<(), String> {
        let made = self.path("linked");
        let files = [&[made.as_path()], files].concat();
        self.run("nvlink", &["-o"], &files)
    }
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
    let page = include_str!("../../docs/external-allocators.md");
    assert!(page.contains(BUMP), "docs/examples/bump.cu is another");
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
        let file = tools.compile(BUMP, arguments, name);
        let link =
            Link::read(&alone(&file), true).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(link.files()[0].kind, kind, "{name}");
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
        let file = tools.compile(BUMP, arguments, name);
        let error = Link::read(&alone(&file), true).expect_err(name);
        assert!(error.to_string().contains("-rdc=true"), "{name}: {error}");
    }
    // Functions of C++ have other names.
    let mangled = BUMP.replace("extern \"C\" ", "");
    for (form, name) in [("-cubin", "other.cubin"), ("-ptx", "other.ptx")] {
        let file = tools.compile(&mangled, &["-rdc=true", form], name);
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
    let object = tools.compile(BUMP, &["-rdc=true", "-c"], "bump.o");
    let text = tools.compile(BUMP, &["-rdc=true", "-ptx"], "bump.ptx");
    let to_merge = LinkOptions {
        merge: true,
        ..alone(&text)
    };
    let to_merge = Link::read(&to_merge, true).expect("PTX can be merged");
    let text = fs::read_to_string(text).expect("PTX is text");
    let forms = [object, tools.assemble(&text, "bump")];
    let free = "extern \"C\" __device__ void heapwood_free(void* state, void* block) {}";
    let free = tools.compile(free, &["-rdc=true", "-c"], "free.o");
    let [init_stub, free_stub] =
        [(INIT_STUB, "init"), (FREE_STUB, "free")].map(|(text, name)| tools.assemble(text, name));

    let mut families: Vec<&str> = KernelId::OVER_HEAP.iter().map(|id| id.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let text = ptx::module(Some("external"), family).expect("the module is embedded");
        let kernels = tools.assemble(&text, family);
        for form in &forms {
            // `heapwood_init` is there and weak, and the example's is taken.
            tools
                .link(&[&kernels, &init_stub, &free_stub, form])
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
                .link(&[&kernels, &init_stub, &forms[0]])
                .expect_err(family);
            assert!(
                error.contains("Undefined reference to 'heapwood_free'"),
                "{error}"
            );
            let both = [&kernels, &init_stub, &free_stub, &forms[0], &free];
            let error = tools.link(&both.map(PathBuf::as_path)).expect_err(family);
            assert!(
                error.contains("Multiple definition of 'heapwood_free'"),
                "{error}"
            );
        }
    }
}
