//! Commands on the terminal: a spinner while input is read, notes about its files, and a bar while
//! the job runs.

use std::path::Path;

use heapwood_graphs::Note;
use heapwood_scenes::Loaded;
use indicatif::ProgressBar;

use super::common::{progress, read_apart, spinner};
use super::suffix::Exporter;
use super::{complain, hints};
use crate::Error;
use crate::job::{MeasuredJob, Progress};
use crate::meta::offset_of;
use crate::report::Report;

/// Shows on the standard error how far a command is, and notes about its input.
pub struct TerminalProgress<'a> {
    /// Outputs of the command, which may be none of the files that a scene names.
    written: &'a [Option<&'a Path>],
    spinners: Vec<ProgressBar>,
    bar: Option<ProgressBar>,
}

impl<'a> TerminalProgress<'a> {
    /// That of a command with these outputs.
    pub fn new(written: &'a [Option<&'a Path>]) -> Self {
        Self {
            written,
            spinners: Vec::new(),
            bar: None,
        }
    }

    /// Runs a job on input that was read, under a bar. `complete` gets the report and the result, and
    /// may add to the report; the exporter then writes that.
    ///
    /// # Errors
    ///
    /// A backend that does not open, and the errors of the job, of `complete` and of writing.
    pub fn execute<J: MeasuredJob<Report: Report>>(
        mut self,
        job: &J,
        input: J::Input<'_>,
        exporter: &Exporter,
        complete: impl for<'b> FnOnce(&mut J::Report, J::Left<'b>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let backend = job.backend().open()?;
        self.show_bar::<J>(job.steps(input));
        let (mut report, left) = job.measure(input, &*backend, &mut self)?;
        drop(self);
        complete(&mut report, left)?;
        exporter.write(&report)
    }

    /// Shows a bar for so many steps of a job.
    pub(super) fn show_bar<J: MeasuredJob>(&mut self, steps: usize) {
        let bar = progress(steps);
        bar.set_message(J::STEPS);
        self.bar = Some(bar);
    }
}

impl Drop for TerminalProgress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for TerminalProgress<'_> {
    fn begin(&mut self, what: String) {
        self.spinners.push(spinner(what));
    }

    fn end(&mut self) {
        if let Some(spinner) = self.spinners.pop() {
            spinner.finish_and_clear();
        }
    }

    /// Prints the warnings and notes of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the command writes a file that the scene reads: its own, a material
    /// library, a texture or a buffer.
    fn scene(&mut self, path: &Path, loaded: &Loaded) -> Result<(), Error> {
        read_apart(&loaded.files, self.written)?;
        for warning in &loaded.warnings {
            complain("warning", warning);
        }
        if let Some([x, y, z]) = offset_of(&loaded.scene) {
            self.note(format!(
                "{}: far from the origin, the tree is built relative to {x},{y},{z}; cameras, lights \
                 and files keep the coordinates of the scene",
                path.display()
            ));
        }
        let report = &loaded.report;
        if report.kept < report.read {
            self.note(format!("{}: {report}", path.display()));
        }
        Ok(())
    }

    fn graph(&mut self, source: &str, note: &Note) {
        self.note(format!("{source}: {note}{}", hints::of_note(note)));
    }

    fn note(&mut self, note: String) {
        complain("note", &note);
    }

    fn step(&mut self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}
