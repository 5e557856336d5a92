//! Numbers of threads on the command line.

/// A number of threads that a grid can have.
///
/// # Errors
///
/// For what is none.
pub fn parse_threads(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=0x1000_0000) => Ok(count),
        _ => Err("write a number of threads from 1 to 2^28".to_owned()),
    }
}
