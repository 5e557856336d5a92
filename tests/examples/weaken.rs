//! `cargo xtask weaken`: weakens each ordering of the allocators and of the k-d
//! tree in turn, searches for a run that fails then, and prints the list that the
//! suite replays. Seconds for each ordering and workload are the argument.

use std::env;
use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use heapwood_tests::weaken::{Row, requests, search, weakenings, workloads};

/// Seeds under which it is recorded what a workload does.
const RECORDED: u64 = 40;

fn main() -> ExitCode {
    let word = env::args().nth(1).unwrap_or_else(|| "10".to_owned());
    let seconds = word
        .parse()
        .map_err(|_| format!("`{word}` is no number of seconds"));
    match seconds.and_then(|seconds| run(Duration::from_secs(seconds))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("weaken: error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(time: Duration) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Every failure that is searched for is a panic.
    panic::set_hook(Box::new(|_| {}));
    let workloads = workloads();
    let mut jobs = Vec::new();
    for (request, makers) in requests(&workloads, RECORDED)? {
        jobs.extend(weakenings(request).map(|weakening| (weakening, makers.clone())));
    }
    eprintln!("{} weakenings", jobs.len());
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(vec![None; jobs.len()]);
    let work = || {
        while let Some((index, (weakening, makers))) = {
            let index = next.fetch_add(1, Relaxed);
            jobs.get(index).map(|job| (index, job))
        } {
            let makers: Vec<_> = makers.iter().map(|&maker| &workloads[maker]).collect();
            let found = search(*weakening, &makers, time);
            let site = weakening.request.site;
            let (from, to) = (weakening.request.strength, weakening.to);
            match &found {
                Some((finding, text)) => {
                    eprintln!("{site} {from:?} to {to:?}: {finding:?}: {text}");
                }
                None => eprintln!("{site} {from:?} to {to:?}: nothing found"),
            }
            let row = Row::new(&root, *weakening, found.map(|(finding, _)| finding));
            rows.lock().expect("no panic in here")[index] = Some(row);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    println!("# Made by `cargo xtask weaken`: file, line, how many like it come before, order");
    println!("# asked for, order given, and the workload and seed that fail then.");
    for row in rows
        .into_inner()
        .expect("no panic in here")
        .into_iter()
        .flatten()
    {
        println!("{}", row?);
    }
    Ok(())
}
