//! Numbers of threads on the command line.

use crate::workload::micro::MAX_CASE_THREADS;

/// A number of threads that a grid can have.
///
/// # Errors
///
/// For what is none.
pub fn parse_threads(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=MAX_CASE_THREADS) => Ok(count),
        _ => Err(format!(
            "write a number of threads from 1 to 2^{}",
            MAX_CASE_THREADS.ilog2()
        )),
    }
}
