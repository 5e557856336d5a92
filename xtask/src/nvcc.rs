//! NVIDIA's compiler of CUDA C++, from its Python wheels: for the example of an allocator that is
//! linked, where there is no CUDA toolkit.

use std::path::Path;
use std::process::Command;

use crate::Result;

/// The wheels of nvcc 13.0.88 that compile device code.
const WHEELS: [&str; 4] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
];

/// Installs it into `target/nvcc`, where the tests find it, and prints where it is.
pub fn install(root: &Path) -> Result<()> {
    let folder = root.join("target/nvcc");
    let program = folder.join("nvidia/cu13/bin/nvcc");
    if !program.is_file() {
        let status = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet"])
            .args(["--root-user-action=ignore", "--no-deps", "--target"])
            .arg(&folder)
            .args(WHEELS)
            .status()
            .map_err(|error| format!("cannot run python3: {error}; it is needed for nvcc"))?;
        if !status.success() {
            return Err(format!("pip could not install nvcc ({status})"));
        }
    }
    println!("{}", program.display());
    Ok(())
}
