//! Logs of the driver's compiler and linker.

use std::ffi::c_void;
use std::ptr;

use cust::sys::CUjit_option;

/// Capacity of a log, in bytes; only its begin is used.
const BYTES: usize = 4096;

/// A log of errors and one of warnings. The driver writes into both while a call that was given
/// [`Self::options`] runs. A linker also writes the lengths of the logs into the values of its
/// options, so that these keep their address.
pub(super) struct Log {
    errors: Vec<u8>,
    /// `nvlink` warns of an object without code for this GPU; a driver (580) leaves it out without
    /// a word.
    warnings: Vec<u8>,
    names: Box<[CUjit_option; 4]>,
    values: Box<[*mut c_void; 4]>,
}

impl Log {
    pub(super) fn new() -> Self {
        let (mut errors, mut warnings) = (vec![0_u8; BYTES], vec![0_u8; BYTES]);
        let names = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        ];
        // The size is passed in the place of a pointer, not behind one.
        let size = ptr::without_provenance_mut(BYTES);
        let values = [
            errors.as_mut_ptr().cast(),
            size,
            warnings.as_mut_ptr().cast(),
            size,
        ];
        Self {
            errors,
            warnings,
            names: Box::new(names),
            values: Box::new(values),
        }
    }

    /// The options by which the driver writes here: their number, names and values. The pointers
    /// are good as long as the log.
    pub(super) fn options(&mut self) -> (u32, *mut CUjit_option, *mut *mut c_void) {
        let count = self.names.len() as u32;
        (count, self.names.as_mut_ptr(), self.values.as_mut_ptr())
    }

    /// The text of both logs, each up to its zero: errors first.
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
        let options = log.options();
        assert_eq!((options.0, log.values[1].addr()), (4, BYTES));
        let again = log.options();
        assert_eq!(options, again);
        log.warnings[..4].copy_from_slice(b"late");
        assert_eq!(log.text(), "late");
        log.errors[..2].copy_from_slice(b"no");
        assert_eq!(log.text(), "no\nlate");
        log.errors[2] = b'\n';
        assert_eq!(log.text(), "no\nlate");
    }
}
