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

/// What is said of a process that ended well and answered nothing: it was not the program that
/// ended it.
pub const ENDED: &str = "the allocator, or what it calls, has ended the process";

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Well, with this on its standard output.
    Well(String),
    /// With an error.
    Badly {
        /// Its exit code, if it was the program that ended with it; nothing if something else
        /// ended the process, as a crash does.
        code: Option<u8>,
        /// The program's error, or else the last line on the standard error, or what the system
        /// says.
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
    if let Some(error) = error_in(&complaint) {
        let message = error.to_owned();
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(Ended::Badly { code, message });
    }
    let message = match last_line(&complaint) {
        Some(line) => format!("{line} ({status})"),
        None => format!("the process ended with {status}"),
    };
    Ok(Ended::Badly {
        code: None,
        message,
    })
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

/// What the program said when it failed. Code of others may have printed before and after that.
fn error_in(complaint: &str) -> Option<&str> {
    let mut lines = complaint.lines().rev();
    lines.find_map(|line| Some(line.split_once("heapwood: error: ")?.1))
}

/// The last line of a complaint that says something.
fn last_line(complaint: &str) -> Option<&str> {
    let mut lines = complaint.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_found_between_what_others_print() {
        let complaint = "heapwood: note: x\nhelloheapwood: error: no pool\nbye\n\n";
        assert_eq!(error_in(complaint), Some("no pool"));
        assert_eq!(last_line(complaint), Some("bye"));
        assert_eq!(error_in("thread panicked\n\n"), None);
        assert_eq!(last_line("thread panicked\n\n"), Some("thread panicked"));
        assert_eq!(last_line("\n"), None);
    }
}
