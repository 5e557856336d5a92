//! Options of pictures that are rendered in passes: until a time is used up, or until someone
//! interrupts.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::Error;
use crate::duration::parse_duration;

/// When a picture has enough samples.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PassArguments {
    /// Add samples until this time has passed, such as 500ms, 10s or 5min
    ///
    /// The picture has at least one sample per pixel. It equals that of --spp N for the N that the
    /// report states. --spp limits N [default: 65536].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, conflicts_with_all = ["runs", "ray_times"])]
    pub time_limit: Option<Duration>,
    /// On an interrupt, write the picture of the samples so far
    ///
    /// The exit code is 130. A second interrupt ends the program at once, and so does one before the
    /// first sample.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["runs", "ray_times"])]
    pub write_partial: bool,
}

impl PassArguments {
    /// Catches interrupts from here on, if they are to leave a picture.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub fn interrupts(&self) -> Result<Interrupts, Error> {
        let caught = Arc::new(AtomicBool::new(false));
        if self.write_partial {
            // In this order: the first one sees the flag before the second has set it.
            let at_once = Arc::clone(&caught);
            let code = Error::Interrupted(String::new()).exit_code();
            flag::register_conditional_shutdown(SIGINT, code.into(), at_once)
                .and_then(|_| flag::register(SIGINT, Arc::clone(&caught)))
                .map_err(|cause| Error::Failed(format!("cannot catch interrupts: {cause}")))?;
        }
        let stage = Arc::new(AtomicU8::new(BEFORE));
        if self.write_partial {
            let (caught, stage) = (Arc::clone(&caught), Arc::clone(&stage));
            thread::spawn(move || end_before_pictures(&caught, &stage));
        }
        Ok(Interrupts { caught, stage })
    }

    /// Whether pictures are rendered in passes.
    pub fn is_given(&self) -> bool {
        self.time_limit.is_some() || self.write_partial
    }

    /// The end of the time, which begins now.
    pub fn deadline(&self) -> Deadline {
        Deadline {
            begun: Instant::now(),
            limit: self.time_limit,
        }
    }
}

/// There is nothing yet that an interrupt could leave.
const BEFORE: u8 = 0;
/// Pictures are being rendered, and an interrupt waits for the samples so far.
const RENDERING: u8 = 1;
/// An interrupt ends the program.
const ENDING: u8 = 2;

/// How often an interrupt is looked for while there is nothing to leave.
const WATCH: Duration = Duration::from_millis(20);

/// Ends the program after an interrupt that comes before pictures: scenes and trees take minutes,
/// and nothing of them is kept.
fn end_before_pictures(caught: &AtomicBool, stage: &AtomicU8) {
    while stage.load(Ordering::Relaxed) == BEFORE {
        if caught.load(Ordering::Relaxed) && change(stage, ENDING) {
            let error = too_early();
            // A spinner may have drawn on the same line.
            if std::io::stderr().is_terminal() {
                eprint!("\r\x1b[K");
            }
            super::complain("error", &error);
            signal_hook::low_level::exit(error.exit_code().into());
        }
        thread::sleep(WATCH);
    }
}

/// Leaves the first stage; false if someone else has.
fn change(stage: &AtomicU8, to: u8) -> bool {
    let changed = stage.compare_exchange(BEFORE, to, Ordering::Relaxed, Ordering::Relaxed);
    changed.is_ok()
}

fn too_early() -> Error {
    Error::Interrupted("before there was a picture".to_owned())
}

/// Whether there was an interrupt.
pub struct Interrupts {
    caught: Arc<AtomicBool>,
    stage: Arc<AtomicU8>,
}

impl Interrupts {
    /// Whether there was one.
    pub fn any(&self) -> bool {
        self.caught.load(Ordering::Relaxed)
    }

    /// From here on an interrupt leaves a picture. Until here it ends the program at once.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if there was one already.
    pub fn begin(&self) -> Result<(), Error> {
        while !change(&self.stage, RENDERING) {
            // Another thread has said so, and ends the program.
            thread::sleep(WATCH);
        }
        match self.any() {
            true => Err(too_early()),
            false => Ok(()),
        }
    }
}

/// When a picture is to be there, if there is a limit.
#[derive(Clone, Copy)]
pub struct Deadline {
    begun: Instant,
    limit: Option<Duration>,
}

impl Deadline {
    /// Whether the time is used up.
    pub fn is_over(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// The milliseconds used, and of how many, if there is a limit.
    pub fn used(&self) -> Option<(u64, u64)> {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let limit = self.limit?;
        Some((ms(self.begun.elapsed().min(limit)), ms(limit)))
    }
}

/// A bar over what is done of a picture, on the standard error; silent if that is not a terminal.
pub struct PassBar {
    bar: ProgressBar,
    deadline: Deadline,
    /// The unit that is counted.
    unit: &'static str,
    /// Which picture it is, if there are several.
    what: String,
}

impl PassBar {
    /// One of a picture that has time until the deadline, in passes or in runs.
    pub fn new(deadline: Deadline, is_in_passes: bool, what: &str) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(1).with_style(style);
        bar.set_message(format!("{what}rendering"));
        Self {
            bar,
            deadline,
            unit: match is_in_passes {
                true => "samples",
                false => "launches",
            },
            what: what.to_owned(),
        }
    }

    /// So many are done, and there are so many at most.
    pub fn show(&self, done: u64, of: u64) {
        let (unit, what) = (self.unit, &self.what);
        // Whichever is closer to its end is what ends the picture.
        let parts = |(done, of): (u64, u64)| done as f64 / of.max(1) as f64;
        let (time, work) = (self.deadline.used(), (done, of));
        let (at, end) = match time {
            Some(time) if parts(time) > parts(work) => time,
            _ => work,
        };
        self.bar.set_length(end);
        self.bar.set_position(at);
        self.bar.set_message(match time {
            Some((ms, limit_ms)) => {
                let [seconds, limit] = [ms, limit_ms].map(|ms| ms as f64 * 1e-3);
                format!("{what}{done} {unit}, {seconds:.1} of {limit:.1} s")
            }
            None => format!("{what}{done} of {of} {unit}"),
        });
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
