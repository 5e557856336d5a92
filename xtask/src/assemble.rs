//! Assembling PTX with `ptxas`, where there is no GPU to do it: for checking
//! that drivers will take it, and for counting registers.
//!
//! ptxas comes in NVIDIA's Python wheels. Version 13 has dropped sm_70, which
//! version 12 still knows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use ptx_build::archive;
use ptx_build::pipeline::Modules;

use crate::{Result, root};

/// Wheels, and the architectures that each one's ptxas assembles for.
const WHEELS: [(&str, &[&str]); 2] = [
    ("nvidia-cuda-nvcc-cu12==12.9.86", &["sm_70"]),
    ("nvidia-cuda-nvcc==13.0.88", &["sm_80", "sm_90"]),
];

/// Assembles each module for every architecture.
pub fn assemble_all(modules: &Modules) -> Result<()> {
    if modules.is_empty() {
        // No wheels are needed.
        return Ok(());
    }
    for (wheel, architectures) in WHEELS {
        let ptxas = install(wheel)?;
        for architecture in architectures {
            assemble_each(&ptxas, architecture, modules)?;
            println!("{} modules assemble for {architecture}", modules.len());
        }
    }
    Ok(())
}

/// Assembles each module for one architecture, as many at a time as there are cores.
fn assemble_each(ptxas: &Path, architecture: &str, modules: &Modules) -> Result<()> {
    let rest = Mutex::new(modules.iter());
    let work = || {
        loop {
            let next = rest.lock().expect("no panic in here").next();
            let Some((name, text)) = next else {
                return Ok(());
            };
            assemble(ptxas, architecture, name, text)?;
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err("a worker panicked".to_owned()))
        });
        results.collect()
    })
}

/// Prints registers, stack and spills of every committed kernel.
pub fn registers(root: &Path, architecture: &str) -> Result<()> {
    let (wheel, _) = WHEELS[1];
    let ptxas = install(wheel)?;
    println!("{:<48} {:>9} {:>11}", "kernel", "registers", "stack bytes");
    for (name, text) in archive::read(&archive::folder(root))? {
        let report = assemble(&ptxas, architecture, &name, &text)?;
        let (mut entry, mut stack) = (String::new(), String::new());
        for line in report.lines() {
            if let Some(rest) = line.split("Compiling entry function '").nth(1) {
                entry = rest.split('\'').next().unwrap_or_default().to_owned();
            } else if line.contains("bytes stack frame") {
                stack = line
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
            } else if let Some(rest) = line.split("Used ").nth(1) {
                let count = rest.split_whitespace().next().unwrap_or_default();
                println!("{entry:<48} {count:>9} {stack:>11}");
            }
        }
    }
    Ok(())
}

/// Installs a wheel into the target folder; returns its ptxas.
fn install(wheel: &str) -> Result<PathBuf> {
    let folder = root().join("target/ptxas").join(wheel.replace("==", "-"));
    if let Some(found) = find_ptxas(&folder) {
        return Ok(found);
    }
    let status = Command::new("python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--root-user-action=ignore",
            "--no-deps",
            "--target",
        ])
        .arg(&folder)
        .arg(wheel)
        .status()
        .map_err(|error| {
            format!("cannot run python3: {error}; it is needed to install ptxas ({wheel})")
        })?;
    if !status.success() {
        return Err(format!("pip could not install {wheel} ({status})"));
    }
    find_ptxas(&folder).ok_or_else(|| format!("{wheel} holds no ptxas"))
}

/// The file `ptxas` somewhere below a folder.
fn find_ptxas(folder: &Path) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if let Some(found) = find_ptxas(&path) {
                return Some(found);
            }
        } else if path.file_name().is_some_and(|name| name == "ptxas") {
            return Some(path);
        }
    }
    None
}

/// Assembles one module; returns what ptxas reports.
fn assemble(ptxas: &Path, architecture: &str, name: &str, text: &str) -> Result<String> {
    let file = root().join("target/ptxas").join(format!("{name}.ptx"));
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    // A module over the user's allocator, or for the user's kernels, is whole only when it is
    // linked.
    let is_linked = |line: &str| {
        let mut starts = [".extern .func", ".visible .func"].iter();
        starts.any(|start| line.starts_with(start)) && line.contains(" heapwood_")
    };
    let part = text.lines().any(is_linked).then_some("-c");
    let output = Command::new(ptxas)
        .args(["-v", "-O3", "-o", "/dev/null"])
        .args(part)
        .arg(format!("-arch={architecture}"))
        .arg(&file)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", ptxas.display()))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(report)
    } else {
        Err(format!(
            "{name} does not assemble for {architecture}: {}",
            report.trim()
        ))
    }
}
