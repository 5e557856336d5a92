//! NVIDIA's compiler, assembler and linker, where `cargo xtask nvcc` has installed them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The architecture that is compiled for.
const ARCHITECTURE: &str = "-arch=sm_90";

/// NVIDIA's tools, and a folder for what they make.
pub struct Tools {
    /// The folder of the tools.
    pub folder: PathBuf,
    made: TempDir,
}

impl Tools {
    /// Those of `HEAPWOOD_NVCC` (the path of nvcc), of `cargo xtask nvcc`, or of the path.
    pub fn find() -> Option<Self> {
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

    /// The path of a file in the folder of what is made.
    pub fn path(&self, name: &str) -> PathBuf {
        self.made.path().join(name)
    }

    /// Writes a file there.
    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("the file is written");
        path
    }

    /// Runs a tool; what it printed, as an error if it failed.
    pub fn run(&self, tool: &str, arguments: &[&str], files: &[&Path]) -> Result<(), String> {
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

    /// Assembles PTX that is to be linked.
    pub fn assemble(&self, text: &str, name: &str) -> PathBuf {
        let source = self.put(&format!("{name}.ptx"), text);
        // nvlink passes over files whose names it does not know.
        let made = self.path(&format!("{name}.cubin"));
        self.run("ptxas", &["-c", "-o"], &[&made, &source])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        made
    }

    /// Links files to a program.
    pub fn link(&self, files: &[&Path]) -> Result<(), String> {
        let made = self.path("linked");
        let files = [&[made.as_path()], files].concat();
        self.run("nvlink", &["-o"], &files)
    }
}
