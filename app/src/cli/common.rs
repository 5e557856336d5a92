//! Options that several commands share.

use std::time::Duration;

use clap::Args;

use super::complain;
use crate::Error;
use crate::backend::{Choice, LAUNCH_LIMIT, Options};

/// Which machine runs the kernels.
#[derive(Clone, Debug, Args)]
pub struct BackendArguments {
    /// Where to run: the GPU if there is one, or what is named here
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// Number of the GPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: u32,
    /// Worker threads of the CPU backend [default: one a core]
    #[arg(long, value_name = "N", value_parser = parse_workers)]
    cpu_threads: Option<usize>,
}

fn parse_workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("write a number from 1 to 1024".to_owned()),
    }
}

impl BackendArguments {
    /// The backend to open; says on the standard error why it is the CPU where
    /// that was not asked for.
    ///
    /// # Errors
    ///
    /// When what was asked for cannot run.
    pub fn decide(&self, limit: Option<Duration>) -> Result<Options, Error> {
        let options = Options {
            choice: self.backend,
            device: self.device,
            threads: self.cpu_threads,
            limit: limit.unwrap_or(LAUNCH_LIMIT),
        };
        let (options, why) = options.decide()?;
        if let Some(why) = why {
            complain("note", &format_args!("running on the CPU: {why}"));
        }
        Ok(options)
    }
}

/// A time limit in seconds.
///
/// # Errors
///
/// For what is not a positive number of seconds up to a day.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('s').trim_end().parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("write a number of seconds above 0, at most 86400".to_owned()),
    }
}
