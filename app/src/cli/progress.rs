//! The input of commands on the terminal: a spinner while it is read, and notes about its files.

use std::path::Path;

use heapwood_graphs::Note;
use heapwood_scenes::Loaded;
use indicatif::ProgressBar;

use super::common::{read_apart, spinner};
use super::{complain, hints};
use crate::Error;
use crate::job::Progress;
use crate::meta::offset_of;

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

    /// Shows so many steps of work from now on, until this is dropped.
    pub fn steps(&mut self, steps: usize, message: &'static str) {
        let bar = super::common::progress(steps);
        bar.set_message(message);
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
