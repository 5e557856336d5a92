//! Asks git for the commit of the sources, again when it may have changed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let describe = [
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ];
    if let Some(commit) = git(&describe) {
        println!("cargo::rustc-env=HEAPWOOD_COMMIT={}", commit.trim());
    }
    // The log of HEAD grows with each commit and checkout. The index does not serve: `git status`
    // and `git describe` itself write it. Whether files differ depends on all that git tracks; a
    // new file that is only staged is not seen.
    let heads = git(&["rev-parse", "--git-path", "HEAD", "--git-path", "logs/HEAD"]);
    let tracked = git(&["ls-tree", "--name-only", "HEAD"]);
    for file in [heads, tracked].iter().flatten().flat_map(|it| it.lines()) {
        let path = root().join(file);
        // A path that does not exist would make cargo run this every time.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// The root of the repository. It is asked for at run time: a checkout may move with this program.
fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    Path::new(&manifest).join("../..")
}

/// The output of git in the root of the repository, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    let output = git.args(arguments).current_dir(root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
