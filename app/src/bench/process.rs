//! A case in a process of its own, so that one that crashes or hangs is a row
//! like any other.
//!
//! The program starts itself with the hidden command `case` and the case as
//! JSON, and reads the row from its standard output.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Case, Row, Status, measure};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::Facts;

/// Between two looks at the process.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs a case in a new process; the row says how it ended.
///
/// # Errors
///
/// When the program cannot start itself.
pub fn ask(case: &Case, spec: &Spec, facts: &Facts, timeout: Duration) -> Result<Row, Error> {
    let failed = |what: &str, cause: &dyn std::fmt::Display| {
        Error::Failed(format!("cannot {what} a process for a case: {cause}"))
    };
    let program =
        std::env::current_exe().map_err(|cause| failed("find the program for", &cause))?;
    let text = serde_json::to_string(case).map_err(|cause| failed("describe", &cause))?;
    let mut child = Command::new(program)
        .args(["case", &text])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|cause| failed("start", &cause))?;
    let answer = collect(child.stdout.take());
    let complaint = collect(child.stderr.take());
    let ended = wait(&mut child, timeout).map_err(|cause| failed("wait for", &cause))?;
    let row = Row::new(case, spec, facts);
    let Some(status) = ended else {
        let why = format!("not done after {} s", timeout.as_secs_f64());
        return Ok(row.ended(Status::Timeout, why));
    };
    let answer = answer.join().unwrap_or_default();
    Ok(match serde_json::from_str(&answer) {
        Ok(row) => row,
        Err(_) => {
            let complaint = complaint.join().unwrap_or_default();
            row.ended(Status::Fault, how_it_died(status, &complaint))
        }
    })
}

/// What the process that [`ask`] started does: measures the case and returns
/// its row as JSON.
///
/// # Errors
///
/// When the case makes no sense or its backend does not open.
pub fn answer(case: &str) -> Result<String, Error> {
    let case: Case = serde_json::from_str(case)
        .map_err(|cause| Error::Usage(format!("this is no case: {cause}")))?;
    let spec = Spec::parse(&case.allocator).map_err(Error::Usage)?;
    let backend = case.backend.open()?;
    let row = measure(&backend, &spec, &case);
    serde_json::to_string(&row).map_err(|cause| Error::Failed(cause.to_string()))
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

/// The last line that the process wrote, or how it ended.
fn how_it_died(status: ExitStatus, complaint: &str) -> String {
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(line) => line.trim_start_matches("heapwood: error: ").to_owned(),
        None => format!("the process ended with {status}"),
    }
}
