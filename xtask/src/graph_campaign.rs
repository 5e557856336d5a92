//! Random runs of `heapwood graph --verify`: graphs of every kind, layouts, allocators, directions,
//! weights, rounds and streams. A run that fails prints the command that repeats it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use ptx_build::Result;

/// The allocators, with two of the published forms. AtomicMalloc, which frees nothing, has room for
/// a run.
const ALLOCATORS: [&str; 20] = [
    "cmalloc",
    "cfmalloc",
    "cmmalloc",
    "cfmmalloc",
    "cfmmalloc:walk=paper",
    "ouroboros-p-s",
    "ouroboros-p-va",
    "ouroboros-p-vl",
    "ouroboros-c-s",
    "ouroboros-c-va",
    "ouroboros-c-vl",
    "ouroboros-p-vl:large=paper",
    "scatteralloc",
    "cudamalloc",
    "fdgmalloc",
    "gallatin",
    "xmalloc",
    "buddy",
    "halloc",
    "atomicmalloc",
];
const KINDS: [&str; 9] = [
    "delaunay",
    "geometric",
    "road",
    "coauthors",
    "mesh",
    "kkt",
    "dual",
    "kronecker",
    "uniform",
];

/// SplitMix64: any number is a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A run: the arguments of `heapwood`, and the events of its stream if it has one.
struct Run {
    arguments: Vec<String>,
    events: Option<String>,
}

impl Run {
    /// The run of this number under `seed`. `file` is for the events.
    fn draw(seed: u64, number: u64, file: &Path) -> Self {
        let mut random = Random(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let random = &mut random;
        let kind = random.choose(&KINDS);
        let bits = random.below(11);
        let vertices = 2 + random.below(1 << bits);
        let weights = random.choose(&["", "integer", "real", "lengths"]);
        let mut graph = format!("gen:{kind},vertices={vertices},seed={}", random.below(1000));
        let mut arguments = vec!["graph".to_owned(), String::new()];
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(|&word| word.to_owned()));
        let mut directed = false;
        if matches!(kind, "kronecker" | "uniform") {
            graph += &format!(",edges={}", random.below(6 * vertices));
            directed = random.one_in(2);
            if directed {
                graph += ",directed";
            }
        }
        let is_weighted = !weights.is_empty();
        match weights {
            "" => {}
            "lengths" if kind == "road" => graph += ",lengths",
            _ => {
                let least = random.choose(&["0", "1", "100"]);
                let most = random.choose(&["100", "1000", "4294967295"]);
                graph += &format!(",weight-range={least}..{most}");
            }
        }
        if weights == "real" {
            add(&["--weights", "real"]);
        }
        if is_weighted && random.one_in(3) {
            add(&["--parallel", "least"]);
        }
        if !directed && random.one_in(4) {
            directed = true;
            add(&["--directed"]);
        }
        if random.one_in(4) {
            add(&["--self-loops"]);
        }
        let allocator = random.choose(&ALLOCATORS);
        add(&["--allocator", allocator]);
        add(&["--layout", random.choose(&["contiguous", "linked"])]);
        // Published forms have no checked mode.
        if !allocator.contains(':') && random.one_in(8) {
            add(&["--check-heap"]);
        }
        let events = random.one_in(3).then(|| {
            let count = 1 + random.below(400);
            (0..count)
                .map(|_| {
                    let sign = random.choose(&["+", "+", "-"]);
                    let mut end = || random.below(vertices);
                    let (source, target) = (end(), end());
                    if is_weighted && sign == "+" {
                        format!("+ {source} {target} {}\n", random.below(100))
                    } else {
                        format!("{sign} {source} {target}\n")
                    }
                })
                .collect::<String>()
        });
        if events.is_some() {
            let file = file.display().to_string();
            let batch = (1 + random.below(200)).to_string();
            add(&["--stream", &file, "--batch", &batch]);
        } else {
            let most = 1 << (6 * random.below(3));
            let mut count = || (1 + random.below(most)).to_string();
            let (insert, delete) = (count(), count());
            let rounds = (1 + random.below(4)).to_string();
            add(&[
                "--insert", &insert, "--delete", &delete, "--rounds", &rounds,
            ]);
            add(&["--pattern", random.choose(&["uniform", "pressure"])]);
            add(&["--seed", &random.below(1000).to_string()]);
            if random.one_in(4) {
                let count = (1 + random.below(10)).to_string();
                add(&["--insert-vertices", &count, "--delete-vertices", &count]);
            }
        }
        let mut algorithms = vec!["--pagerank", "--components", "--lcc", "--cdlp"];
        if !directed {
            algorithms.extend(["--triangles", "--kcore"]);
        }
        for algorithm in algorithms {
            if random.one_in(2) {
                add(&[algorithm]);
            }
        }
        let source = random.below(vertices).to_string();
        if random.one_in(2) {
            add(&["--bfs", &source]);
        }
        if is_weighted && !random.one_in(4) {
            add(&["--sssp", &source]);
        }
        let threads = random.choose(&["1", "2", "3"]);
        add(&[
            "--verify",
            "--runs",
            "1",
            "--backend",
            "cpu",
            "--cpu-threads",
            threads,
        ]);
        arguments[1] = graph;
        Self { arguments, events }
    }

    /// Nothing if the program succeeds, or else how it ends.
    fn fault(&self, program: &Path, file: &Path) -> Result<Option<String>> {
        if let Some(events) = &self.events {
            fs::write(file, events).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let output = Command::new(program)
            .args(&self.arguments)
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        Ok((!output.status.success()).then(|| {
            format!(
                "heapwood {}\n{}: {said}",
                self.arguments.join(" "),
                output.status
            )
        }))
    }
}

/// Makes `runs` runs under `seed` on all cores.
///
/// # Errors
///
/// The first failing run of each thread, a program that does not start, and files that cannot be
/// written.
pub fn run(root: &Path, program: &Path, runs: u64, seed: u64) -> Result<()> {
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    let folder = root.join("target/graph-campaign");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let thread = |_| -> Result<()> {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= runs {
                return Ok(());
            }
            // The file stays if the run fails.
            let file: PathBuf = folder.join(format!("{number}.events"));
            let run = Run::draw(seed, number, &file);
            if let Some(fault) = run.fault(program, &file)? {
                return Err(format!("run {number}: {fault}"));
            }
            if run.events.is_some() {
                fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let outcomes: Vec<Result<()>> = thread::scope(|scope| {
        let thread = &thread;
        let started: Vec<_> = (0..threads)
            .map(|index| scope.spawn(move || thread(index)))
            .collect();
        started
            .into_iter()
            .map(|handle| handle.join().expect("no panic"))
            .collect()
    });
    let faults: Vec<String> = outcomes
        .into_iter()
        .filter_map(std::result::Result::err)
        .collect();
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("graph-campaign: {runs} runs, seed {seed}, {seconds:.0} s: no fault");
    Ok(())
}
