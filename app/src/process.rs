//! Runs the program itself in a process of its own, so that work that crashes or
//! hangs takes nothing else down.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// Between two looks at the process.
const PAUSE: Duration = Duration::from_millis(2);

/// How long what a process has written is waited for in any case when it has ended: it is in the
/// pipe by then, and is read within microseconds.
const REST: Duration = Duration::from_millis(500);

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
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

/// Runs the program with these arguments and this on its standard input for at most `timeout`.
///
/// # Errors
///
/// When the program cannot be started.
pub fn run<A: AsRef<OsStr>>(
    arguments: &[A],
    input: Vec<u8>,
    timeout: Duration,
) -> Result<Exit, Error> {
    let failed =
        |cause: std::io::Error| Error::Failed(format!("cannot run a process for a case: {cause}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(arguments);
    run_command(&mut command, input, timeout).map_err(failed)
}

/// Runs a command for at most `timeout`. Processes that it has started and that outlive it may hold
/// its pipes open: those are read until then and no longer.
fn run_command(command: &mut Command, input: Vec<u8>, timeout: Duration) -> std::io::Result<Exit> {
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A process that ignores its input leaves it in the pipe, and may leave the writer waiting
        // until it ends; its exit says whether that was an error.
        thread::spawn(move || pipe.write_all(&input));
    }
    let answer = Collected::from(child.stdout.take());
    let complaint = Collected::from(child.stderr.take());
    let Some(status) = wait(&mut child, timeout)? else {
        return Ok(Exit::Timeout);
    };
    let left = || timeout.saturating_sub(begun.elapsed()).max(REST);
    if status.success() {
        return Ok(Exit::Well(answer.within(left())));
    }
    let complaint = complaint.within(left());
    if let Some(error) = error_in(&complaint) {
        let message = error.to_owned();
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(Exit::Badly { code, message });
    }
    let message = match last_line(&complaint) {
        Some(line) => format!("{line} ({status})"),
        None => format!("the process ended with {status}"),
    };
    Ok(Exit::Badly {
        code: None,
        message,
    })
}

/// The bytes that a thread reads from a pipe to its end, so that the process never waits for us.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Is disconnected at the end of the pipe.
    end: Receiver<()>,
}

impl Collected {
    fn from(pipe: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (open, end) = channel();
        let read = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut part = [0; 4096];
            if let Some(mut pipe) = pipe {
                loop {
                    match pipe.read(&mut part) {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        // There is nothing beyond the bytes before a failure.
                        Ok(0) | Err(_) => break,
                        Ok(count) => locked(&read).extend(&part[..count]),
                    }
                }
            }
            drop(open);
        });
        Self { bytes, end }
    }

    /// All of it, or what there is after so long.
    fn within(self, time: Duration) -> String {
        // Nothing is sent: either the pipe ends or the time does.
        let _ = self.end.recv_timeout(time);
        String::from_utf8_lossy(&locked(&self.bytes)).into_owned()
    }
}

fn locked(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The error message of the program. Code of others may have printed before and after it.
fn error_in(complaint: &str) -> Option<&str> {
    let mut lines = complaint.lines().rev();
    lines.find_map(|line| Some(line.split_once("heapwood: error: ")?.1))
}

/// The last line of a complaint that says something. A note of the program's is no reason to end.
fn last_line(complaint: &str) -> Option<&str> {
    let mut lines = complaint.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with("heapwood: note: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that outlives the one that is waited for holds its pipes open for a minute.
    #[cfg(unix)]
    #[test]
    fn processes_in_the_background_are_waited_for_until_the_limit() {
        let run = |script: &str| {
            let begun = Instant::now();
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            // Long enough for a shell to start on a busy machine.
            let ended = run_command(&mut command, Vec::new(), Duration::from_secs(4)).unwrap();
            assert!(begun.elapsed() < Duration::from_secs(30), "{script}");
            ended
        };
        let numbers = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut left = Vec::new();
        let Exit::Well(answer) = run("sleep 60 & echo $!; echo done") else {
            panic!("it ended well");
        };
        let [sleep, done] = &numbers(&answer)[..] else {
            panic!("{answer}");
        };
        assert_eq!(done, "done");
        left.push(sleep.clone());
        let Exit::Badly { code, message } = run("sleep 60 & echo heapwood: error: $! >&2; exit 3")
        else {
            panic!("it ended badly");
        };
        assert_eq!(code, Some(3));
        left.extend(numbers(&message));
        assert_eq!(left.len(), 2);
        for process in left {
            // They are of no use any more.
            let ended = Command::new("kill").arg(&process).status().unwrap();
            assert!(ended.success(), "{process}");
        }
        assert_eq!(run("sleep 60"), Exit::Timeout);
    }

    #[cfg(unix)]
    fn shell(script: &str, input: &[u8], timeout: Duration) -> Exit {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_command(&mut command, input.to_vec(), timeout).unwrap()
    }

    /// More than a pipe holds arrives whole, there and back.
    #[cfg(unix)]
    #[test]
    fn long_inputs_and_answers_arrive_whole() {
        let text = "heapwood\n".repeat(100_000);
        let limit = Duration::from_secs(60);
        let ended = shell("cat", text.as_bytes(), limit);
        assert_eq!(ended, Exit::Well(text.clone()));
        // All of it is answered before any of it is read.
        let late = shell(
            "yes heapwood | head -c 900000; wc -c >&2",
            text.as_bytes(),
            limit,
        );
        assert_eq!(late, Exit::Well(text));
    }

    /// The input is longer than a pipe, so that its writer waits for a process that reads none of
    /// it.
    #[cfg(unix)]
    #[test]
    fn input_that_is_not_read_holds_nothing_up() {
        let input = vec![b'x'; 1 << 20];
        let shell = |script: &str, seconds| shell(script, &input, Duration::from_secs(seconds));
        assert_eq!(shell("echo done", 60), Exit::Well("done\n".to_owned()));
        let closed = shell("exec <&-; sleep 0.2; echo done", 60);
        assert_eq!(closed, Exit::Well("done\n".to_owned()));
        let failed = shell("echo heapwood: error: no >&2; exit 3", 60);
        let message = "no".to_owned();
        assert_eq!(
            failed,
            Exit::Badly {
                code: Some(3),
                message
            }
        );
        assert_eq!(shell("sleep 60", 1), Exit::Timeout);
    }

    #[test]
    fn the_error_is_found_between_what_others_print() {
        let complaint = "heapwood: note: x\nhelloheapwood: error: no pool\nbye\n\n";
        assert_eq!(error_in(complaint), Some("no pool"));
        assert_eq!(last_line(complaint), Some("bye"));
        assert_eq!(error_in("thread panicked\n\n"), None);
        assert_eq!(last_line("thread panicked\n\n"), Some("thread panicked"));
        assert_eq!(last_line("fault\nheapwood: note: late\n"), Some("fault"));
        assert_eq!(last_line("\n"), None);
    }
}
