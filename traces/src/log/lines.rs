//! Lines of a log, which may be any bytes.

use std::io::{BufRead, Read};

use crate::error::excerpt;
use crate::{LogProblem, TraceError};

/// Max bytes of a line, so that a file without line breaks is refused early.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Lines with their numbers.
pub struct LogLines<R> {
    input: R,
    /// The number of the last line, from 1.
    pub number: u64,
}

impl<R: BufRead> LogLines<R> {
    /// The lines of an input, from its begin.
    pub fn new(input: R) -> Self {
        Self { input, number: 0 }
    }

    /// The next line that is not blank, without white space around it.
    ///
    /// # Errors
    ///
    /// [`TraceError::Read`], and [`TraceError::Line`] for a line that is too long.
    pub fn next(&mut self) -> Result<Option<String>, TraceError> {
        loop {
            let mut line = Vec::new();
            let mut limited = self.input.by_ref().take(MAX_LINE_BYTES + 1);
            let read = limited.read_until(b'\n', &mut line);
            let length = read.map_err(TraceError::Read)? as u64;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            if length > MAX_LINE_BYTES {
                return Err(self.error(LogProblem::Long(MAX_LINE_BYTES)));
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }

    /// An error in the last line.
    pub fn error(&self, problem: LogProblem) -> TraceError {
        let line = self.number;
        TraceError::Line { line, problem }
    }
}

/// The problem of a field that is not of its kind.
pub fn not_a(what: &'static str, text: &str) -> LogProblem {
    let text = excerpt(text);
    LogProblem::Field { what, text }
}

/// A pointer in hexadecimal digits, with or without `0x`, or the null of C's `printf`.
///
/// # Errors
///
/// [`LogProblem::Field`].
pub fn pointer(text: &str) -> Result<u64, LogProblem> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    match text {
        "(nil)" | "(null)" => Ok(0),
        _ => u64::from_str_radix(digits, 16).map_err(|_| not_a("pointer", text)),
    }
}
