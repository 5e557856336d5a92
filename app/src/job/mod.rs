//! Jobs: what is measured, as a value that JSON can hold.
//!
//! A job names its input and has all options of the measurement, so that it runs here or in a process of
//! its own ([`run_in_child`]), and the same over many allocators. Its report is a value, too.
//!
//! ```
//! use heapwood::backend::{Choice, Options};
//! use heapwood::generate::Source;
//! use heapwood::job::{Job, TreeJob, TreeOptions};
//!
//! let job = TreeJob {
//!     scene: Source::parse("gen:knot".into())?,
//!     allocator: Some(heapwood::allocators::Spec::parse("cfmalloc")?),
//!     check_heap: false,
//!     runs: 3,
//!     verify: true,
//!     tree: TreeOptions::default(),
//!     backend: Options { choice: Choice::Cpu, ..Options::default() },
//! };
//! let job: TreeJob = serde_json::from_str(&serde_json::to_string(&job)?)?;
//! let report = job.run(&*job.backend.open()?, &mut ())?;
//! assert_eq!(report.build_ms.samples.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bench;
mod call;
mod child;
mod frames;
mod gap;
mod graph;
mod graphalytics;
mod linking;
mod scenes;
mod sensitivity;
mod steps;
mod survey;
mod tree;

use std::ffi::OsString;
use std::path::Path;

use heapwood_graphs::Note;
use heapwood_scenes::Loaded;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use bench::{BenchJob, Runner};
pub use call::call_costs;
pub use child::{Ended, answer, run_in_child};
pub use frames::FramesJob;
pub use gap::GapJob;
pub use graph::{
    AlgorithmOptions, EdgeSource, EventOptions, GraphJob, InputOptions, MAX_BATCH_EDGES,
    StorageOptions, UpdateOptions, VertexSelection, WorkOptions,
};
pub use graphalytics::{GraphalyticsJob, read_dataset};
pub use heapwood_results::survey::SurveyFigure;
pub use linking::Linking;
pub use scenes::{load_frames, load_scene, make_scene};
pub use sensitivity::{DelayedJob, SensitivityJob};
pub use steps::{StepsJob, StepsOptions};
pub use survey::{Survey, SurveyJob, SurveyMeasurement, SurveySizes, survey_rows, survey_verdict};
pub use tree::{TreeJob, TreeOptions};

use crate::Error;
use crate::backend::{Backend, Options};
use crate::graph::algorithms::Flags;

/// Work that can be written down.
pub trait Job: Serialize + DeserializeOwned {
    /// The name of such jobs, by which a child process tells them apart.
    const KIND: &'static str;

    /// Its result.
    type Report: Serialize + DeserializeOwned;

    /// The backend, once decided.
    fn backend(&self) -> &Options;

    /// Reads the input and does the work.
    ///
    /// # Errors
    ///
    /// Input that cannot be used, memory that does not suffice, and results that are wrong.
    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<Self::Report, Error>;
}

/// A job that leaves more than its report, over input that was read: [`Job::run`] stands on it.
pub trait MeasuredJob: Job {
    /// The unit of its steps, for people.
    const STEPS: &'static str;

    /// The input, once read.
    type Input<'i>: Copy;

    /// The result on the backend.
    type Left<'b>;

    /// How many steps an observer will see.
    fn steps(&self, input: Self::Input<'_>) -> usize;

    /// Does the work and measures it; returns its result beside the report.
    ///
    /// # Errors
    ///
    /// Memory that does not suffice, and results that are wrong.
    fn measure<'b>(
        &self,
        input: Self::Input<'_>,
        backend: &'b dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(Self::Report, Self::Left<'b>), Error>;
}

/// An observer of a job. By default it does nothing, as `()` does.
pub trait Progress {
    /// Reading or making of input has begun.
    fn begin(&mut self, _what: String) {}

    /// It has ended, well or not.
    fn end(&mut self) {}

