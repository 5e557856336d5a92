//! `heapwood bench survey`: the benchmarks of a survey of allocators, as one table.

use std::path::PathBuf;

use clap::{Arg, Args};

use super::cases::CasesArguments;
use super::progress::TerminalProgress;
use crate::Error;
use crate::duration::parse_seconds;
use crate::generate::{GraphSpec, Source, source};
use crate::job::{InputOptions, Survey, SurveyFigure, SurveySizes, survey_rows, survey_verdict};
use crate::workload::micro::Plan;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood bench survey --quick --allocators cfmalloc,gallatin
  heapwood bench survey --figures 9ab,9c,11b --allocators all -o survey.csv
  heapwood bench survey --figures 11f,11g --graphs graphs/data/triangulation.graph";

/// The first paragraph of the help of figures.
const FIGURES: &str = "Figures of the survey [default: all]";

/// Figures, allocators, sizes.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("pool", |pool| one_pool(pool).default_value("8GiB").default_value_if("quick", "true", "64MiB")),
    mut_arg("runs", |runs| runs.default_value("100").default_value_if("quick", "true", "3"))
)]
pub struct Arguments {
    // Its help lists the figures.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_figure, help = FIGURES, long_help = figures_help())]
    figures: Vec<SurveyFigure>,
    /// Graphs of 11f, 11g and uniform [default: generated]
    ///
    /// A graph is a file, or gen:KIND,OPTION=VALUE,... with the options of `heapwood generate graph`.
    #[arg(long, value_name = "GRAPH", num_args = 1.., value_parser = source::<GraphSpec>())]
    graphs: Vec<Source<GraphSpec>>,
    /// Small sizes, at most 3 samples and a pool of 64 MiB, for a trial
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    plan: Plan,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    #[command(flatten)]
    cases: CasesArguments,
}

/// Runs all cases, writes the table, and fails if a case did, or none succeeded.
pub fn run(arguments: Arguments) -> Result<(), Error> {
    let sizes = match arguments.quick {
        true => SurveySizes::quick(),
        false => SurveySizes::published(),
    };
    let mut sizes = sizes.map_err(|error| Error::Failed(error.to_string()))?;
    if !arguments.graphs.is_empty() {
        sizes.graphs = arguments.graphs;
    }
    let figures = match arguments.figures.is_empty() {
        true => SurveyFigure::ALL.to_vec(),
        false => arguments.figures,
    };
    let inputs: Vec<InputOptions> = sizes
        .graphs
        .iter()
        .cloned()
        .map(InputOptions::new)
        .collect();
    let files: Vec<PathBuf> = inputs.iter().flat_map(InputOptions::files).collect();
    let files = files.iter().map(PathBuf::as_path);
    let context = arguments.cases.open_reading(arguments.timeout, files)?;
    let [pool_bytes] = arguments.cases.pool[..] else {
        return Err(Error::Usage("--pool: a survey has one".to_owned()));
    };
    let survey = Survey {
        figures,
        sizes,
        allocators: context.specs.clone(),
        pool_bytes,
        plan: arguments.plan,
        backend: context.backend.clone(),
    };
    if survey.has_graphs() {
        // Every process reads its graph; an error in a file is found before them.
        let mut progress = TerminalProgress::new(&[]);
        for input in &inputs {
            input.look(false, &mut progress)?;
        }
    }
    let jobs = survey.jobs();
    let measured = context.run_then(&jobs, ToString::to_string, |measured| {
        let (Some(done), next) = (measured.len().checked_sub(1), jobs.get(measured.len())) else {
            return Ok(());
        };
        match jobs[done].ends_figure(next) {
            true => context.exporter.save(&survey_rows(&jobs, measured)[..]),
            false => Ok(()),
        }
    })?;
    let rows = survey_rows(&jobs, &measured);
    context
        .exporter
        .conclude(&rows[..], survey_verdict(&measured))
}

/// The option of one pool instead of several.
fn one_pool(pool: Arg) -> Arg {
    pool.value_delimiter(None)
        .value_name("SIZE")
        .help("Pool of each allocator")
}

/// The names of all figures.
fn names() -> String {
    SurveyFigure::ALL.map(SurveyFigure::name).join(", ")
}

/// The help of the option that lists figures.
fn figures_help() -> String {
    format!("{FIGURES}\n\nA comma separates them: {}.", names())
}

fn parse_figure(text: &str) -> Result<SurveyFigure, String> {
    let mut figures = SurveyFigure::ALL.into_iter();
    let found = figures.find(|figure| figure.name() == text);
    found.ok_or_else(|| format!("there is no such figure; write some of {}", names()))
}
