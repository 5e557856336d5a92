//! `cargo xtask shape-campaign`: builds every tree of every shape of the families, checks it, and
//! looks at closed shapes from inside.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use heapwood_tests::random::Random;
use heapwood_tests::shapes::campaign;
use heapwood_tests::shapes::variant::Form;

const USAGE: &str =
    "usage: cargo xtask shape-campaign [--shapes N] [--seed S]; without N, all shapes";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((count, seed)) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let forms: Vec<Form> = match count {
        Some(count) => {
            let mut random = Random(seed);
            (0..count).map(|_| Form::draw(&mut random)).collect()
        }
        None => Form::all().collect(),
    };
    let start = Instant::now();
    let report = campaign::run(&forms);
    println!(
        "shape-campaign: seed {seed}, {} threads, {:.1} s",
        rayon::current_num_threads(),
        start.elapsed().as_secs_f64()
    );
    print!("{report}");
    if report.is_right() {
        println!("no fault");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The number of shapes, all if none, and the seed.
fn parse(arguments: &[String]) -> Option<(Option<usize>, u64)> {
    let (mut shapes, mut seed) = (None, 1);
    for argument in arguments.chunks(2) {
        match argument {
            [name, value] if name == "--shapes" => shapes = Some(value.parse().ok()?),
            [name, value] if name == "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((shapes, seed))
}
