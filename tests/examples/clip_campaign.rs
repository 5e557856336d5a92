//! `cargo xtask clip-campaign`: holds clipping to exact arithmetic over many triangles and
//! boxes, and prints what it ran, how tight the bounds are, and the first failures.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use heapwood_tests::clipping::campaign;

const USAGE: &str = "usage: cargo xtask clip-campaign [--pairs N] [--seed S]; N may be 1e8";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((pairs, seed)) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    let report = campaign::run(seed, pairs);
    println!(
        "clip-campaign: seed {seed}, {} threads, {:.1} s",
        rayon::current_num_threads(),
        start.elapsed().as_secs_f64()
    );
    print!("{report}");
    if report.faults.is_empty() {
        println!("no fault");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The number of pairs and the seed.
fn parse(arguments: &[String]) -> Option<(u64, u64)> {
    let (mut pairs, mut seed) = (1e6, 1);
    for argument in arguments.chunks(2) {
        match argument {
            [name, value] if name == "--pairs" => pairs = value.parse().ok()?,
            [name, value] if name == "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    (1.0..=1e15)
        .contains(&pairs)
        .then_some((pairs as u64, seed))
}
