//! Options that several commands share.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::complain;
use super::hints::explain;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{BackendError, LAUNCH_LIMIT, Options, tell_of_long_calls};
use crate::job::{Ended, Linking, run_in_child};
use crate::link::{LinkError, LinkOptions};
use crate::output;
use crate::size::{self, ParseSizeError};

/// The backend to open; says on the standard error why it is the CPU where
/// that was not asked for.
///
/// # Errors
///
/// When what was asked for cannot run.
pub fn decide(asked: &Options, limit: Option<Duration>) -> Result<Options, Error> {
    let limit = limit.unwrap_or(LAUNCH_LIMIT);
    let asked = Options {
        limit,
        ..asked.clone()
    };
    let (options, why) = asked.decide()?;
    if let Some(why) = why {
        complain(
            "note",
            &format_args!("running on the CPU: {}", explain(&why.into())),
        );
    }
    Ok(options)
}

/// Where an allocator of the user's is.
#[derive(Clone, Debug, Default, Args)]
pub struct LinkArguments {
    /// File with the functions of the allocator external
    ///
    /// It is a cubin, fatbin, object or PTX file, or a shared library for the CPU or for the memory
    /// of pool=own. The option may be repeated (docs/external-allocators.md).
    #[arg(
        long,
        help_heading = "Allocator",
        hide_short_help = true,
        value_name = "FILE"
    )]
    link: Vec<PathBuf>,
    /// Compile the PTX of --link into the kernels' own modules
    ///
    /// Kernels take fewer registers, and longer to load.
    #[arg(
        long,
        help_heading = "Allocator",
        requires = "link",
        hide_short_help = true
    )]
    merge: bool,
}

impl LinkArguments {
    /// Makes sure that files are given if one of the allocators is in them, and only then.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`].
    pub fn check<'a>(&self, specs: impl IntoIterator<Item = &'a Spec>) -> Result<(), Error> {
        let is_named = specs.into_iter().any(Spec::is_external);
        match (is_named, self.link.is_empty()) {
            (true, true) => Err(BackendError::from(LinkError::Nothing).into()),
            (false, false) => Err(Error::Usage(
                "--link has the functions of the allocator external: name that one, too".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The same, but the files may be left out.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`].
    pub fn check_use<'a>(&self, specs: impl IntoIterator<Item = &'a Spec>) -> Result<(), Error> {
        match self.is_empty() {
            true => Ok(()),
            false => self.check(specs),
        }
    }

    /// The files, which the command reads.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.link.iter().map(PathBuf::as_path)
    }

    /// Whether no file is given.
    pub fn is_empty(&self) -> bool {
        self.link.is_empty()
    }

    /// The backend to open, with these files. Output of their code goes to the standard error
    /// from now on.
    ///
    /// # Errors
    ///
    /// As for [`decide()`]. Errors in the files are found when it is opened, and when
    /// kernels are linked with them.
    pub fn decide(&self, backend: &Options, limit: Option<Duration>) -> Result<Options, Error> {
        let link = LinkOptions {
            files: self.link.clone(),
            merge: self.merge,
        };
        let options = decide(backend, limit)?;
        if !link.files.is_empty() {
            output::keep_for_results();
            tell_of_long_calls(|line| complain("note", &line));
        }
        Ok(Options { link, ..options })
    }

    /// The same for a run of many cases over these allocators, each in a process of its own that
    /// is ended after `timeout`: the files were linked once, so that an error in them is not in
    /// every row.
    ///
    /// # Errors
    ///
    /// As for [`decide()`], and for errors in the files.
    pub fn decide_for_cases(
        &self,
        backend: &Options,
        timeout: Duration,
        specs: &[Spec],
    ) -> Result<Options, Error> {
        let options = self.decide(backend, Some(timeout))?;
        if let Some(linking) = Linking::of(&options, specs) {
            linked(run_in_child(&linking, timeout)?)?;
        }
        Ok(options)
    }
}

/// Makes sure that files were linked in a process of their own.
fn linked(ended: Ended<()>) -> Result<(), Error> {
    Err(Error::Failed(match ended {
        Ended::Report(()) => return Ok(()),
        Ended::Badly {
            code: Some(code),
            message,
        } => return Err(Error::Relayed { code, message }),
        Ended::Badly { message, .. } => format!("--link: a file of it has crashed: {message}"),
        Ended::Silent | Ended::Garbled(_) => {
            "--link: a file of it has ended the process".to_owned()
        }
        Ended::Timeout(limit) => format!(
            "--link: not linked after {} s: use a larger --timeout",
            limit.as_secs_f64()
        ),
    }))
}

/// A bar over cases on the standard error; silent if that is not a terminal.
pub fn progress(cases: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(cases as u64).with_style(style)
}

/// A size of at least a byte.
///
/// # Errors
///
/// [`ParseSizeError::Size`] or [`ParseSizeError::Empty`].
pub fn parse_bytes(text: &str) -> Result<u64, ParseSizeError> {
    match size::parse(text)? {
        0 => Err(ParseSizeError::Empty),
        bytes => Ok(bytes),
    }
}

/// Makes sure that each thing that a command writes has a file of its own, which it does not
/// read. A file may be read twice.
///
/// # Errors
///
/// [`Error::Usage`] with the file that is named twice.
pub fn read_apart(
    read: impl IntoIterator<Item = impl AsRef<Path>>,
    written: &[Option<&Path>],
) -> Result<(), Error> {
    let read: Vec<_> = read.into_iter().collect();
    let written = || written.iter().copied().flatten();
    different_files(written())?;
    read.iter()
        .try_for_each(|read| different_files(std::iter::once(read.as_ref()).chain(written())))
}

/// Rejects a command line that names one file as both input and output, or as two outputs.
/// Devices and pipes may repeat.
///
/// # Errors
///
/// [`Error::Usage`] with the file that is named twice.
fn different_files<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for path in paths {
        if path.exists() && !path.is_file() {
            continue;
        }
        // A file that does not exist yet has no other name than its own.
        let place = path.canonicalize().or_else(|_| std::path::absolute(path));
        let place = place.unwrap_or_else(|_| path.to_owned());
        if !seen.insert(place) {
            let name = path.display();
            return Err(Error::Usage(format!(
                "{name} is named twice, or read together with another file: what is read and each thing \
                 written take a file of their own"
            )));
        }
    }
    Ok(())
}

/// Shows on the standard error that something goes on; silent if that is not a
/// terminal.
pub fn spinner(message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
