//! `cargo xtask shape-campaign`: builds every tree of every shape of the families, checks it, and
//! looks at closed shapes from inside.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use heapwood_tests::random::Random;
use heapwood_tests::shapes::campaign;
use heapwood_tests::shapes::variant::Form;

const USAGE: &str = "usage: cargo xtask shape-campaign [--shapes N] [--seed S] [--part K/M]; without N, \
    all shapes; with K/M, every Mth of them from the Kth on";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(wanted) = Wanted::parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let forms = wanted.forms();
    let start = Instant::now();
    let report = campaign::run(&forms);
    println!(
        "shape-campaign: seed {}, part {}/{}, {:.1} s",
        wanted.seed,
        wanted.part.0,
        wanted.part.1,
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

/// The shapes of a run.
struct Wanted {
    /// How many are drawn; all are taken if none.
    count: Option<usize>,
    seed: u64,
    /// The run takes every `part.1`th shape, from the `part.0`th on, which counts from 1.
    part: (usize, usize),
}

impl Wanted {
    fn parse(arguments: &[String]) -> Option<Self> {
        let mut wanted = Self {
            count: None,
            seed: 1,
            part: (1, 1),
        };
        for argument in arguments.chunks(2) {
            match argument {
                [name, value] if name == "--shapes" => wanted.count = Some(value.parse().ok()?),
                [name, value] if name == "--seed" => wanted.seed = value.parse().ok()?,
                [name, value] if name == "--part" => {
                    let (part, parts) = value.split_once('/')?;
                    wanted.part = (part.parse().ok()?, parts.parse().ok()?);
                }
                _ => return None,
            }
        }
        let (part, parts) = wanted.part;
        (1..=parts).contains(&part).then_some(wanted)
    }

    fn forms(&self) -> Vec<Form> {
        let (part, parts) = self.part;
        let mut random = Random(self.seed);
        let forms: Vec<Form> = match self.count {
            Some(count) => (0..count).map(|_| Form::draw(&mut random)).collect(),
            None => Form::all().collect(),
        };
        forms.into_iter().skip(part - 1).step_by(parts).collect()
    }
}