    /// A scene was read from a file.
    ///
    /// # Errors
    ///
    /// Those of an observer that refuses the file.
    fn scene(&mut self, _path: &Path, _loaded: &Loaded) -> Result<(), Error> {
        Ok(())
    }

    /// A graph was read from this source, and something about it is odd.
    fn graph(&mut self, source: &str, note: &Note) {
        self.note(format!("{source}: {note}"));
    }

    /// Something about the input is odd.
    fn note(&mut self, _note: String) {}

    /// A build or a run has ended.
    fn step(&mut self) {}
}

impl Progress for () {}

/// The options of a job as the command line would have them, without
/// its input, its allocator and layout, whatever is linked, and the defaults of algorithms.
///
/// # Errors
///
/// When the job cannot be written down.
pub fn options(job: &impl Serialize) -> Result<Vec<String>, Error> {
    let usual = all_options(&Flags::default())?;
    let mut options = all_options(job)?;
    options.retain(|option| !usual.contains(option));
    Ok(options)
}

fn all_options(value: &impl Serialize) -> Result<Vec<String>, Error> {
    // By the text: numbers of 32 bits have more digits as values of 64 bits.
    let value = serde_json::from_str(&text_of(value)?);
    let value = value.map_err(|error| Error::Failed(error.to_string()))?;
    let mut options = Vec::new();
    add_options("", &value, &mut options);
    Ok(options)
}

/// Keys of a job that rows of a comparison have beside the options, or that no result depends on.
const BESIDE_OPTIONS: [&str; 8] = [
    "allocator",
    "graph",
    "layout",
    "limit",
    "link",
    "reference",
    "scene",
    "trace",
];

fn add_options(name: &str, value: &Value, options: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => options.push(format!("--{name}")),
        Value::String(text) => options.push(format!("--{name}={text}")),
        Value::Number(number) => options.push(format!("--{name}={number}")),
        Value::Array(values) => values
            .iter()
            .for_each(|value| add_options(name, value, options)),
        Value::Object(object) => match OsString::deserialize(value) {
            // The name of a file that is no text.
            Ok(word) => options.push(format!("--{name}={}", word.display())),
            Err(_) => object
                .iter()
                .filter(|(key, _)| !BESIDE_OPTIONS.contains(&key.as_str()))
                .for_each(|(key, value)| add_options(key, value, options)),
        },
    }
}

/// A job as JSON.
fn text_of(job: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(job);
    text.map_err(|error| Error::Failed(format!("cannot describe a case: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::Spec;
    use crate::generate::Source;

    fn job(scene: OsString) -> TreeJob {
        TreeJob {
            scene: Source::parse(scene).unwrap(),
            allocator: Some(Spec::parse("cmalloc:walk=paper,frag=2").unwrap()),
            check_heap: true,
            runs: 3,
            verify: false,
            tree: TreeOptions {
                empty_bonus: Some(0.2),
                pool: crate::size::Pool::Times(1.5),
                ..TreeOptions::default()
            },
            backend: Options::default(),
        }
    }

    #[test]
    fn options_are_those_of_the_command_line_that_rows_do_not_name_otherwise() {
        let found = options(&job("a.obj".into())).unwrap();
        let expected = [
            "--backend=auto",
            "--check-heap",
            "--device=0",
            "--empty-bonus=0.2",
            "--pool=1.5x",
            "--quality=balanced",
            "--runs=3",
        ];
        let mut sorted = found.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
    }

    #[cfg(unix)]
    #[test]
    fn jobs_come_back_from_json_with_names_that_are_no_text() {
        use std::os::unix::ffi::OsStringExt;
        let name = OsString::from_vec(b"a\xff.obj".to_vec());
        for name in [name, "gen:knot,levels=1".into()] {
            let mut job = job(name);
            job.backend.link.files = vec![b"b\xff.so".to_vec()]
                .into_iter()
                .map(|file| OsString::from_vec(file).into())
                .collect();
            let back: TreeJob = serde_json::from_str(&text_of(&job).unwrap()).unwrap();
            assert_eq!(format!("{back:?}"), format!("{job:?}"));
        }
    }
}
