//! What the driver's compiler and linker say of their input.

use std::ffi::c_void;
use std::ptr;

use cust::sys::CUjit_option;

/// Room for what is said, in bytes; only its begin is used.
const BYTES: usize = 4096;

/// A log of errors and one of warnings, at places that the driver is told: it writes there as long
/// as whatever was given [`Self::options`] is at work.
pub(super) struct Log {
    errors: Vec<u8>,
    /// Among them that an object has no code for this GPU and is left out.
    warnings: Vec<u8>,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            errors: vec![0; BYTES],
            warnings: vec![0; BYTES],
        }
    }

    /// The names of the options by which the driver writes here, and their values.
    pub(super) fn options(&mut self) -> ([CUjit_option; 4], [*mut c_void; 4]) {
        let names = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        ];
        // The size is passed in the place of a pointer, not behind one.
        let size = ptr::without_provenance_mut(BYTES);
        let errors = self.errors.as_mut_ptr().cast();
        let warnings = self.warnings.as_mut_ptr().cast();
        (names, [errors, size, warnings, size])
    }

    /// What was written, up to the zero behind it: errors first.
    pub(super) fn text(&self) -> String {
        let text = |bytes: &[u8]| {
            let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(text).into_owned()
        };
        let (errors, warnings) = (text(&self.errors), text(&self.warnings));
        match errors.is_empty() || errors.ends_with('\n') {
            true => errors + &warnings,
            false => errors + "\n" + &warnings,
        }
    }
}

/// The first line of a log that is an error, or else the first that says something.
pub(super) fn first_error(log: &str) -> &str {
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find(|line| line.contains("error") || line.contains("fatal"));
    error
        .or_else(|| lines().next())
        .unwrap_or("the log is empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_said() {
        assert_eq!(first_error(""), "the log is empty");
        assert_eq!(
            first_error("\n info : x\n error : y\n error : z"),
            "error : y"
        );
        assert_eq!(first_error("\n info : x\n"), "info : x");
        let mut log = Log::new();
        assert_eq!(log.text(), "");
        let (names, values) = log.options();
        assert_eq!((names.len(), values[1].addr()), (values.len(), BYTES));
        log.warnings[..4].copy_from_slice(b"late");
        assert_eq!(log.text(), "late");
        log.errors[..2].copy_from_slice(b"no");
        assert_eq!(log.text(), "no\nlate");
        log.errors[2] = b'\n';
        assert_eq!(log.text(), "no\nlate");
    }
}
