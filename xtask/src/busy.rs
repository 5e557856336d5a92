//! The suite on a busy machine, where a test or an allocator shows whether it relies on
//! a thread not being descheduled.

use std::fs;
use std::hint::spin_loop;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use ptx_build::Result;

/// Runs the suite so many times beside busy loops, one more than there are cores, and
/// prints what became of each run; what it printed is in `target/busy`.
pub fn run(root: &Path, times: &str) -> Result<()> {
    let times: NonZeroU32 = times
        .parse()
        .map_err(|_| format!("`{times}` is no number of runs, from 1 on"))?;
    let built = cargo_test(root, "--no-run")?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        return Err(format!("the tests do not build:\n{said}"));
    }
    let loops = thread::available_parallelism().map_or(1, usize::from) + 1;
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..loops {
            scope.spawn(|| {
                while !ended.load(Relaxed) {
                    spin_loop();
                }
            });
        }
        let result = runs(root, times.get());
        ended.store(true, Relaxed);
        result
    })
}

/// The runs, one after the other; an error if one failed.
fn runs(root: &Path, times: u32) -> Result<()> {
    let folder = root.join("target/busy");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut failed = 0;
    for number in 1..=times {
        let begun = Instant::now();
        let output = cargo_test(root, "--no-fail-fast")?;
        let log = folder.join(format!("{number}.log"));
        fs::write(&log, [output.stdout, output.stderr].concat())
            .map_err(|error| format!("{}: {error}", log.display()))?;
        let outcome = if output.status.success() {
            "passed"
        } else {
            failed += 1;
            "FAILED"
        };
        let seconds = begun.elapsed().as_secs();
        println!(
            "run {number} of {times}: {outcome} in {seconds} s, see {}",
            log.display()
        );
    }
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} of {times} runs failed")),
    }
}

/// The README's test command, and what it prints.
fn cargo_test(root: &Path, option: &str) -> Result<std::process::Output> {
    Command::new("cargo")
        .args(["test", "--workspace", option])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo: {error}"))
}
