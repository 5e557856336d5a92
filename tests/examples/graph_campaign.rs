//! `cargo xtask graph-campaign`: random runs of `heapwood graph --verify`. They draw the kind of graph,
//! allocator, layout, directions, weights, rounds and streams. A run that fails prints the command that
//! repeats it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use heapwood_tests::lockstep::Random;

const USAGE: &str = "usage: cargo xtask graph-campaign [--runs N] [--seed S]";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(campaign) = Campaign::parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let begun = Instant::now();
    if let Err(faults) = campaign.run() {
        eprintln!("{faults}");
        return ExitCode::FAILURE;
    }
    let Campaign { runs, seed, .. } = campaign;
    let seconds = begun.elapsed().as_secs_f64();
    println!("graph-campaign: {runs} runs, seed {seed}, {seconds:.0} s: no fault");
    ExitCode::SUCCESS
}

/// The allocators, with two of the published forms. AtomicMalloc and SpreadMalloc,
/// which free nothing, have room for a run.
const ALLOCATORS: [&str; 24] = [
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
    "flatterscatter",
    "cudamalloc",
    "fdgmalloc",
    "gallatin",
    "xmalloc",
    "buddy",
    "halloc",
    "llvmlibc",
    "pagesearch",
    "atomicmalloc",
    "spread",
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

/// All runs.
struct Campaign {
    /// The program `heapwood`, in which overflow is a fault.
    program: PathBuf,
    runs: u64,
    seed: u64,
}

/// A run: the arguments of `heapwood`, and the events of its stream if it has one.
struct Run {
    arguments: Vec<String>,
    events: Option<String>,
}

/// A run that is being drawn.
struct Draw {
    random: Random,
    arguments: Vec<String>,
    vertices: u64,
    directed: bool,
    is_weighted: bool,
}

impl Draw {
    fn add(&mut self, words: &[&str]) {
        let words = words.iter().map(|&word| word.to_owned());
        self.arguments.extend(words);
    }

    /// A number from 1 up to `most`, as an argument.
    fn count(&mut self, most: u64) -> String {
        (1 + self.random.below(most)).to_string()
    }

    /// A generated graph, and how it is read.
    fn graph(&mut self) {
        let kind = self.random.choose(&KINDS);
        let bits = self.random.below(11);
        self.vertices = 2 + self.random.below(1 << bits);
        let weights = self.random.choose(&["", "integer", "real", "lengths"]);
        self.is_weighted = !weights.is_empty();
        let seed = self.random.below(1000);
        let mut graph = format!("gen:{kind},vertices={},seed={seed}", self.vertices);
        if matches!(kind, "kronecker" | "uniform") {
            graph += &format!(",edges={}", self.random.below(6 * self.vertices));
            self.directed = self.random.one_in(2);
            if self.directed {
                graph += ",directed";
            }
        }
        match weights {
            "" => {}
            "lengths" if kind == "road" => graph += ",lengths",
            _ => {
                let least = self.random.choose(&["0", "1", "100"]);
                let most = self.random.choose(&["100", "1000", "4294967295"]);
                graph += &format!(",weight-range={least}..{most}");
            }
        }
        self.add(&["graph", &graph]);
        if weights == "real" {
            self.add(&["--weights", "real"]);
        }
        if self.is_weighted && self.random.one_in(3) {
            self.add(&["--parallel", "least"]);
        }
        if !self.directed && self.random.one_in(4) {
            self.directed = true;
            self.add(&["--directed"]);
        }
        if self.random.one_in(4) {
            self.add(&["--self-loops"]);
        }
    }

    /// An allocator and a layout.
    fn store(&mut self) {
        let allocator = self.random.choose(&ALLOCATORS);
        let layout = self.random.choose(&["contiguous", "linked"]);
        self.add(&["--allocator", allocator, "--layout", layout]);
        // Published forms have no checked mode.
        if !allocator.contains(':') && self.random.one_in(8) {
            self.add(&["--check-heap"]);
        }
    }

    /// A stream of events from a file, which are returned.
    fn stream(&mut self, file: &Path) -> String {
        let batch = self.count(200);
        let file = file.display().to_string();
        self.add(&["--stream", &file, "--batch", &batch]);
        let mut events = String::new();
        for _ in 0..=self.random.below(400) {
            let sign = self.random.choose(&["+", "+", "-"]);
            let mut end = || self.random.below(self.vertices);
            events += &format!("{sign} {} {}", end(), end());
            if self.is_weighted && sign == "+" {
                events += &format!(" {}", self.random.below(100));
            }
            events += "\n";
        }
        events
    }

    /// Rounds of random batches.
    fn rounds(&mut self) {
        let most = 1 << (6 * self.random.below(3));
        let (insert, delete, rounds) = (self.count(most), self.count(most), self.count(4));
        self.add(&["--insert", &insert, "--delete", &delete]);
        let pattern = self.random.choose(&["uniform", "pressure"]);
        let seed = self.count(1000);
        self.add(&["--rounds", &rounds, "--pattern", pattern, "--seed", &seed]);
        for vertices in ["--insert-vertices", "--delete-vertices"] {
            if self.random.one_in(3) {
                let count = self.count(most.max(10));
                self.add(&[vertices, &count]);
            }
        }
    }

    /// Some of the algorithms that the graph allows.
    fn algorithms(&mut self) {
        let mut incremental = false;
        for algorithm in ["--pagerank", "--components"] {
            if self.random.one_in(2) {
                self.add(&[algorithm]);
                incremental = true;
            }
        }
        let mut others = vec!["--lcc", "--cdlp"];
        if !self.directed {
            others.push("--kcore");
            // Deletions of vertices count no triangles.
            let deletes = self
                .arguments
                .iter()
                .any(|word| word == "--delete-vertices");
            if !deletes {
                others.push("--triangles");
            }
        }
        for algorithm in others {
            if self.random.one_in(2) {
                self.add(&[algorithm]);
            }
        }
        let source = self.random.below(self.vertices).to_string();
        if self.random.one_in(2) {
            self.add(&["--bfs", &source]);
        }
        if self.random.one_in(3) {
            let other = self.random.below(self.vertices);
            self.add(&["--betweenness", &format!("{source},{other}")]);
        }
        if self.is_weighted && !self.random.one_in(4) {
            self.add(&["--sssp", &source]);
            incremental = true;
        }
        if incremental && self.random.one_in(2) {
            self.add(&["--incremental"]);
        }
    }
}

impl Run {
    /// The run of this number under `seed`. `file` is for the events.
    fn draw(seed: u64, number: u64, file: &Path) -> Self {
        let mut draw = Draw {
            random: Random::new(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d)),
            arguments: Vec::new(),
            vertices: 0,
            directed: false,
            is_weighted: false,
        };
        draw.graph();
        draw.store();
        let events = match draw.random.one_in(3) {
            true => Some(draw.stream(file)),
            false => {
                draw.rounds();
                None
            }
        };
        draw.algorithms();
        let threads = draw.random.choose(&["1", "2", "3"]);
        draw.add(&["--verify", "--runs", "1", "--backend", "cpu"]);
        draw.add(&["--cpu-threads", threads]);
        Self {
            arguments: draw.arguments,
            events,
        }
    }

    /// Nothing if the program succeeds, or else how it ends.
    fn fault(&self, program: &Path, file: &Path) -> Result<Option<String>, String> {
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

impl Campaign {
    /// The program, and options.
    fn parse(arguments: &[String]) -> Option<Self> {
        let (program, options) = arguments.split_first()?;
        let mut campaign = Self {
            program: program.into(),
            runs: 1000,
            seed: 1,
        };
        for option in options.chunks(2) {
            match option {
                [name, value] if name == "--runs" => campaign.runs = value.parse().ok()?,
                [name, value] if name == "--seed" => campaign.seed = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(campaign)
    }

    /// Makes all runs on all cores.
    ///
    /// # Errors
    ///
    /// The first failing run of each thread, a program that does not start, and files that cannot be
    /// written.
    fn run(&self) -> Result<(), String> {
        let folder = Path::new("target/graph-campaign");
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let next = AtomicU64::new(0);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let outcomes: Vec<Result<(), String>> = thread::scope(|scope| {
            let start = |_| scope.spawn(|| self.run_some(folder, &next));
            let started: Vec<_> = (0..threads).map(start).collect();
            let joined = started.into_iter().map(|handle| handle.join());
            joined.map(|outcome| outcome.expect("no panic")).collect()
        });
        let faults: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
        match faults.is_empty() {
            true => Ok(()),
            false => Err(faults.join("\n")),
        }
    }

    /// Makes the runs that no other thread makes, up to one that fails.
    fn run_some(&self, folder: &Path, next: &AtomicU64) -> Result<(), String> {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= self.runs {
                return Ok(());
            }
            // The file stays if the run fails.
            let file = folder.join(format!("{number}.events"));
            let run = Run::draw(self.seed, number, &file);
            if let Some(fault) = run.fault(&self.program, &file)? {
                return Err(format!("run {number}: {fault}"));
            }
            if run.events.is_some() {
                fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
    }
}
