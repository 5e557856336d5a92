//! JSON, indented.

use serde::Serialize;

/// A value as indented JSON with a line break at the end.
///
/// # Errors
///
/// For a value that JSON does not have.
pub fn json<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
