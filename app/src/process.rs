//! Runs the program itself in a process of its own, so that work that crashes or
//! hangs takes nothing else down.

use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// Between two looks at the process.
const PAUSE: Duration = Duration::from_millis(2);

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Well, with this on its standard output.
    Well(String),
    /// With an error of the program.
    Badly {
        /// Its exit code; nothing if it was killed or crashed.
        code: Option<u8>,
        /// The last line on its standard error, or what the system says.
        message: String,
    },
    /// Not within the time; it was ended.
    Timeout,
}

/// Runs the program with these arguments for at most `timeout`.
///
/// # Errors
///
/// When the program cannot be started.
pub fn run<A: AsRef<OsStr>>(arguments: &[A], timeout: Duration) -> Result<Ended, Error> {
    let failed =
        |cause: std::io::Error| Error::Failed(format!("cannot run a process for a case: {cause}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let answer = collect(child.stdout.take());
    let complaint = collect(child.stderr.take());
    let Some(status) = wait(&mut child, timeout).map_err(failed)? else {
        return Ok(Ended::Timeout);
    };
    if status.success() {
        return Ok(Ended::Well(answer.join().unwrap_or_default()));
    }
    let complaint = complaint.join().unwrap_or_default();
    let message = match last_error(&complaint) {
        Some(line) => line.to_owned(),
        None => format!("the process ended with {status}"),
    };
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Ended::Badly { code, message })
}

/// Reads a pipe to its end, so that the process never waits for us.
fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before a failure is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the process, and ends it after `timeout`; nothing if it came to that.
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// The last line of a complaint, without the program's mark.
fn last_error(complaint: &str) -> Option<&str> {
    let line = complaint
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())?;
    Some(line.trim_start_matches("heapwood: error: "))
}
