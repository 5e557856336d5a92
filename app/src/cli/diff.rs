//! `heapwood diff`: how much two pictures differ.

use std::path::PathBuf;

use clap::Args;
use heapwood_results::diff::DiffReport;

use super::common::read_apart;
use super::suffix::{self, Exporter};
use crate::Error;
use crate::diff::{Difference, Image};
use crate::output::Output;
use crate::report::Format;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood diff reference.png test.png --tolerance 2 --allow 0.1
  heapwood diff reference.png test.png --max-flip 0.05 --output flip.png";

/// Arguments of `heapwood diff`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Reference picture, a PNG file
    #[arg(value_name = "REFERENCE")]
    reference: PathBuf,
    /// Picture to compare with it, a PNG file
    #[arg(value_name = "TEST")]
    test: PathBuf,
    /// Max difference of equal pixels, in levels of 255
    ///
    /// The max of all channels counts.
    #[arg(long, value_name = "LEVELS", default_value_t = 0)]
    tolerance: u8,
    /// Max percentage of pixels that may differ
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value_t = 0.0)]
    allow: f64,
    /// Max mean of FLIP, from 0 to 1, in place of --allow
    #[arg(long, value_name = "FLIP", value_parser = unit, conflicts_with = "allow")]
    max_flip: Option<f64>,
    /// Write FLIP per pixel to this PNG file, from black for 0 to white for 1
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format: text, json, csv or markdown
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        default_value_t
    )]
    format: Format,
}

fn percent(text: &str) -> Result<f64, String> {
    within(text, 100.0)
}

fn unit(text: &str) -> Result<f64, String> {
    within(text, 1.0)
}

fn within(text: &str, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=most).contains(&value) => Ok(value),
        _ => Err(format!("`{text}` is not a number from 0 to {most}")),
    }
}

/// Compares two pictures; an error if they differ more than is allowed.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let target = match &arguments.output {
        Some(path) => {
            let read = [&arguments.reference, &arguments.test].map(PathBuf::as_path);
            read_apart(read, &[Some(path)])?;
            suffix::check(path, &["png"])?;
            Some(Output::open(path)?)
        }
        None => None,
    };
    let reference = Image::read(&arguments.reference)?;
    let test = Image::read(&arguments.test)?;
    let found = Difference::between(&reference, &test, arguments.tolerance)?;
    if let Some(target) = target {
        target.write(&found.png()?)?;
    }
    let measures = found.measures;
    let mut report = DiffReport {
        reference: arguments.reference.display().to_string(),
        test: arguments.test.display().to_string(),
        tolerance: arguments.tolerance,
        measures,
        is_over: false,
    };
    let percent = 100.0 * measures.fraction();
    let over = match arguments.max_flip {
        Some(most) => (measures.flip > most)
            .then(|| format!("FLIP is {:.6}, more than {most}", measures.flip)),
        None => (percent > arguments.allow).then(|| {
            format!(
                "{} of {} pixels differ by more than {}, {percent:.4} %",
                measures.differing, measures.pixels, arguments.tolerance
            )
        }),
    };
    report.is_over = over.is_some();
    let verdict = match over {
        Some(what) => Err(Error::Verification(format!(
            "{} and {}: {what}",
            report.reference, report.test
        ))),
        None => Ok(()),
    };
    Exporter::open(Some(arguments.format), None)?.conclude(&report, verdict)
}
